"""`make digests`: pin the images of the Compose file and the Dockerfile to their current digests.

Docker asks the registry for the digests, which are written to an override file for Compose:
`docker compose -f docker-compose.yml -f docker-compose.digests.yml up`. Standard library only.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = "docker-compose.digests.yml"
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
BUILT = "sunwi"  # our own image, which has a base instead


class Refused(Exception):
    """Docker returned no digest; nothing was written."""


def images(compose: str) -> dict[str, str]:
    """Service and image of each service that is not built here, in order."""
    services = compose.partition("\nservices:\n")[2].partition("\nnetworks:\n")[0]
    pairs = re.findall(r"^  (\w+):\n(?:    .*\n|\n|  #.*\n)*?    image: (\S+)$", services, re.MULTILINE)
    return {service: image for service, image in pairs if image != BUILT}


def built(compose: str) -> list[str]:
    """The services with our own image."""
    return re.findall(r"^  (\w+):\n    <<: \*app$", compose, re.MULTILINE)


def base(dockerfile: str) -> str:
    """The image that ours is built on."""
    return str(re.findall(r"^ARG PYTHON_IMAGE=(\S+)$", dockerfile, re.MULTILINE)[0])


def digest_of(image: str) -> str:
    """The current digest of an image in its registry. Raises ``Refused``."""
    command = ["docker", "buildx", "imagetools", "inspect", image, "--format", "{{json .Manifest}}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        digest = str(json.loads(done.stdout)["digest"]) if done.returncode == 0 else ""
    except (OSError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired) as error:
        raise Refused(f"{image}: docker gave no digest ({type(error).__name__}).") from error
    if not DIGEST.fullmatch(digest):
        raise Refused(f"{image}: docker gave no digest: {done.stderr.strip() or done.stdout.strip()}")
    return digest


def override(compose: str, dockerfile: str) -> str:
    """The content of the override file. Raises ``Refused``."""
    python = base(dockerfile)
    known = {image: f"{image}@{digest_of(image)}" for image in {python, *images(compose).values()}}
    lines = ["# By `make digests`: the images that the names meant then.", "services:"]
    for service, image in images(compose).items():
        lines += [f"  {service}:", f"    image: {known[image]}"]
    for service in built(compose):
        lines += [f"  {service}:", f"    build: {{args: {{PYTHON_IMAGE: {known[python]}}}}}"]
    return "\n".join(lines) + "\n"


def main(folder: Path = ROOT) -> int:
    """Write the override file; exit status 1, with nothing written, if a digest is missing."""
    try:
        text = override((folder / "docker-compose.yml").read_text(), (folder / "Dockerfile").read_text())
    except Refused as error:
        print(f"{error} Docker with buildx and a way to the registry are needed; nothing was written.", file=sys.stderr)
        return 1
    (folder / WRITTEN).write_text(text)
    print(f"{WRITTEN} is written; start with -f docker-compose.yml -f {WRITTEN}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
