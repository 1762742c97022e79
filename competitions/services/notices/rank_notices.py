"""Telling players what they passed: each snapshot is compared, once, with the one before it.

The notices, their mails and webhooks and the mark of the snapshot are one transaction. Only the last hours are told,
up to the freeze or else the end: what may hold a hidden score came after the freeze (docs/decisions/0015).
"""

from datetime import datetime, timedelta

from django.db import transaction

from competitions.core.rank_alerts import LOWEST_ALERT_RANK, RankSnapshot, highest_wanted, rank_alerts
from competitions.models import Competition, Notice, Snapshot, SnapshotRow
from competitions.selectors.notices.preferences import preference_of
from competitions.services.notices import notices
from foundation.failpoints import failpoint
from foundation.webhooks.outbox import enqueue_all
from foundation.worker.each import for_each

Ranks = dict[int, int]


def compare_due_snapshots(at: datetime) -> int:
    """Compare every snapshot that nobody has; returns how many notices were written."""
    due = Snapshot.objects.filter(compared_at=None).order_by("due_at", "pk")
    return sum(for_each(due.only("pk"), lambda snapshot: compare(snapshot.pk, at)))


@transaction.atomic
def compare(number: int, at: datetime) -> int:
    """Compare the snapshot of this number if nobody has; returns how many notices were written."""
    rows = Snapshot.objects.select_for_update(of=("self",)).select_related("competition").defer("competition__picture")
    snapshot = rows.filter(pk=number, compared_at=None).first()
    if snapshot is None:
        return 0  # another run was here
    told = _notices(snapshot) if _is_told(snapshot, at) else []
    notices.write_notices(told, at)
    for kind in sorted({notice.kind for notice in told}):  # where thousands share a place, thousands may have taken it
        payloads = {f"notice-{each.pk}": _payload(each, snapshot) for each in told if each.kind == kind}
        enqueue_all(f"rank.{kind}", payloads, at)
    snapshot.compared_at = at
    snapshot.save(update_fields=["compared_at"])
    failpoint("compare.before_commit")
    return len(told)


def _is_told(snapshot: Snapshot, at: datetime) -> bool:
    """Whether anybody is told of it: in the last hours, not cancelled, and of what the public saw."""
    competition = snapshot.competition
    if competition.cancelled_at is not None or _is_hidden(snapshot, at):
        return False
    told_from = competition.ends_at - timedelta(hours=competition.alert_hours)
    return told_from < snapshot.due_at <= competition.ends_at


def _is_hidden(snapshot: Snapshot, at: datetime) -> bool:
    """Whether it may hold a score that came after the freeze, be it revealed by now: the result notice tells of that.

    What is due as it froze is the public copy.
    """
    competition = snapshot.competition
    if competition.frozen_at is None:
        return competition.is_hidden(at)
    return snapshot.taken_at >= competition.frozen_at and snapshot.due_at != competition.frozen_at


def _notices(snapshot: Snapshot) -> list[Notice]:
    """One for each player who passed something that they want to hear of; none for a first snapshot."""
    competition = snapshot.competition
    earlier = Snapshot.objects.filter(competition=competition, due_at__lt=snapshot.due_at)
    before = earlier.order_by("due_at").last()
    if before is None:
        return []
    was, now = _ranks(before, snapshot)
    passed = dict(rank_alerts(RankSnapshot(was, before.total), RankSnapshot(now, snapshot.total)))
    told = []
    for player in notices.notifiable_players(competition).filter(pk__in=passed):
        wanted = set(competition.alerts).difference(preference_of(player).muted)
        if kind := highest_wanted(passed[player.pk], wanted):
            place = {"rank": now.get(player.pk), "previous_rank": was.get(player.pk)}
            told.append(Notice(competition=competition, player=player, kind=kind, snapshot=snapshot, **place))
    return told


def _ranks(before: Snapshot, after: Snapshot) -> tuple[Ranks, Ranks]:
    """Player → rank in both, for those who are high enough in one of them to have passed anything, and for those below
    them who tell whether anybody below was passed."""
    rows = SnapshotRow.objects.filter(snapshot__in=(before, after))
    high = rows.filter(player__in=rows.filter(rank__lte=LOWEST_ALERT_RANK).values("player")) | rows.filter(
        player__in=[*_best_below(before, after), *_best_below(after, before)]
    )
    ranks: tuple[Ranks, Ranks] = ({}, {})
    for snapshot, player, rank in high.values_list("snapshot_id", "player_id", "rank"):
        ranks[snapshot == after.pk][player] = rank
    return ranks


def _best_below(one: Snapshot, other: Snapshot) -> list[int]:
    """The best in ``one`` of those who stand below ``LOWEST_ALERT_RANK`` in both: if anybody below was passed, or is
    ahead of
    somebody who fell, it is this one too. Nobody where there is none."""
    below = SnapshotRow.objects.filter(rank__gt=LOWEST_ALERT_RANK)
    both = below.filter(snapshot=one, player__in=below.filter(snapshot=other).values("player"))
    return list(both.order_by("rank").values_list("player_id", flat=True)[:1])


def _payload(notice: Notice, snapshot: Snapshot) -> dict[str, object]:
    competition: Competition = notice.competition
    return {
        "notice": notice.pk,
        "competition": {"id": competition.pk, "name": competition.name},
        "player": notice.player.external_id,
        "rank": notice.rank,
        "previous_rank": notice.previous_rank,
        "seen_at": snapshot.taken_at,
        # So that a system that rings a phone can wait too.
        "quiet_until": notice.held_until,
    }
