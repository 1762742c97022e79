"""Files of final periods in the page cache, shared by all processes: made once, then served without SQL.

The fingerprint of a file changes with a correction, a ban or a disqualification in its period, and with every changed
name of a player anywhere. The trap: while the page cache is away, a changed name does not reach it; therefore a file is
cached for at most ``CACHE_SECONDS``.
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

CACHE_SECONDS = 600
MAX_CACHED_BYTES = 4 * 1024 * 1024  # compressed; of longer files only the ETag is cached
CHUNK_BYTES = 64 * 1024
_NAMES_KEY = "files:names"
_TAG = re.compile("[0-9a-f]{24}")


@dataclass(frozen=True, slots=True)
class CachedFile:
    """When the file was made, its ETag, and its compressed content; None if it is too long to be cached."""

    as_of: datetime
    tag: str
    packed: bytes | None

    def parts(self) -> Iterator[bytes]:
        """Decompress the content, in chunks."""
        unpack = zlib.decompressobj()
        packed = self.packed or b""
        for start in range(0, len(packed), CHUNK_BYTES):
            yield unpack.decompress(packed[start : start + CHUNK_BYTES])
        yield unpack.flush()


@dataclass(slots=True)
class _Compressor:
    """Compresses a file part by part, and computes its ETag."""

    _pack: "zlib._Compress" = field(default_factory=lambda: zlib.compressobj(1))
    _digest: "blake2b" = field(default_factory=lambda: blake2b(digest_size=12))
    _packed: bytearray = field(default_factory=bytearray)
    _is_too_long: bool = False

    def add(self, part: bytes) -> None:
        self._digest.update(part)
        if not self._is_too_long:
            self._packed += self._pack.compress(part)
            self._is_too_long = len(self._packed) > MAX_CACHED_BYTES

    def file(self, as_of: datetime) -> CachedFile:
        packed = None if self._is_too_long else bytes(self._packed + self._pack.flush())
        return CachedFile(as_of, self._digest.hexdigest(), packed)


def fingerprint_of(period: Period, *form: object) -> str:
    """Hash all that a file of a final period depends on: the result, the hidden players, all names, and ``form``."""
    hidden = sorted(hidden_in(period))
    content = (period.pk, period.content_hash, hidden, keeps_vacated_places(period), cache.get(_NAMES_KEY), form)
    return blake2b(repr(content).encode(errors="surrogatepass"), digest_size=16).hexdigest()


def read_cached_file(stamp: str) -> CachedFile | None:
    """Return the file of this fingerprint; None if it is not cached or not valid, or the page cache is away."""
    entries = cache.get_many([f"files:{stamp}:head", f"files:{stamp}:packed"])
    head: Any = entries.get(f"files:{stamp}:head")
    packed = entries.get(f"files:{stamp}:packed")
    try:
        as_of, tag, check = datetime.fromisoformat(head["as_of"]), str(head["tag"]), head["check"]
    except (KeyError, TypeError, ValueError):
        return None
    if not _TAG.fullmatch(tag) or as_of.tzinfo is None:
        return None
    if check is not None and (not isinstance(packed, bytes) or _check(packed) != check):
        return None  # evicted, or written by another process at the same time
    return CachedFile(as_of, tag, None if check is None else packed)


def compress_file(as_of: datetime, parts: Iterable[bytes]) -> CachedFile:
    """Read all parts of a file and compress it; the caller caches it."""
    compressor = _Compressor()
    for part in parts:
        compressor.add(part)
    return compressor.file(as_of)


def cache_file(stamp: str, file: CachedFile) -> None:
    """Cache a file under its fingerprint."""
    check = None if file.packed is None else _check(file.packed)
    if file.packed is not None:
        cache.set(f"files:{stamp}:packed", file.packed, CACHE_SECONDS)
    head = {"as_of": file.as_of.isoformat(), "tag": file.tag, "check": check}
    cache.set(f"files:{stamp}:head", head, CACHE_SECONDS)


def _check(packed: bytes) -> str:
    return blake2b(packed, digest_size=16).hexdigest()


def invalidate_cached_files() -> None:
    """Invalidate all cached files once this transaction commits: the name of a player changed."""
    transaction.on_commit(lambda: cache.set(_NAMES_KEY, secrets.token_hex(8), 2 * CACHE_SECONDS))
