"""Where Redis decides: restore from SQL the standings of single players that Redis has lost.

A removed player has a dirty mark until SQL has the removal. So a standing that is missing without a mark was lost. The
trap: a removal may be mirrored, and its mark removed, after SQL was read and before the script runs. Therefore the row
is locked, which the mirror waits for, and the script's deadline is before PostgreSQL would end the idle transaction.
"""

from collections.abc import Collection, Sequence

from django.db import transaction
from django.db.models import Q, QuerySet

from foundation.failpoints import failpoint
from foundation.models import DeadLetter
from foundation.redis import client as redis
from foundation.sync import barrier
from leaderboards.models import Part, Standing
from leaderboards.services.sync.mirror import DEAD_LETTER_KIND, DROPPED
from leaderboards.stores.redis.stored_states import stored_state_text
from leaderboards.stores.redis.sync import RestoreRow, ZsetSync
from leaderboards.stores.redis.writes import ENTRIES_PER_CALL
from leaderboards.stores.sql.writes import state_of


def restore_lost(part: Part, names: Sequence[str], repair: bool) -> dict[str, Standing]:
    """Return the standings, by player, that SQL ranks and Redis has lost; restore them if ``repair``.

    Raises ``StaleGeneration``, and what the client raises.
    """
    lost: dict[str, Standing] = {}
    for start in range(0, len(names), ENTRIES_PER_CALL):
        lost |= _restore_chunk(part, names[start : start + ENTRIES_PER_CALL], repair)
    return lost


@transaction.atomic
def _restore_chunk(part: Part, names: Sequence[str], repair: bool) -> dict[str, Standing]:
    link = redis.boards()
    barrier.hold_shared(part.period_id)
    deadline = link.deadline_ms(part.family.gen)
    ranked = {row.player.external_id: row for row in _lock_rows(part, names).filter(score__isnull=False)}
    removed = _removed_in_redis(part, ranked)
    rows = {name: row for name, row in ranked.items() if name not in removed}
    failpoint("put_back.after_read")
    restore_rows = [_to_restore_row(part, name, row) for name, row in rows.items()]
    return {name: rows[name] for name in ZsetSync(link).restore_lost(part, restore_rows, repair, deadline)}


@transaction.atomic
def reassign_member(part: Part, name: str, member: str, repair: bool) -> float | None:
    """Return the score of a member whose player has no member in Redis, else None.

    If ``repair``, the player gets the member, and the mirror copies it. Only for players with a row in the period: the
    mirror created it, and an erased player has none under the old name. Raises as ``restore_lost`` does.
    """
    link = redis.boards()
    barrier.hold_shared(part.period_id)
    deadline = link.deadline_ms(part.family.gen)
    if not _lock_rows(part, [name]):
        return None
    return ZsetSync(link).reassign_member(part, name, member, repair, deadline)


def _lock_rows(part: Part, names: Collection[str]) -> "QuerySet[Standing]":
    """Lock the players' rows; those that are locked already are left to the next run."""
    rows = Standing.objects.filter(period=part.period_id, player__external_id__in=names).select_related("player")
    return rows.select_for_update(of=("self",), skip_locked=True).order_by("player_id")


def _removed_in_redis(part: Part, rows: dict[str, Standing]) -> set[str]:
    """Return the players whose removal is an open or dropped dead letter: removed in Redis, but refused by SQL."""
    removals = DeadLetter.objects.filter(
        Q(resolved_at=None) | Q(resolution=DROPPED), kind=DEAD_LETTER_KIND, payload__score=None
    )
    subjects = [f"{part.period_id}:{name}" for name in rows]
    payloads = removals.filter(subject__in=subjects).values_list("payload", flat=True)
    return {each["player"] for each in payloads if each["version"] > rows[each["player"]].version}


def _to_restore_row(part: Part, name: str, row: Standing) -> RestoreRow:
    stored_state = stored_state_text(part, state_of(row.points, row.fields, row.at))
    return RestoreRow(name, row.score, row.member, stored_state)
