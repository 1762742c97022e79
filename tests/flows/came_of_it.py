"""What a competition came to, as its rows say: told by a child, in texts and numbers."""

from typing import Any

from competitions.models import Change, Competition, Notice, Participant, Preference, RewardGrant, RewardRun, Snapshot
from foundation.webhooks.models import WebhookDelivery
from leaderboards.models import FinalStanding, Period, Submission


def left_to_do(competition: int) -> str:
    """What somebody still has to do, or nothing."""
    cup = Competition.objects.get(pk=competition)
    waits = {
        "the end": cup.revealed_at is None,
        "the rewards": not RewardRun.objects.filter(period__label=cup.label).exists(),
        "a comparison": Snapshot.objects.filter(compared_at=None).exists(),
        "who is held": Notice.objects.filter(held_until__isnull=False).exists(),
        "a message": WebhookDelivery.objects.filter(delivered_at=None).exists(),
    }
    return ", ".join(name for name, still in waits.items() if still)


def rows(competition: int) -> dict[str, Any]:
    """Everything that a naive computation needs, and what it is compared with."""
    cup = Competition.objects.select_related("board").get(pk=competition)
    period = Period.objects.get(board=cup.board, label=cup.label)
    finals = FinalStanding.objects.filter(period=period).order_by("place")
    gone = Participant.objects.filter(~Participant.TAKING_PART, competition=cup)
    grants = RewardGrant.objects.filter(competition=cup)
    never_asleep = Preference.objects.filter(quiet_until=0)
    return {
        "ends_at": cup.ends_at.timestamp(),
        "gone": list(gone.values_list("player__external_id", flat=True)),
        "final": list(finals.values_list("player__external_id", "rank")),
        "submissions": [
            [row.external_id, row.player.external_id, row.points, row.at.timestamp()]
            for row in Submission.objects.filter(period=period).select_related("player")
        ],
        "snapshots": [
            {
                "number": snapshot.pk,
                "due_at": snapshot.due_at.timestamp(),
                "compared_at": snapshot.compared_at.timestamp() if snapshot.compared_at else None,
                "ranks": dict(snapshot.rows.values_list("player__external_id", "rank")),
            }
            for snapshot in Snapshot.objects.filter(competition=cup)
        ],
        "notices": [
            {
                "number": notice.pk,
                "player": notice.player.external_id,
                "kind": notice.kind,
                "snapshot": notice.snapshot_id,
                "created_at": notice.created_at.timestamp(),
                "dropped": notice.dropped_at is not None,
            }
            for notice in Notice.objects.filter(competition=cup).select_related("player")
        ],
        "grants": list(grants.values_list("pk", "name", "player__external_id", "rank")),
        "changes": list(Change.objects.filter(competition=cup).values_list("pk", "kind")),
        "never_asleep": list(never_asleep.values_list("player__external_id", flat=True)),
        "participants": Participant.objects.filter(competition=cup).count(),
    }
