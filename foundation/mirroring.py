"""How SQL follows what Redis decides over, whatever that is: each by itself, in chunks, with a sign of life.

What a chunk is, and why copying it twice does no harm, is the business of who mirrors.
"""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from foundation import clock
from foundation.errors import Unavailable
from foundation.models import Heartbeat

logger = logging.getLogger(__name__)

Mirrored = TypeVar("Mirrored")


def mirror_each(each: Iterable[Mirrored], mirror: Callable[[Mirrored], int], sign: str) -> int:
    """Mirror each; returns how many rows were copied. A run that missed nothing gives the ``sign`` of life.

    Where Redis is away the dirty marks stay, and the next run goes on.
    """
    copied, missed = 0, False
    for one in each:
        try:
            copied += mirror(one)
        except Unavailable as error:
            missed = True
            logger.warning("%s is not mirrored now: %s", one, error.detail)
    if not missed:
        Heartbeat.note(sign, clock.now())
    return copied


def until_clean(copy_chunk: Callable[[], tuple[int, int]]) -> int:
    """Copy chunks; returns how many rows that were. ``copy_chunk`` says how many it copied, and how many were left.

    It ends with a chunk that left nothing behind, not when nothing is dirty: under steady load that never comes.
    """
    copied = 0
    while True:
        found, left = copy_chunk()
        copied += found
        if not found or not left:
            return copied
