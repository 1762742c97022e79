"""Beats: a number at each primary, which every process that reads from replicas counts up twice a second.

A replica that answers with a beat has everything that its primary had when that beat was written, because Redis
replicates in order. Who wrote it, or one before it, knows by the own monotonic clock how long ago that is at most. No
clock of a server is read, so none of them can be set wrong.

Numbers are compared within a series only. A new one begins with each other identity of the primary, and when the key
was lost: then numbers begin anew, and a replica may have greater ones that are older.
"""

import secrets
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from foundation.redis import lua
from foundation.redis.commands import IDENTITY_ARG, Argument
from foundation.redis.slots import slot_of

KEPT_MS = 60_000  # a site that reads from no replica any more leaves no key behind
script = lua.load(Path(__file__).parent / "scripts" / "beat.lua")


class Beat(NamedTuple):
    """A number within a series, and the identity of the primary where it was counted (``info.identity_of``)."""

    number: int
    series: str
    identity: str


@lru_cache(maxsize=1024)
def key_in(slot: int | None) -> str:
    """The name of the beat in a slot of a cluster; None for a server without slots."""
    number = 0
    while slot is not None and slot_of(_name(number)) != slot:
        number += 1
    return _name(number)


def _name(number: int) -> str:
    return f"{{beat:{number}}}:number"


def writing(key: str) -> tuple[Argument, ...]:
    """The command that writes the next beat and answers with it."""
    return ("EVAL", script.text, 1, key, IDENTITY_ARG, secrets.token_hex(8), KEPT_MS)


def read_beat(value: Any) -> Beat | None:
    """Read the value of a beat's key; None if there is none."""
    if not isinstance(value, bytes):
        return None
    number, *names = value.decode(errors="replace").split(" ")
    return Beat(int(number), *names) if number.isdecimal() and len(names) == 2 and all(names) else None
