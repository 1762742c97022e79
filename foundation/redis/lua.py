"""Loading Lua scripts: a file with its includes, and its digest.

A script starts with a shebang line, then comments that describe ``KEYS``, ``ARGV`` and ``returns``. ``#!lua`` marks a
script that writes: a full server refuses it. ``#!lua flags=allow-oom`` marks one that reads or frees memory: it also
runs on a full server. With either line a replica refuses the script, even one that only reads; without the line a
replica would run it. A line ``--! include NAME.lua`` is replaced by that file, from the script's own folder or else
from a shared folder.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

_INCLUDE = re.compile(r"^--! include (\w+\.lua)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script as it is sent to Redis. ``digest`` is its SHA-1, for EVALSHA."""

    name: str
    text: str
    digest: str


def load(path: Path, *shared: Path) -> Script:
    """Read the script at ``path`` and insert its includes, from the same folder or else from ``shared``."""
    text = _expand(path, (path.parent, *shared))
    return Script(path.stem, text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


def _expand(path: Path, folders: tuple[Path, ...]) -> str:
    return _INCLUDE.sub(lambda match: _expand(_find(match.group(1), folders), folders), path.read_text("utf-8"))


def _find(name: str, folders: tuple[Path, ...]) -> Path:
    return next((folder / name for folder in folders if (folder / name).is_file()), folders[0] / name)
