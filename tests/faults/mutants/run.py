"""Takes one protection away at a time, in a copy of the tree, and sees that the test which guards it fails.

Each patch opens with ``# Caught by: <pytest arguments>``, or with ``# Caught by: make test`` where the quick selection
as a whole must catch it: then ``# Try first: <pytest arguments>`` says what of it most likely does. `make mutants`
runs all, names run some, ``--jobs 2`` two at a time. Ends with 1 if a mutant survives or a patch applies no more.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
QUICK = ["-m", "not long"]
FAILED_TESTS = 1  # pytest's exit status; every other one is no verdict
TRIES = 3  # a race may go well by chance
SECONDS = 900


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="patches, without their ending; all if none is named")
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time")
    asked = parser.parse_args()
    patches = [patch for patch in sorted(HERE.glob("*.patch")) if not asked.names or patch.stem in asked.names]
    _without_any([tests for patch in patches for tests in _tests(patch)[:1]])
    with ThreadPoolExecutor(asked.jobs) as pool:
        caught = list(pool.map(_is_caught, patches))
    alive = [patch.stem for patch, is_caught in zip(patches, caught, strict=True) if not is_caught]
    print(f"{sum(caught)} of {len(patches)} mutants caught; alive: {', '.join(alive) or 'none'}", flush=True)
    return bool(alive) or not patches


def _tests(patch: Path) -> list[list[str]]:
    """Which tests are to catch it: pytest's arguments, those to begin with first."""
    said = dict(line.removeprefix("# ").split(": ", 1) for line in patch.read_text().splitlines()[:2] if ": " in line)
    if "Caught by" not in said:
        raise SystemExit(f"{patch.name} does not say in its first line which test catches it.")
    if said["Caught by"] != "make test":
        return [shlex.split(said["Caught by"])]
    first = [[*QUICK, *shlex.split(said["Try first"])]] if "Try first" in said else []
    return [*first, [*QUICK, "-n", "auto", "--maxprocesses", "8", "--dist", "worksteal"]]


def _without_any(named: Sequence[Sequence[str]]) -> None:
    """Run what the patches name once without any: what fails there says nothing about a patch."""
    chosen: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for arguments in named:
        at = arguments.index("-k") if "-k" in arguments else len(arguments)
        chosen[(*arguments[:at], *arguments[at + 2 :])].add(" ".join(arguments[at + 1 : at + 2]))
    with _copy() as tree:
        for others, words in chosen.items():
            only = [] if "" in words else ["-k", " or ".join(f"({each})" for each in sorted(words))]
            if failure := _failure(tree, [*others, *only]):
                raise SystemExit(f"These tests fail without any patch too.\n{failure}")


def _is_caught(patch: Path) -> bool:
    began = time.monotonic()
    with _copy() as tree:
        subprocess.run(["git", "apply", "--whitespace=nowarn", str(patch)], cwd=tree, check=True)
        *first, last = _tests(patch)
        caught = any(_failure(tree, arguments) for arguments in [*first, *[last] * (1 if first else TRIES)])
    print(f"{patch.stem}: {'caught' if caught else 'ALIVE'} in {time.monotonic() - began:.0f} s", flush=True)
    return caught


@contextmanager
def _copy() -> Iterator[Path]:
    """What git tracks, as it is on disk now, without its history."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory(prefix="sunwi-mutant-", dir="/tmp") as name:
        tree = Path(name)
        for path in filter(None, listed.decode().split("\0")):
            if (ROOT / path).is_file():
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / path, tree / path)
        subprocess.run(["git", "init", "--quiet"], cwd=tree, check=True)
        yield tree


def _failure(tree: Path, arguments: Sequence[str]) -> str:
    """What pytest said of a test that failed, the seed of the run with it; nothing if all passed."""
    at_first = [] if "-n" in arguments else ["-x"]  # workers that are stopped end with another status
    command = [sys.executable, "-m", "pytest", *at_first, "-p", "no:cacheprovider", *arguments]
    surroundings = {name: value for name, value in os.environ.items() if name != "DATA_DIR"}
    ended = subprocess.run(
        command, cwd=tree, env=surroundings, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if ended.returncode not in (0, FAILED_TESTS):
        raise SystemExit(f"no verdict, pytest ended with {ended.returncode}:\n{ended.stdout[-3000:]}")
    return ended.stdout if ended.returncode == FAILED_TESTS else ""


if __name__ == "__main__":
    sys.exit(main())
