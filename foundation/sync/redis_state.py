"""The generation, version counter and dirty marks of a family of keys in Redis, for resyncing and the mirror.

Every script of a family starts with ``guard.lua``: under another generation than its caller's it answers ``STALE``.
All functions raise what the client raises (``Unavailable``).
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from foundation.errors import Unavailable
from foundation.redis import lua
from foundation.redis.client import Argument, RedisClient, RedisRefused
from foundation.sync.keys import KeyFamily

SCRIPTS = Path(__file__).parent / "scripts"
VERSION_BITS = 24  # low bits of a version, below its generation: exact in Lua's float64 for 2^29 generations


class StaleGeneration(Unavailable):
    """Redis has another generation than SQL: Redis is unavailable for this family."""


class CorruptRedisKey(Unavailable):
    """A key of the family that must hold a number holds something else."""


class RedisState(NamedTuple):
    """What Redis has of a family: generation, latest version and watermark, each 0 if missing."""

    generation: int
    sequence: int
    watermark: int = 0


def script_loader(folder: Path, variant: Path | None = None) -> Callable[[str], lua.Script]:
    """Return a function that loads a script by name, from ``folder`` or else from this package's scripts.

    Files of ``variant``, scripts and includes, go before those of the same name.
    """

    @cache
    def script(name: str) -> lua.Script:
        path = folder / f"{name}.lua"
        return lua.load(path if path.is_file() else SCRIPTS / path.name, SCRIPTS, variant=variant)

    return script


_script = script_loader(SCRIPTS)


@contextmanager
def raise_if_stale() -> Iterator[None]:
    """Turn a refusal by ``guard.lua`` into ``StaleGeneration``."""
    try:
        yield
    except RedisRefused as error:
        if (refusal := refusal_of(error)) is error:
            raise
        raise refusal from error


def refusal_of(error: Unavailable) -> Unavailable:
    """Return ``StaleGeneration`` for a refusal by ``guard.lua``, else the error itself."""
    if isinstance(error, RedisRefused) and "STALE" in error.detail:
        return StaleGeneration("Redis does not have the present state of this.")
    return error


def read_redis_state(link: RedisClient, keys: KeyFamily) -> RedisState:
    """Read the state under any generation. Raises ``CorruptRedisKey``."""
    names = (keys.gen, keys.seq, keys.watermark)
    try:
        return RedisState(*(int(value or 0) for value in link.pipeline([("GET", name) for name in names])))
    except (ValueError, RedisRefused) as error:
        corrupt = [name for name in names if not _is_number_or_missing(link, name)]
        if not corrupt:
            raise
        problem = f"{corrupt[0]} in Redis is not a number, so its period or kind cannot be resynced."
        raise CorruptRedisKey(f"{problem} Run `SET {corrupt[0]} 1` in Redis to allow it.") from error


def _is_number_or_missing(link: RedisClient, name: str) -> bool:
    if link.call("TYPE", name) not in (b"string", b"none"):
        return False
    value = link.call("GET", name)
    return value is None or value.isdigit()


def set_generation(
    link: RedisClient, keys: KeyFamily, generation: int, expected: RedisState, empty: bool
) -> int | None:
    """Set a new generation, and empty the family if ``empty``; returns the latest version.

    Returns None, and changes nothing, if generation or watermark are not the ``expected`` ones. After the client's
    deadline it changes nothing.
    """
    other_keys = [key for key in keys.all_keys if key not in (keys.gen, keys.seq, keys.watermark)]
    args = (generation, link.deadline_ms(keys.gen), int(empty), expected.generation or "", expected.watermark or "")
    sequence = int(link.run(_script("set_generation"), [keys.gen, keys.seq, keys.watermark, *other_keys], args))
    return None if sequence < 0 else sequence


def fence_generation(link: RedisClient, keys: KeyFamily, generation: int) -> None:
    """Block reads and writes: an existing family gets a ``generation`` that SQL gives to no row. Its data stays."""
    link.run(_script("fence_generation"), [keys.gen], [generation])


def unlink_keys(link: RedisClient, keys: KeyFamily, generation: int, others: Iterable[str]) -> None:
    """Delete further keys that belong to the family. Raises ``StaleGeneration``."""
    with raise_if_stale():
        link.run(_script("unlink_keys"), [keys.gen, *others], [generation])


def raise_sequence(link: RedisClient, keys: KeyFamily, generation: int, highest: int) -> None:
    """Raise the version counter above ``highest``, SQL's latest, and above every version of earlier generations.

    Old Redis files that come back must not hold newer versions. Raises ``StaleGeneration``.
    """
    above = max(highest, generation << VERSION_BITS)
    with raise_if_stale():
        link.run(_script("raise_sequence"), [keys.gen, keys.seq], [generation, link.deadline_ms(keys.gen), above])


def clear_dirty(link: RedisClient, keys: KeyFamily, generation: int, marks: Iterable[tuple[str, Argument]]) -> int:
    """Remove the dirty marks that did not change since they were read; returns how many marks are left.

    ``marks`` are pairs of field and version. Raises ``StaleGeneration``.
    """
    args: list[Argument] = [generation]
    for field, mark in marks:
        args += (field, mark)
    with raise_if_stale():
        return int(link.run(_script("clear_dirty"), [keys.gen, keys.dirty], args))
