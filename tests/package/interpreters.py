"""The Pythons of this machine, and the Djangos that a package is tried with on each."""

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

# Each Django that pyproject.toml allows, and the Pythons that it is made for (of ours: 3.11 and later).
DJANGOS = {
    "5.2": ("3.11", "3.12", "3.13", "3.14"),
    "6.0": ("3.12", "3.13", "3.14"),
    "6.1": ("3.12", "3.13", "3.14"),
}
# Each Python once and each Django once; every pair where PYTHONS names Pythons: each takes a minute.
ONCE = [("3.11", "5.2"), ("3.12", "6.0"), ("3.13", "6.1"), ("3.14", "6.1")]
EVERY = [(python, django) for django, pythons in DJANGOS.items() for python in pythons]
PAIRS = EVERY if os.environ.get("PYTHONS") else ONCE
VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"


def version_of(program: Path | str) -> str:
    """``3.12`` of a Python that starts; empty of what does not (a version manager's name for one that is not there)."""
    try:
        asked = subprocess.run([program, "-I", "-c", VERSION], capture_output=True, text=True, check=False, timeout=30)
    except OSError:
        return ""
    return asked.stdout.strip() if asked.returncode == 0 else ""


@cache
def found() -> dict[str, Path]:
    """The program of each version: what PYTHONS names (``/one/python:/other/python``), else those on PATH and pyenv's.

    Raises ``RuntimeError`` if PYTHONS names what does not start.
    """
    if named := os.environ.get("PYTHONS"):
        return _named(named.split(os.pathsep))
    programs: dict[str, Path] = {}
    for version in sorted({python for python, _ in PAIRS}):
        on_path = shutil.which(f"python{version}")
        for program in [*([Path(on_path)] if on_path else []), *_of_pyenv(version)]:
            if version_of(program) == version:
                programs.setdefault(version, program)
    return programs


def _named(programs: list[str]) -> dict[str, Path]:
    versions = {version_of(program): Path(program) for program in programs}
    if "" in versions:
        raise RuntimeError(f"PYTHONS names {versions['']}, which does not start.")
    return versions


def _of_pyenv(version: str) -> list[Path]:
    """What pyenv has installed of the version, the latest first."""
    folder = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    there = folder.glob(f"{version}.*/bin/python{version}")
    return sorted(there, key=lambda each: int(re.findall(r"\d+", each.parts[-3])[-1]), reverse=True)
