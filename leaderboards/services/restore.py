"""Giving a period that Redis decides over what SQL has and its memory lacks."""

from collections.abc import Callable
from itertools import islice
from typing import Any

from foundation import redis
from foundation.failpoints import failpoint
from leaderboards.models import Period, Standing, State
from leaderboards.stores.sql_writes import state_of
from leaderboards.stores.zset_settling import Restored, ZsetSettler
from leaderboards.stores.zset_writes import ENTRIES_PER_CALL, held_text, is_held

CHUNK = 5000


def restore(period: Period, above: int, go_on: Callable[[int], None]) -> None:
    """Give a redis period the rows of SQL that are newer than its memory.

    By version: cut off anywhere, the sequence says how far it came. Only then is it lifted: a memory that was
    thought gone may come back later, and must not have versions that were given out again meanwhile.
    """
    settler = ZsetSettler(redis.settling())
    columns = ("version", "score", "member", *(("points", "fields", "at") if is_held(period) else ()))
    rows = Standing.objects.filter(period=period, version__gt=above).order_by("version", "pk").values_list(*columns)
    found = rows.iterator(chunk_size=CHUNK)
    while chunk := list(islice(found, ENTRIES_PER_CALL)):
        settler.restore(period, [_restored(period, *row) for row in chunk])
        go_on(len(chunk))
        failpoint("settle.after_restored_chunk")
    settler.lift(period)
    failpoint("settle.after_lift")
    if period.state != State.OPEN:
        settler.close(period)


def _restored(period: Period, version: int, score: float | None, member: str, *value: Any) -> Restored:
    """A row, and its value and time where Redis keeps them beside the score: to read them costs most."""
    if score is None:  # the member of who is not ranked is their id
        return Restored(member, version, None, "", "")
    held = held_text(period, state_of(*value)) if value else ""
    return Restored(period.layout.player_of(member), version, score, member, held)
