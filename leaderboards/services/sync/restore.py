"""Restore in Redis what it lacks of a family that it decides, and remove players that SQL has erased."""

from collections.abc import Callable, Collection, Iterator
from typing import Any

from django.db.models import CharField, Max, Value
from django.db.models.functions import Cast, Concat

from foundation.failpoints import failpoint
from foundation.models import DeadLetter
from foundation.redis import client as redis
from leaderboards.core.erased_ids import ERASED_PREFIX
from leaderboards.models import Part, Period, PeriodState, Standing, standings_of
from leaderboards.services.sync.mirror import DEAD_LETTER_KIND
from leaderboards.stores.redis.stored_states import stored_state_text, stores_state
from leaderboards.stores.redis.sync import ALL, RestoreRow, ZsetSync
from leaderboards.stores.redis.writes import ENTRIES_PER_CALL
from leaderboards.stores.sql.writes import state_of

CHUNK = 5000


def restore(part: Part, above: int, on_progress: Callable[[int], None]) -> None:
    """Restore the rows of SQL with a version above ``above``, Redis's version counter (-1 if it was emptied).

    The rows come in the order of players, so that SQL need not sort them by version. The counter is raised at the end:
    an interrupted restore begins again. It is raised above all versions of earlier generations, since old Redis files
    may come back.
    """
    store = ZsetSync(redis.resync_client())
    if above >= 0:
        _remove_erased(part, above, store, on_progress)
    newer = standings_of(part).filter(version__gt=above)
    highest = newer.aggregate(highest=Max("version"))["highest"] or 0
    columns = ("score", "member", *(("points", "fields", "at") if stores_state(part) else ()))
    last = 0
    while rows := list(newer.filter(player__gt=last).order_by("player_id").values_list("player_id", *columns)[:CHUNK]):
        last = rows[-1][0]
        for start in range(0, len(rows), ENTRIES_PER_CALL):
            chunk = [_to_restore_row(part, *row) for _, *row in rows[start : start + ENTRIES_PER_CALL]]
            store.restore(part, chunk)
            on_progress(len(chunk))
            failpoint("settle.after_restored_chunk")
    store.raise_sequence(part, highest)
    failpoint("settle.after_lift")
    if part.state != PeriodState.OPEN:
        store.close(part)


def _to_restore_row(part: Part, score: float | None, member: str, *value: Any) -> RestoreRow:
    """Build a row; ``value`` is points, fields and time, read only if Redis stores them, since that costs most."""
    if score is None:  # the member of an unranked player is the player's id
        return RestoreRow(member, None, "", "")
    stored_state = stored_state_text(part, state_of(*value)) if value else ""
    return RestoreRow(part.layout.player_of(member), score, member, stored_state)


def _remove_erased(part: Part, above: int, store: ZsetSync, on_progress: Callable[[int], None]) -> None:
    """Remove erased players, whose old names are not known any more.

    If Redis's memory is older than an erasure, players that SQL does not know in the period are removed; what only
    Redis had was mirrored before the name was erased (``services/players/erase.py``). Dirty marks of removals that SQL
    does not know are always removed: they may name an erased player.
    """
    removals = [each.player for each in store.dirty(part, ALL)[1] if each.score is None]
    chunks = [removals[start : start + CHUNK] for start in range(0, len(removals), CHUNK)]
    number = Cast("player_id", CharField())
    newer_removals = Standing.objects.filter(period=part.period_id, score=None)
    if isinstance(part, Period):  # erased players are in another partition, whose versions are others
        newer_removals = newer_removals.filter(version__gt=above)
    if newer_removals.filter(player__external_id__startswith=Concat(Value(ERASED_PREFIX), number)).exists():
        chunks += [each.player for each in store.dirty(part, ALL)[1]], *_ranked_players(part, store)
    for names in chunks:
        unknown = set(names) - _known_to_sql(part, names)
        store.remove_unknown(part, sorted(unknown))
        on_progress(0)


def _ranked_players(part: Part, store: ZsetSync) -> Iterator[list[str]]:
    cursor = "0"
    while True:
        cursor, scores = store.scan(part, cursor, ENTRIES_PER_CALL)
        yield [part.layout.player_of(member) for member in scores]
        if cursor == "0":
            return


def _known_to_sql(part: Part, names: Collection[str]) -> set[str]:
    """Return the players with a row in the period or a dead letter."""
    rows = Standing.objects.filter(period=part.period_id, player__external_id__in=names)
    subjects = {f"{part.period_id}:{name}": name for name in names}
    letters = DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, subject__in=subjects).values_list("subject", flat=True)
    return {*rows.values_list("player__external_id", flat=True), *(subjects[subject] for subject in letters)}
