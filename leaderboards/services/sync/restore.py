"""Giving a period that Redis decides over what SQL has and its memory lacks, and taking away whom SQL has erased."""

from collections.abc import Callable, Collection, Iterator
from typing import Any

from django.db.models import CharField, Max, Value
from django.db.models.functions import Cast, Concat

from foundation.failpoints import failpoint
from foundation.models import DeadLetter
from foundation.redis import client as redis
from leaderboards.models import Period, PeriodState, Standing
from leaderboards.services.players.profiles import ERASED_PREFIX
from leaderboards.services.sync.mirror import DEAD_LETTER_KIND
from leaderboards.stores.redis.sync import ALL, RestoreRow, ZsetSync
from leaderboards.stores.redis.writes import ENTRIES_PER_CALL, stored_state_text, stores_state
from leaderboards.stores.sql.writes import state_of

CHUNK = 5000


def restore(period: Period, above: int, on_progress: Callable[[int], None]) -> None:
    """Give a redis period the rows of SQL that are newer than its memory, whose sequence is ``above`` (-1 if emptied).

    In any order, so that SQL need not sort them first. Only when all are there the sequence is lifted: cut off before,
    all are put again. And a memory that was thought gone may come back later, and must not have versions that were
    given out again meanwhile.
    """
    settler = ZsetSync(redis.resync_client())
    if above >= 0:
        _take_out_erased(period, above, settler, on_progress)
    newer = Standing.objects.filter(period=period, version__gt=above)
    highest = newer.aggregate(highest=Max("version"))["highest"] or 0
    columns = ("score", "member", *(("points", "fields", "at") if stores_state(period) else ()))
    last = 0
    while rows := list(newer.filter(player__gt=last).order_by("player_id").values_list("player_id", *columns)[:CHUNK]):
        last = rows[-1][0]
        for start in range(0, len(rows), ENTRIES_PER_CALL):
            chunk = [_restored(period, *row) for _, *row in rows[start : start + ENTRIES_PER_CALL]]
            settler.restore(period, chunk)
            on_progress(len(chunk))
            failpoint("settle.after_restored_chunk")
    settler.raise_sequence(period, highest)
    failpoint("settle.after_lift")
    if period.state != PeriodState.OPEN:
        settler.close(period)


def _restored(period: Period, score: float | None, member: str, *value: Any) -> RestoreRow:
    """A row, and its value and time where Redis keeps them beside the score: to read them costs most."""
    if score is None:  # the member of who is not ranked is their id
        return RestoreRow(member, None, "", "")
    held = stored_state_text(period, state_of(*value)) if value else ""
    return RestoreRow(period.layout.player_of(member), score, member, held)


def _take_out_erased(period: Period, above: int, settler: ZsetSync, on_progress: Callable[[int], None]) -> None:
    """Take out the erased, whose names nobody knows any more: in a memory from before an erasure, those whom SQL does
    not know in the period.

    Whatever only Redis had then, SQL was given before the name went (``services/players/erase.py``). A mark of a
    removal that SQL never heard of has nothing to say in any memory, and may name somebody erased.
    """
    removals = [each.player for each in settler.dirty(period, ALL)[1] if each.score is None]
    chunks = [removals[start : start + CHUNK] for start in range(0, len(removals), CHUNK)]
    number = Cast("player_id", CharField())
    erased = Standing.objects.filter(period=period, version__gt=above, score=None)
    if erased.filter(player__external_id__startswith=Concat(Value(ERASED_PREFIX), number)).exists():
        chunks += [each.player for each in settler.dirty(period, ALL)[1]], *_ranked(period, settler)
    for names in chunks:
        unknown = set(names) - _known_to_sql(period, names)
        settler.remove_unknown(period, sorted(unknown))
        on_progress(0)


def _ranked(period: Period, settler: ZsetSync) -> Iterator[list[str]]:
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
    letters = DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, subject__in=subjects).values_list("subject", flat=True)
    return {*rows.values_list("player__external_id", flat=True), *(subjects[subject] for subject in letters)}
