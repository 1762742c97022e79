"""Long files of final periods, kept in the page cache for all processes: made once, and asked again without SQL.

Anybody who corrects, bans or disqualifies changes the stamp, and with it the file; a new name changes the stamp of all.
The trap: while the page cache is away a new name is not heard of, so a file is kept for ``KEPT_SECONDS`` and no longer.
"""

import re
import secrets
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any

from django.core.cache import cache
from django.db import transaction

from leaderboards.models import Period
from leaderboards.selectors.visibility.hidden import hidden_in, keeps_vacated_places

KEPT_SECONDS = 600
LARGEST_KEPT = 4 * 1024 * 1024  # bytes, compressed; of longer files the ETag alone is kept
SLICE = 64 * 1024
_NAMES = "files:names"
_TAG = re.compile("[0-9a-f]{24}")


@dataclass(frozen=True, slots=True)
class CachedFile:
    """When the file was made, its ETag, and its content, compressed; None where it is too long to be kept."""

    as_of: datetime
    tag: str
    packed: bytes | None

    def parts(self) -> Iterator[bytes]:
        """The content, from the beginning."""
        unpack = zlib.decompressobj()
        packed = self.packed or b""
        for start in range(0, len(packed), SLICE):
            yield unpack.decompress(packed[start : start + SLICE])
        yield unpack.flush()


@dataclass(slots=True)
class _Packing:
    """What is kept of a file while it goes by."""

    _pack: "zlib._Compress" = field(default_factory=lambda: zlib.compressobj(1))
    _digest: "blake2b" = field(default_factory=lambda: blake2b(digest_size=12))
    _packed: bytearray = field(default_factory=bytearray)
    _is_too_long: bool = False

    def add(self, part: bytes) -> None:
        self._digest.update(part)
        if not self._is_too_long:
            self._packed += self._pack.compress(part)
            self._is_too_long = len(self._packed) > LARGEST_KEPT

    def file(self, as_of: datetime) -> CachedFile:
        packed = None if self._is_too_long else bytes(self._packed + self._pack.flush())
        return CachedFile(as_of, self._digest.hexdigest(), packed)


def fingerprint_of(period: Period, *form: object) -> str:
    """What a file of a final period depends on beside ``form``: its result, who is not shown, everybody's names."""
    out = sorted(hidden_in(period))
    content = (period.pk, period.content_hash, out, keeps_vacated_places(period), cache.get(_NAMES), form)
    return blake2b(repr(content).encode(errors="surrogatepass"), digest_size=16).hexdigest()


def read_cached_file(stamp: str) -> CachedFile | None:
    """The file of this stamp; None where none is kept, where it is none of ours, or the page cache is away."""
    found = cache.get_many([f"files:{stamp}:told", f"files:{stamp}:packed"])
    told: Any = found.get(f"files:{stamp}:told")
    packed = found.get(f"files:{stamp}:packed")
    try:
        as_of, tag, check = datetime.fromisoformat(told["as_of"]), str(told["tag"]), told["check"]
    except (KeyError, TypeError, ValueError):
        return None
    if not _TAG.fullmatch(tag) or as_of.tzinfo is None:
        return None
    if check is not None and (not isinstance(packed, bytes) or _check(packed) != check):
        return None  # it has gone, or is of another who made it at the same time
    return CachedFile(as_of, tag, None if check is None else packed)


def compress_file(as_of: datetime, parts: Iterable[bytes]) -> CachedFile:
    """A file that is read to its end, not kept yet."""
    packing = _Packing()
    for part in parts:
        packing.add(part)
    return packing.file(as_of)


def cache_file(stamp: str, made: CachedFile) -> None:
    """Keep a file under its stamp."""
    check = None if made.packed is None else _check(made.packed)
    if made.packed is not None:
        cache.set(f"files:{stamp}:packed", made.packed, KEPT_SECONDS)
    told = {"as_of": made.as_of.isoformat(), "tag": made.tag, "check": check}
    cache.set(f"files:{stamp}:told", told, KEPT_SECONDS)


def _check(packed: bytes) -> str:
    return blake2b(packed, digest_size=16).hexdigest()


def invalidate_cached_files() -> None:
    """A player is called otherwise: once that is committed no file of before is used any more."""
    transaction.on_commit(lambda: cache.set(_NAMES, secrets.token_hex(8), 2 * KEPT_SECONDS))
