"""`make image`: build the image of the Dockerfile, and see that it serves: as nobody, on a disk it cannot write to.

It builds with docker, podman or buildah, and runs with docker or podman, whichever is there first. ``BASE=debian``
makes the image that it is built on from Debian's packages (mmdebstrap, as root), where no registry of images is
reached. Standard library only.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILDERS = {
    "docker": ["docker", "build"],
    "podman": ["podman", "build", "--isolation", "chroot"],
    "buildah": ["buildah", "build", "--isolation", "chroot"],
}
RUNNERS = ("docker", "podman")
DEBIAN, LOCAL_BASE = "bookworm", "localhost/sunwi-base"
PACKAGES = "python3,python3-venv,ca-certificates"
PATIENCE_SECONDS = 60
USER = "10001"
# What the Compose file and the Kubernetes manifests forbid, and a network that leads nowhere.
LOCKED = [
    *("--read-only", "--tmpfs", "/tmp:size=64m", "--cap-drop=ALL"),  # noqa: S108 - a path inside the container
    *("--security-opt", "no-new-privileges", "--network", "none"),
]
# It serves without its servers: the probe asks the process alone.
SERVERS = {"REDIS_URL": "redis://127.0.0.1:1/0", "DATABASE_URL": "sqlite:////nowhere/db.sqlite3"}
LOOK = "id -u; touch /app/written 2>/dev/null && echo writes; grep CapEff /proc/self/status"


class Refused(Exception):
    """What is missing here, or what was found wrong."""


def tool(*names: str) -> str:
    """The first of these programs that works here (a docker without its daemon does not). Raises ``Refused``."""
    for name in names:
        if shutil.which(name) and not subprocess.run([name, "version"], capture_output=True, check=False).returncode:
            return name
    raise Refused(f"none of these works on this machine: {', '.join(names)}")


def options(name: str, given: Mapping[str, str]) -> list[str]:
    """More words for the builder or the runner, from BUILD_OPTIONS or RUN_OPTIONS."""
    return shlex.split(given.get(name, ""))


def build_command(builder: str, image: str, base: str, given: Mapping[str, str]) -> list[str]:
    """What builds the image; ``base`` is empty for the one that the Dockerfile names."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    words = ["--build-arg", f"GIT_COMMIT={commit.stdout.strip()}"]
    words += ["--build-arg", f"PYTHON_IMAGE={base}"] if base else []
    return [*BUILDERS[builder], *words, *options("BUILD_OPTIONS", given), "--tag", image, str(ROOT)]


def run_command(runner: str, image: str, name: str, given: Mapping[str, str]) -> list[str]:
    """What starts the image's own command, locked up."""
    variables = {"SECRET_KEY": "x" * 60, "ALLOWED_HOSTS": "localhost", "DATA_DIR": "/nowhere", **SERVERS}
    pairs = [word for key, value in variables.items() for word in ("--env", f"{key}={value}")]
    return [runner, "run", "--detach", "--name", name, *LOCKED, *options("RUN_OPTIONS", given), *pairs, image]


def done(*command: str, cwd: Path = ROOT) -> None:
    """Run it, with its output here. Raises ``Refused``."""
    if subprocess.run(command, cwd=cwd, check=False).returncode:
        raise Refused(f"failed: {shlex.join(command)}")


def make_base(builder: str) -> str:
    """Make an image of Debian with its Python, called ``python`` too as in Docker's image; returns its name."""
    if shutil.which("mmdebstrap") is None:
        raise Refused("BASE=debian needs mmdebstrap (a package of Debian's)")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Dockerfile").write_text("FROM scratch\nADD base.tar /\n")
        called = '--customize-hook=ln -s python3 "$1/usr/bin/python"'
        done("mmdebstrap", "--variant=apt", f"--include={PACKAGES}", called, DEBIAN, f"{folder}/base.tar")
        done(*BUILDERS[builder], "--tag", LOCAL_BASE, folder)
    return LOCAL_BASE


def look(runner: str, name: str) -> None:
    """Wait until the probe of the Compose file is content, and see who runs. Raises ``Refused``."""
    inside = [runner, "exec", name]
    give_up = time.monotonic() + PATIENCE_SECONDS
    while subprocess.run([*inside, "python", "-m", "config.probe"], capture_output=True, check=False).returncode:
        if time.monotonic() > give_up:
            subprocess.run([runner, "logs", name], check=False)
            raise Refused(f"/healthz did not answer 200 within {PATIENCE_SECONDS} s")
        time.sleep(0.5)
    seen = subprocess.run([*inside, "sh", "-c", LOOK], capture_output=True, text=True, check=False).stdout.split()
    if seen != [USER, "CapEff:", "0000000000000000"]:
        raise Refused(f"it does not run as {USER}, without capabilities, on a disk that it cannot write to: {seen}")


def main(given: Mapping[str, str]) -> int:
    image, name = given.get("IMAGE") or "sunwi", f"sunwi-tried-{os.getpid()}"
    try:
        builder = tool(*BUILDERS)
        base = make_base(builder) if given.get("BASE") == "debian" else ""
        done(*build_command(builder, image, base, given))
        runner = tool(*RUNNERS)
        try:
            done(*run_command(runner, image, name, given))
            look(runner, name)
        finally:
            subprocess.run([runner, "rm", "--force", name], capture_output=True, check=False)
    except Refused as refused:
        print(f"make image: {refused}", file=sys.stderr)
        return 1
    print(f"{image}: built by {builder}; run by {runner}, read-only, as {USER}, it answers /healthz")
    return 0


if __name__ == "__main__":
    sys.exit(main(os.environ))
