"""Loading Lua scripts: a file with its includes, and its digest.

A script starts with a shebang line, then comments that describe ``KEYS``, ``ARGV`` and ``returns``. ``#!lua`` marks a
script that writes: a full server refuses it. ``#!lua flags=allow-oom`` marks one that reads or frees memory: it also
runs on a full server. With either line a replica refuses the script, even one that only reads; without the line a
replica would run it. ``for_replicas`` makes the copy of a script that replicas are to run. A line
``--! include NAME.lua`` is replaced by that file, from the script's own folder or else from a shared folder. Of a
variant, files of its own folder go before those.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

READS = "#!lua flags=allow-oom\n"
READS_ON_REPLICAS = "#!lua flags=no-writes\n"
_INCLUDE = re.compile(r"^--! include (\w+\.lua)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script as it is sent to Redis. ``digest`` is its SHA-1, for EVALSHA."""

    name: str
    text: str
    digest: str


def load(path: Path, *shared: Path, variant: Path | None = None) -> Script:
    """Read the script at ``path`` and insert its includes, from the same folder or else from ``shared``.

    Files of the folder ``variant`` are read in the place of those of the same name.
    """
    folders = (path.parent, *shared) if variant is None else (variant, path.parent, *shared)
    return _script(path.stem, _expand(_find(path.name, folders), folders))


@lru_cache
def for_replicas(script: Script) -> Script:
    """The same script as replicas run it: Redis refuses each write in it. Raises ``ValueError`` if it is to write."""
    if not script.text.startswith(READS):
        raise ValueError(f"The script {script.name} is not one that only reads.")
    return _script(script.name, READS_ON_REPLICAS + script.text.removeprefix(READS))


def _script(name: str, text: str) -> Script:
    return Script(name, text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


def _expand(path: Path, folders: tuple[Path, ...]) -> str:
    return _INCLUDE.sub(lambda match: _expand(_find(match.group(1), folders), folders), path.read_text("utf-8"))


def _find(name: str, folders: tuple[Path, ...]) -> Path:
    return next((folder / name for folder in folders if (folder / name).is_file()), folders[0] / name)
