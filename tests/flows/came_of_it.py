"""What a competition came to, as its rows say: told by a child, in texts and numbers."""

from typing import Any

from competitions.models import (
    Change,
    Competition,
    Notice,
    Participant,
    Preference,
    RewardGrant,
    RewardRun,
    Snapshot,
    SnapshotRow,
)
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
    period = Period.objects.select_related("board").get(board=cup.board, label=cup.label)
    finals = FinalStanding.objects.filter(period=period).order_by("place")
    counted = Submission.objects.filter(period=period)
    grants = RewardGrant.objects.filter(competition=cup)
    return {
        "ends_at": cup.ends_at.timestamp(),
        "frozen_at": cup.frozen_at.timestamp() if cup.frozen_at else None,
        "gone": list(
            Participant.objects.filter(~Participant.TAKING_PART, competition=cup).values_list(
                "player__external_id", flat=True
            )
        ),
        "final": list(finals.values_list("player__external_id", "rank")),
        "submissions": [
            [row.external_id, row.player.external_id, row.points, row.at.timestamp()]
            for row in counted.select_related("player")
        ],
        "snapshots": [_snapshot(each) for each in Snapshot.objects.filter(competition=cup)],
        "notices": [_notice(each) for each in Notice.objects.filter(competition=cup).select_related("player")],
        "grants": list(grants.values_list("pk", "name", "player__external_id", "rank")),
        "changes": list(Change.objects.filter(competition=cup).values_list("pk", "kind")),
        "never_asleep": list(Preference.objects.filter(quiet_until=0).values_list("player__external_id", flat=True)),
        "participants": Participant.objects.filter(competition=cup).count(),
    }


def _snapshot(snapshot: Snapshot) -> dict[str, Any]:
    places = SnapshotRow.objects.filter(snapshot=snapshot)
    return {
        "number": snapshot.pk,
        "due_at": snapshot.due_at.timestamp(),
        "compared_at": snapshot.compared_at.timestamp() if snapshot.compared_at else None,
        "ranks": dict(places.values_list("player__external_id", "rank")),
    }


def _notice(notice: Notice) -> dict[str, Any]:
    return {
        "number": notice.pk,
        "player": notice.player.external_id,
        "kind": notice.kind,
        "snapshot": notice.snapshot_id,
        "change": notice.change_id,
        "created_at": notice.created_at.timestamp(),
        "merged_into": notice.merged_into_id,
        "dropped": notice.dropped_at is not None,
    }
