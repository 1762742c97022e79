"""Beats: a key at each primary with its time and identity, which the worker writes four times a second.

A replica that answers with a beat has everything that its primary had at that time, because Redis replicates in order.
So readers know how old a replica's answer is at most, by the primary's own clock, whatever happened in between.
"""

import logging
import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from foundation.errors import Unavailable
from foundation.redis import lua
from foundation.redis.commands import IDENTITY_ARG
from foundation.redis.slots import slot_of
from foundation.sunwi_settings import sunwi_settings

if TYPE_CHECKING:
    from foundation.redis.client import RedisClient

logger = logging.getLogger(__name__)

EVERY_SECONDS = 0.25
KEPT_MS = 60_000  # a site that reads from no replica any more leaves no key behind
script = lua.load(Path(__file__).parent / "scripts" / "beat.lua")


class Beat(NamedTuple):
    """The time of a primary (ms since 1970, by its own clock), and its identity (``info.identity_of``)."""

    at_ms: int
    identity: str


@lru_cache(maxsize=1024)
def key_in(slot: int | None) -> str:
    """The name of the beat in a slot of a cluster; None for a server without slots."""
    number = 0
    while slot is not None and slot_of(_name(number)) != slot:
        number += 1
    return _name(number)


def _name(number: int) -> str:
    return f"{{beat:{number}}}:at"


def read_beat(value: Any) -> Beat | None:
    """Read the value of a beat's key; None if there is none."""
    if not isinstance(value, bytes):
        return None
    at_ms, _, identity = value.decode(errors="replace").partition(" ")
    return Beat(int(at_ms), identity) if at_ms.isdecimal() and identity else None


def write_beats(client: "RedisClient") -> int:
    """Write the beat of each primary that this client trusts and that answers; return of how many."""
    written = 0
    try:
        for server, key in client.beat_keys():
            try:
                server.run(script, [key], [IDENTITY_ARG, KEPT_MS])
                written += 1
            except Unavailable as error:
                logger.debug("no beat for %s: %s", server.label, error.detail)
    except Unavailable as error:
        logger.debug("no beats: %s", error.detail)
    return written


def listen() -> None:
    """Write beats when a worker is ready, and until it ends. Calling it twice has no effect."""
    from celery.signals import worker_ready, worker_shutting_down

    worker_ready.connect(_start, dispatch_uid="beats")
    worker_shutting_down.connect(_stop, dispatch_uid="beats")


_is_over = threading.Event()


def _start(**_: Any) -> None:
    if sunwi_settings.REPLICA_STALENESS:
        threading.Thread(target=_write_until_over, name="beats", daemon=True).start()


def _stop(**_: Any) -> None:
    _is_over.set()


def _write_until_over() -> None:
    from django.db import connections

    from foundation.redis import client as redis

    while not _is_over.wait(EVERY_SECONDS):
        try:
            write_beats(redis.boards())
        except Exception:  # the thread must outlive whatever a call meets; readers ask the primary meanwhile
            logger.exception("beats could not be written; the next ones are tried")
        finally:
            connections.close_all()  # SQL is asked only for a server that is new
