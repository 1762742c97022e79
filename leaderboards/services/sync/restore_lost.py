"""Where Redis decides: giving back from SQL what Redis lost of single players, without a trace of a removal.

Whoever is taken out has a dirty mark until SQL has followed, so silence tells of a loss: of a member, a field, a key.
The trap: a removal may be mirrored, and its mark go, between a look at SQL and the script. The row is locked meanwhile,
which the mirror waits for, and the script has a deadline that ends before PostgreSQL would end a lock that rests.
"""

from collections.abc import Collection, Sequence

from django.db import transaction
from django.db.models import Q, QuerySet

from foundation.failpoints import failpoint
from foundation.models import DeadLetter
from foundation.redis import client as redis
from foundation.sync import barrier
from leaderboards.models import Period, Standing
from leaderboards.services.sync.mirror import DEAD_LETTER_KIND, DROPPED
from leaderboards.stores.redis.sync import RestoreRow, ZsetSync
from leaderboards.stores.redis.writes import ENTRIES_PER_CALL, stored_state_text
from leaderboards.stores.sql.writes import state_of


def restore_lost(period: Period, names: Sequence[str], repair: bool) -> dict[str, Standing]:
    """Those of the players whom SQL ranks and Redis lost, by name; put back unless ``repair`` is False.

    Raises ``StaleGeneration``, and what the link raises.
    """
    lost: dict[str, Standing] = {}
    for start in range(0, len(names), ENTRIES_PER_CALL):
        lost |= _put_back(period, names[start : start + ENTRIES_PER_CALL], repair)
    return lost


@transaction.atomic
def _put_back(period: Period, names: Sequence[str], repair: bool) -> dict[str, Standing]:
    link = redis.boards()
    barrier.hold_shared(period.pk)
    deadline = link.deadline_ms()
    ranked = {row.player.external_id: row for row in _locked(period, names).filter(score__isnull=False)}
    told_to_go = _told_to_go(period, ranked)
    rows = {name: row for name, row in ranked.items() if name not in told_to_go}
    failpoint("put_back.after_read")
    wanted = [_restored(period, name, row) for name, row in rows.items()]
    return {name: rows[name] for name in ZsetSync(link).restore_lost(period, wanted, repair, deadline)}


@transaction.atomic
def reassign_member(period: Period, name: str, member: str, repair: bool) -> float | None:
    """The score of a member that is there while its player has none; None where that is not so. It is theirs again
    unless ``repair`` is False, and the mirror copies it.

    Only for whom SQL has a row in the period: the mirror made it, and who was erased has none by their old name.
    Raises as ``restore_lost`` does.
    """
    link = redis.boards()
    barrier.hold_shared(period.pk)
    deadline = link.deadline_ms()
    if not _locked(period, [name]):
        return None
    return ZsetSync(link).reassign_member(period, name, member, repair, deadline)


def _locked(period: Period, names: Collection[str]) -> "QuerySet[Standing]":
    """Their rows, but for those that somebody is writing at this moment: the next run looks at these."""
    rows = Standing.objects.filter(period=period, player__external_id__in=names).select_related("player")
    return rows.select_for_update(of=("self",), skip_locked=True).order_by("player_id")


def _told_to_go(period: Period, rows: dict[str, Standing]) -> set[str]:
    """Those whose removal is set aside, or was given up: SQL refuses it, but Redis was told."""
    aside = DeadLetter.objects.filter(
        Q(resolved_at=None) | Q(resolution=DROPPED), kind=DEAD_LETTER_KIND, payload__score=None
    )
    letters = aside.filter(subject__in=[f"{period.pk}:{name}" for name in rows]).values_list("payload", flat=True)
    return {each["player"] for each in letters if each["version"] > rows[each["player"]].version}


def _restored(period: Period, name: str, row: Standing) -> RestoreRow:
    held = stored_state_text(period, state_of(row.points, row.fields, row.at))
    return RestoreRow(name, row.score, row.member, held)
