"""Giving a period that Redis decides over what SQL has and its memory lacks, and taking away whom SQL has erased."""

from collections.abc import Callable, Collection, Iterator
from typing import Any

from django.db.models import CharField, Max, Value
from django.db.models.functions import Cast, Concat

from foundation import redis
from foundation.failpoints import failpoint
from foundation.models import DeadLetter
from leaderboards.models import Period, Standing, State
from leaderboards.services.mirror import DEAD
from leaderboards.services.players import ERASED
from leaderboards.stores.sql_writes import state_of
from leaderboards.stores.zset_settling import ALL, Restored, ZsetSettler
from leaderboards.stores.zset_writes import ENTRIES_PER_CALL, held_text, is_held

CHUNK = 5000


def restore(period: Period, above: int, go_on: Callable[[int], None]) -> None:
    """Give a redis period the rows of SQL that are newer than its memory, whose sequence is ``above`` (-1 if emptied).

    In any order, so that SQL need not sort them first. Only when all are there the sequence is lifted: cut off before,
    all are put again. And a memory that was thought gone may come back later, and must not have versions that were
    given out again meanwhile.
    """
    settler = ZsetSettler(redis.settling())
    if above >= 0:
        _take_out_erased(period, above, settler, go_on)
    newer = Standing.objects.filter(period=period, version__gt=above)
    highest = newer.aggregate(highest=Max("version"))["highest"] or 0
    columns = ("score", "member", *(("points", "fields", "at") if is_held(period) else ()))
    last = 0
    while rows := list(newer.filter(player__gt=last).order_by("player_id").values_list("player_id", *columns)[:CHUNK]):
        last = rows[-1][0]
        for start in range(0, len(rows), ENTRIES_PER_CALL):
            chunk = [_restored(period, *row) for _, *row in rows[start : start + ENTRIES_PER_CALL]]
            settler.restore(period, chunk)
            go_on(len(chunk))
            failpoint("settle.after_restored_chunk")
    settler.lift(period, highest)
    failpoint("settle.after_lift")
    if period.state != State.OPEN:
        settler.close(period)


def _restored(period: Period, score: float | None, member: str, *value: Any) -> Restored:
    """A row, and its value and time where Redis keeps them beside the score: to read them costs most."""
    if score is None:  # the member of who is not ranked is their id
        return Restored(member, None, "", "")
    held = held_text(period, state_of(*value)) if value else ""
    return Restored(period.layout.player_of(member), score, member, held)


def _take_out_erased(period: Period, above: int, settler: ZsetSettler, go_on: Callable[[int], None]) -> None:
    """Take out the erased, whose names nobody knows any more: in a memory from before an erasure, those whom SQL does
    not know in the period.

    Whatever only Redis had then, SQL was given before the name went (``services/erase.py``). A mark of a removal that
    SQL never heard of has nothing to say in any memory, and may name somebody erased.
    """
    removals = [each.player for each in settler.dirty(period, ALL)[1] if each.score is None]
    chunks = [removals[start : start + CHUNK] for start in range(0, len(removals), CHUNK)]
    number = Cast("player_id", CharField())
    erased = Standing.objects.filter(period=period, version__gt=above, score=None)
    if erased.filter(player__external_id__startswith=Concat(Value(ERASED), number)).exists():
        chunks += [each.player for each in settler.dirty(period, ALL)[1]], *_ranked(period, settler)
    for names in chunks:
        unknown = set(names) - _known_to_sql(period, names)
        settler.forget(period, sorted(unknown))
        go_on(0)


def _ranked(period: Period, settler: ZsetSettler) -> Iterator[list[str]]:
    """Everybody who has a place, some thousands at a time."""
    cursor = "0"
    while True:
        cursor, found = settler.scan(period, cursor, ENTRIES_PER_CALL)
        yield [period.layout.player_of(member) for member in found]
        if cursor == "0":
            return


def _known_to_sql(period: Period, names: Collection[str]) -> set[str]:
    """Those who have a row in the period, or were set aside because SQL refuses them."""
    rows = Standing.objects.filter(period=period, player__external_id__in=names)
    subjects = {f"{period.pk}:{name}": name for name in names}
    letters = DeadLetter.objects.filter(kind=DEAD, subject__in=subjects).values_list("subject", flat=True)
    return {*rows.values_list("player__external_id", flat=True), *(subjects[subject] for subject in letters)}
