"""Takes one protection away at a time, in a copy of the tree, and sees that the test which guards it fails.

Each patch opens with a line ``# Caught by: <pytest arguments>``. `make mutants` runs all; names as arguments run some.
Ends with 1 if a mutant survives, or if a patch does not apply any more.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
CAUGHT_BY = "# Caught by: "
FAILED_TESTS = 1  # pytest's exit status; every other one is no verdict
TRIES = 3  # a race may go well by chance
SECONDS = 300


def main(names: list[str]) -> int:
    patches = [patch for patch in sorted(HERE.glob("*.patch")) if not names or patch.stem in names]
    survivors = [patch.stem for patch in patches if not _is_caught(patch)]
    _say(f"{len(patches) - len(survivors)} of {len(patches)} mutants caught; alive: {', '.join(survivors) or 'none'}")
    return bool(survivors) or not patches


def _is_caught(patch: Path) -> bool:
    first = patch.read_text().splitlines()[0]
    if not first.startswith(CAUGHT_BY):
        raise SystemExit(f"{patch.name} does not say in its first line which test catches it.")
    arguments = shlex.split(first.removeprefix(CAUGHT_BY))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="sunwi-mutant-", dir="/tmp") as folder:
        tree = _copy(Path(folder))
        if failure := _failure(tree, arguments):
            raise SystemExit(f"{patch.stem}: its test fails without it too.\n{failure}")
        subprocess.run(["git", "apply", "--whitespace=nowarn", str(patch)], cwd=tree, check=True)
        caught = any(_failure(tree, arguments) for _ in range(TRIES))
    _say(f"{patch.stem}: {'caught' if caught else 'ALIVE'} in {time.monotonic() - began:.0f} s")
    return caught


def _copy(folder: Path) -> Path:
    """What git tracks, as it is on disk now, without its history."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


def _failure(tree: Path, arguments: list[str]) -> str:
    """What pytest said of a test that failed, the seed of the run with it; nothing if all passed."""
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *arguments]
    surroundings = {name: value for name, value in os.environ.items() if name != "DATA_DIR"}
    ended = subprocess.run(
        command, cwd=tree, env=surroundings, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if ended.returncode not in (0, FAILED_TESTS):
        raise SystemExit(f"no verdict, pytest ended with {ended.returncode}:\n{ended.stdout[-3000:]}")
    return ended.stdout if ended.returncode == FAILED_TESTS else ""


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 (a command line)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
