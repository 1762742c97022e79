"""A family of keys in Redis as settling and the mirror see it: its generation, its versions, its dirty marks.

Every script of a family opens with ``guard.lua``: under another generation than its caller's it answers ``STALE``.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from foundation import lua
from foundation.errors import Unavailable
from foundation.redis import Argument, Link, RedisRefused
from foundation.sync.keys import FamilyKeys

SCRIPTS = Path(__file__).parent / "scripts"
VERSION_BITS = 24  # of a version below its generation; both together stay exact in Lua's numbers for 2^29 generations


class Stale(Unavailable):
    """Redis has another generation of this than SQL knows: it is away for it."""


class Unreadable(Unavailable):
    """A key of a family that must hold a number holds something else: its memory cannot be judged."""


class Memory(NamedTuple):
    """What Redis remembers: generation and latest version (0 for none), and up to which transaction it had followed
    SQL (0 for none).
    """

    generation: int
    sequence: int
    followed: int = 0


def scripts_in(folder: Path) -> Callable[[str], lua.Script]:
    """Finds a script by its name: in the folder of an app, or here."""

    @cache
    def script(name: str) -> lua.Script:
        own = folder / f"{name}.lua"
        return lua.load(own if own.is_file() else SCRIPTS / own.name, SCRIPTS)

    return script


_script = scripts_in(SCRIPTS)


@contextmanager
def granted() -> Iterator[None]:
    """Around what a link is asked: what the guard refuses is ``Stale``."""
    try:
        yield
    except RedisRefused as error:
        if "STALE" in error.detail:
            raise Stale("Redis does not have the present state of this.") from error
        raise


def remembered(link: Link, keys: FamilyKeys) -> Memory:
    """What is there now, under whatever generation. Raises ``Unreadable``, and what the link raises, as all here do."""
    names = (keys.gen, keys.seq, keys.followed)
    try:
        return Memory(*(int(value or 0) for value in link.pipeline([("GET", name) for name in names])))
    except (ValueError, RedisRefused) as error:
        wrong = [name for name in names if not _is_number(link, name)]
        if not wrong:
            raise
        cannot = f"{wrong[0]} in Redis is not a number: what is remembered there cannot be judged."
        raise Unreadable(f"{cannot} `SET {wrong[0]} 1` there lets it be judged again.") from error


def _is_number(link: Link, name: str) -> bool:
    """Whether a key holds a number, or is not there."""
    if link.call("TYPE", name) not in (b"string", b"none"):
        return False
    value = link.call("GET", name)
    return value is None or value.isdigit()


def renew(link: Link, keys: FamilyKeys, generation: int, judged: Memory, empty: bool) -> int | None:
    """Write a new generation, and empty the family if asked; its latest version, None where it is not as ``judged``.

    When its caller waits no longer, it does nothing.
    """
    rest = [key for key in keys.every if key not in (keys.gen, keys.seq, keys.followed)]
    args = (generation, link.deadline_ms(), int(empty), judged.generation or "", judged.followed or "")
    sequence = int(link.run(_script("renew"), [keys.gen, keys.seq, keys.followed, *rest], args))
    return None if sequence < 0 else sequence


def estrange(link: Link, keys: FamilyKeys, generation: int) -> None:
    """Nobody reads or writes there any more: memory, if there is any, gets a ``generation`` that SQL gives nothing."""
    link.run(_script("estrange"), [keys.gen], [generation])


def drop(link: Link, keys: FamilyKeys, generation: int, others: Iterable[str]) -> None:
    """Let keys go that belong to the family and are not named in it. Raises ``Stale``."""
    with granted():
        link.run(_script("drop"), [keys.gen, *others], [generation])


def lift(link: Link, keys: FamilyKeys, generation: int, highest: int) -> None:
    """Let versions go on above ``highest``, which SQL has, and above all that earlier memories gave out: those may come
    back, and must not win. Raises ``Stale``.
    """
    above = max(highest, generation << VERSION_BITS)
    with granted():
        link.run(_script("lift"), [keys.gen, keys.seq], [generation, link.deadline_ms(), above])


def clean(link: Link, keys: FamilyKeys, generation: int, marks: Iterable[tuple[str, Argument]]) -> int:
    """Take off dirty marks that still are what was read; returns how many are left. Raises ``Stale``."""
    args: list[Argument] = [generation]
    for field, mark in marks:
        args += (field, mark)
    with granted():
        return int(link.run(_script("mirror_done"), [keys.gen, keys.dirty], args))
