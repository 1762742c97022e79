"""A family of keys in Redis as settling and the mirror see it: its generation, its versions, its dirty marks.

Every script of a family opens with ``guard.lua``: under another generation than its caller's it answers ``STALE``.
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
VERSION_BITS = 24  # of a version below its generation; both together stay exact in Lua's numbers for 2^29 generations


class StaleGeneration(Unavailable):
    """Redis has another generation of this than SQL knows: it is away for it."""


class CorruptRedisKey(Unavailable):
    """A key of a family that must hold a number holds something else: its memory cannot be judged."""


class RedisState(NamedTuple):
    """What Redis remembers: generation and latest version (0 for none), and up to which transaction it had followed
    SQL (0 for none).
    """

    generation: int
    sequence: int
    watermark: int = 0


def script_loader(folder: Path) -> Callable[[str], lua.Script]:
    """Finds a script by its name: in the folder of an app, or here."""

    @cache
    def script(name: str) -> lua.Script:
        own = folder / f"{name}.lua"
        return lua.load(own if own.is_file() else SCRIPTS / own.name, SCRIPTS)

    return script


_script = script_loader(SCRIPTS)


@contextmanager
def raise_if_stale() -> Iterator[None]:
    """Around what a link is asked: what the guard refuses is ``StaleGeneration``."""
    try:
        yield
    except RedisRefused as error:
        if "STALE" in error.detail:
            raise StaleGeneration("Redis does not have the present state of this.") from error
        raise


def read_redis_state(link: RedisClient, keys: KeyFamily) -> RedisState:
    """What is there now, under whatever generation. Raises ``CorruptRedisKey``, and what the link raises, as all here
    do."""
    names = (keys.gen, keys.seq, keys.watermark)
    try:
        return RedisState(*(int(value or 0) for value in link.pipeline([("GET", name) for name in names])))
    except (ValueError, RedisRefused) as error:
        wrong = [name for name in names if not _is_number(link, name)]
        if not wrong:
            raise
        cannot = f"{wrong[0]} in Redis is not a number: what is remembered there cannot be judged."
        raise CorruptRedisKey(f"{cannot} `SET {wrong[0]} 1` there lets it be judged again.") from error


def _is_number(link: RedisClient, name: str) -> bool:
    """Whether a key holds a number, or is not there."""
    if link.call("TYPE", name) not in (b"string", b"none"):
        return False
    value = link.call("GET", name)
    return value is None or value.isdigit()


def set_generation(link: RedisClient, keys: KeyFamily, generation: int, judged: RedisState, empty: bool) -> int | None:
    """Write a new generation, and empty the family if asked; its latest version, None where it is not as ``judged``.

    When its caller waits no longer, it does nothing.
    """
    rest = [key for key in keys.all_keys if key not in (keys.gen, keys.seq, keys.watermark)]
    args = (generation, link.deadline_ms(), int(empty), judged.generation or "", judged.watermark or "")
    sequence = int(link.run(_script("set_generation"), [keys.gen, keys.seq, keys.watermark, *rest], args))
    return None if sequence < 0 else sequence


def fence_generation(link: RedisClient, keys: KeyFamily, generation: int) -> None:
    """Nobody reads or writes there any more: memory, if there is any, gets a ``generation`` that SQL gives nothing."""
    link.run(_script("fence_generation"), [keys.gen], [generation])


def unlink_keys(link: RedisClient, keys: KeyFamily, generation: int, others: Iterable[str]) -> None:
    """Let keys go that belong to the family and are not named in it. Raises ``StaleGeneration``."""
    with raise_if_stale():
        link.run(_script("unlink_keys"), [keys.gen, *others], [generation])


def raise_sequence(link: RedisClient, keys: KeyFamily, generation: int, highest: int) -> None:
    """Let versions go on above ``highest``, which SQL has, and above all that earlier memories gave out: those may come
    back, and must not win. Raises ``StaleGeneration``.
    """
    above = max(highest, generation << VERSION_BITS)
    with raise_if_stale():
        link.run(_script("raise_sequence"), [keys.gen, keys.seq], [generation, link.deadline_ms(), above])


def clear_dirty(link: RedisClient, keys: KeyFamily, generation: int, marks: Iterable[tuple[str, Argument]]) -> int:
    """Take off dirty marks that still are what was read; returns how many are left. Raises ``StaleGeneration``."""
    args: list[Argument] = [generation]
    for field, mark in marks:
        args += (field, mark)
    with raise_if_stale():
        return int(link.run(_script("clear_dirty"), [keys.gen, keys.dirty], args))
