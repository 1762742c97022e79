"""Write rank alerts: each snapshot is compared once with the one before it.

The notices, their mails and webhooks, and the snapshot's mark are one transaction. Alerts are written only in the last
hours before the freeze or the end: snapshots after the freeze may hold hidden scores (docs/decisions/0015).
"""

from datetime import datetime, timedelta

from django.db import transaction

from competitions.core.rank_alerts import LOWEST_ALERT_RANK, RankSnapshot, highest_wanted, rank_alerts
from competitions.models import Competition, Notice, Snapshot, SnapshotRow
from competitions.selectors.notices.preferences import preference_of
from competitions.services.notices import notices
from foundation.failpoints import failpoint
from foundation.webhooks.outbox import enqueue_all, event_id
from foundation.worker.each import for_each

Ranks = dict[int, int]


def compare_due_snapshots(at: datetime) -> int:
    """Compare every snapshot that was not compared yet; returns how many notices were written."""
    due = Snapshot.objects.filter(compared_at=None).order_by("due_at", "pk")
    return sum(for_each(due.only("pk"), lambda snapshot: compare(snapshot.pk, at)))


@transaction.atomic
def compare(number: int, at: datetime) -> int:
    """Compare the snapshot of this number, if not done yet; returns how many notices were written."""
    rows = Snapshot.objects.select_for_update(of=("self",)).select_related("competition").defer("competition__picture")
    snapshot = rows.filter(pk=number, compared_at=None).first()
    if snapshot is None:
        return 0  # another run was faster
    alerts = _notices(snapshot) if _has_alerts(snapshot, at) else []
    notices.write_notices(alerts, at)
    for kind in sorted({notice.kind for notice in alerts}):
        told = [notice for notice in alerts if notice.kind == kind]
        payloads = {event_id(f"notice-{each.pk}", each.created_at): _payload(each, snapshot) for each in told}
        enqueue_all(f"rank.{kind}", payloads, at)
    snapshot.compared_at = at
    snapshot.save(update_fields=["compared_at"])
    failpoint("compare.before_commit")
    return len(alerts)


def _has_alerts(snapshot: Snapshot, at: datetime) -> bool:
    """Whether alerts are written for it: in the last hours, not cancelled, and public."""
    competition = snapshot.competition
    if competition.cancelled_at is not None or _is_hidden(snapshot, at):
        return False
    alerts_from = competition.ends_at - timedelta(hours=competition.alert_hours)
    return alerts_from < snapshot.due_at <= competition.ends_at


def _is_hidden(snapshot: Snapshot, at: datetime) -> bool:
    """Whether it may hold a score from after the freeze, even if that is revealed by now.

    A snapshot that is due at the time of the freeze is the frozen copy, which is public.
    """
    competition = snapshot.competition
    if competition.frozen_at is None:
        return competition.is_hidden(at)
    return snapshot.taken_at >= competition.frozen_at and snapshot.due_at != competition.frozen_at


def _notices(snapshot: Snapshot) -> list[Notice]:
    """Return a notice for each player with an alert that they want; none for a first snapshot."""
    competition = snapshot.competition
    earlier = Snapshot.objects.filter(competition=competition, due_at__lt=snapshot.due_at)
    before = earlier.order_by("due_at").last()
    if before is None:
        return []
    old_ranks, new_ranks = _read_ranks(before, snapshot)
    alerts = dict(rank_alerts(RankSnapshot(old_ranks, before.total), RankSnapshot(new_ranks, snapshot.total)))
    written = []
    for player in notices.notifiable_players(competition).filter(pk__in=alerts):
        wanted = set(competition.alerts).difference(preference_of(player).muted)
        if kind := highest_wanted(alerts[player.pk], wanted):
            place = {"rank": new_ranks.get(player.pk), "previous_rank": old_ranks.get(player.pk)}
            written.append(Notice(competition=competition, player=player, kind=kind, snapshot=snapshot, **place))
    return written


def _read_ranks(before: Snapshot, after: Snapshot) -> tuple[Ranks, Ranks]:
    """Read player → rank in both snapshots, of the players that ``RankSnapshot`` needs: those within the alert ranks in
    either, and the best of those below in both."""
    rows = SnapshotRow.objects.filter(snapshot__in=(before, after))
    high = rows.filter(player__in=rows.filter(rank__lte=LOWEST_ALERT_RANK).values("player")) | rows.filter(
        player__in=[*_best_below(before, after), *_best_below(after, before)]
    )
    ranks: tuple[Ranks, Ranks] = ({}, {})
    for snapshot, player, rank in high.values_list("snapshot_id", "player_id", "rank"):
        ranks[snapshot == after.pk][player] = rank
    return ranks


def _best_below(one: Snapshot, other: Snapshot) -> list[int]:
    """Return the best player in ``one`` of those below ``LOWEST_ALERT_RANK`` in both snapshots, or an empty list.

    If any player below was overtaken, or overtook a player who fell, this one was or did too.
    """
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
        # A system that sends push messages can wait until then.
        "quiet_until": notice.held_until,
    }
