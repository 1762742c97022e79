"""Files of numbers that other processes read while one writes: the form in which prometheus-client writes its own.

Four bytes tell how many are in use, four are empty, then each number follows: the length of its key, the key with
spaces up to eight bytes, its value, and a time that is always 0. The first word of a file's name tells the kind
(``counter``, ``histogram``, ``gauge``), for a gauge the second one how several are made one.

The traps: a page of a mapped file that finds no room when it is first written ends the process by a signal, so room is
taken by writing zeros before it is mapped, which raises ``OSError``. And a file without a lock looks as if its process
had ended, so a file has its name only once it is locked.
"""

import fcntl
import json
import mmap
import os
import struct
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

FIRST_BYTES = 1 << 16  # of a new file; it doubles when it is full
MOST_KEYS = 1 << 15  # that are remembered: more than sums and processes have, or each read parses each key anew
HEADER = 8
_length, _number = struct.Struct("i"), struct.Struct("dd")


class Key(NamedTuple):
    """What a number is of: its family and sample (``x_total`` of ``x``), labels in order, and the description."""

    family: str
    sample: str
    labels: tuple[tuple[str, str], ...]
    description: str


def to_text(key: Key) -> str:
    """The key as it stands in a file."""
    return json.dumps([key.family, key.sample, dict(key.labels), key.description], sort_keys=True)


@lru_cache(maxsize=MOST_KEYS)
def to_key(text: str) -> Key:
    """The key that a file names. Raises ``ValueError`` if it is none."""
    match json.loads(text):
        case [str(family), str(sample), dict(labels), str(description)]:
            return Key(family, sample, tuple(sorted(labels.items())), description)
    raise ValueError(f"{text[:60]!r} is no key")


@lru_cache(maxsize=MOST_KEYS)
def _text(key: bytes) -> str:
    """A key's text, the same object each time. Raises ``ValueError`` if it is none."""
    text = key.decode()
    to_key(text)
    return text


def kind_of(file: Path) -> str:
    """``counter``, ``histogram`` or, of gauges, ``gauge_max`` and the like; empty for another file."""
    kind = file.name.rpartition("_")[0]
    return kind if kind.partition("_")[0] in {"counter", "histogram", "gauge"} else ""


class CountFile:
    """A file that this process alone writes. Its lock, which the kernel takes from a process that ends, says so."""

    def __init__(self, folder: Path, kind: str) -> None:
        """Make a file of a name of its own in ``folder``. Raises ``OSError``, of a full disk among others."""
        path = folder / f"{kind}_{os.getpid()}-{os.urandom(4).hex()}.db"
        unready = path.with_suffix(".new")
        self._path = path
        self._file = os.open(unready, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX)
            self._size, self._used = 0, HEADER
            self._grow(FIRST_BYTES)
            self._map[:4] = _length.pack(self._used)
            unready.rename(path)
        except OSError:
            os.close(self._file)
            unready.unlink(missing_ok=True)
            raise

    def append(self, key: str, value: float) -> int:
        """Write a further number, and return its place. Raises ``OSError`` where there is no room for it."""
        entry = _entry(key, value)
        while self._used + len(entry) > self._size:
            self._grow(2 * self._size)
        self._map[self._used : self._used + len(entry)] = entry
        self._used += len(entry)
        self._map[:4] = _length.pack(self._used)
        return self._used - _number.size

    def write(self, place: int, value: float) -> None:
        """Write the number at ``place`` anew, in one step for whoever reads."""
        self._map[place : place + _number.size] = _number.pack(value, 0.0)

    def is_removed(self) -> bool:
        """Whether the file has no name any more, or another one has it: then nobody reads it."""
        try:
            return not os.path.samestat(self._path.stat(), os.fstat(self._file))
        except FileNotFoundError:
            return True
        except OSError:  # it cannot be told now
            return False

    def close(self) -> None:
        """Let go of the file; it stays as it is."""
        self._map.close()
        os.close(self._file)

    def _grow(self, size: int) -> None:
        place, zeros = self._size, bytes(FIRST_BYTES)
        while place < size:
            place += os.pwrite(self._file, zeros[: size - place], place)
        self._map, self._size = mmap.mmap(self._file, size), size


def read(file: Path) -> dict[str, float]:
    """The numbers of a file by their key's text. Raises ``ValueError`` if it is no such file, and ``OSError``."""
    with file.open("rb") as had:
        content = had.read(mmap.PAGESIZE)
        content += had.read(max(0, _used(content) - len(content)))
    return _numbers(content)


def read_whole(file: Path) -> tuple[dict[str, float], bytes]:
    """The numbers, and what stands behind them, of one moment. Raises as ``read`` does."""
    content = file.read_bytes()
    return _numbers(content), content[_used(content) :]


def write_whole(file: Path, numbers: dict[str, float], behind: bytes = b"") -> None:
    """Write a file that nobody reads yet; the library reads nothing of what is ``behind``. Raises ``OSError``."""
    entries = b"".join(_entry(key, value) for key, value in numbers.items())
    file.write_bytes(_length.pack(HEADER + len(entries)) + bytes(4) + entries + behind)


def _used(content: bytes) -> int:
    return int(_length.unpack_from(content)[0]) if len(content) >= HEADER else 0


def _numbers(content: bytes) -> dict[str, float]:
    used = _used(content)
    if not HEADER <= used <= len(content):
        raise ValueError(f"{len(content)} bytes, where it should have {used}")
    numbers, place = dict[str, float](), HEADER
    while place < used:
        (length,) = _length.unpack_from(content, place)
        value_at = place + _length.size + _padded(length)
        if length <= 0 or value_at + _number.size > used:
            raise ValueError(f"the key at byte {place} has no end")
        text = _text(content[place + _length.size : place + _length.size + length])
        numbers[text] = _number.unpack_from(content, value_at)[0]
        place = value_at + _number.size
    return numbers


def _entry(key: str, value: float) -> bytes:
    text = key.encode()
    return _length.pack(len(text)) + text.ljust(_padded(len(text))) + _number.pack(value, 0.0)


def _padded(length: int) -> int:
    """How many bytes a key of so many has with its spaces, of which there is at least one."""
    return length + 8 - (length + _length.size) % 8
