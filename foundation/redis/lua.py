"""Lua scripts: loading a file with what it includes, and its digest.

A script opens with a line that tells Redis its kind, and a header of comments: ``KEYS``, ``ARGV`` and ``returns``.
``#!lua`` writes: a full server refuses it before it begins. ``#!lua flags=allow-oom`` reads, or gives memory back, and
runs there too. With either a replica refuses it, also what only reads; without one it would answer. A line
``--! include NAME.lua`` is replaced by that file, so that a rule shared by two scripts is written once. What is not
in the script's own folder is looked for in the folders that it shares with others.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

_INCLUDE = re.compile(r"^--! include (\w+\.lua)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Script:
    """One Lua script as Redis gets it. ``digest`` is the SHA-1 by which EVALSHA names it."""

    name: str
    text: str
    digest: str


def load(path: Path, *shared: Path) -> Script:
    """Read the script at ``path``, with its includes (from the same folder, else from ``shared``) put in place."""
    text = _expand(path, (path.parent, *shared))
    return Script(path.stem, text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


def _expand(path: Path, folders: tuple[Path, ...]) -> str:
    return _INCLUDE.sub(lambda match: _expand(_find(match.group(1), folders), folders), path.read_text("utf-8"))


def _find(name: str, folders: tuple[Path, ...]) -> Path:
    return next((folder / name for folder in folders if (folder / name).is_file()), folders[0] / name)
