"""What a competition came to, as its rows say: told by a child, in texts and numbers."""

from typing import Any

from competitions.models import Change, Competition, Notice, Participant, Preference, RewardGrant, RewardRun, Snapshot
from foundation.webhooks.models import WebhookDelivery
from leaderboards.models import Period, Standing, Submission
from leaderboards.selectors.exports.period_rows import visible_final_ranking


def is_done(competition: int) -> bool:
    cup = Competition.objects.get(pk=competition)
    rewarded = RewardRun.objects.filter(period__label=cup.label, unsettled_at=None).exists()
    waiting = (
        RewardGrant.objects.filter(told_at=None),
        Snapshot.objects.filter(compared_at=None),
        Notice.objects.filter(held_until__isnull=False),
        WebhookDelivery.objects.filter(delivered_at=None),
    )
    return cup.revealed_at is not None and rewarded and not any(rows.exists() for rows in waiting)


def rows(competition: int) -> dict[str, Any]:
    cup = Competition.objects.select_related("board").get(pk=competition)
    period = Period.objects.get(board=cup.board, label=cup.label)
    gone = Participant.objects.filter(~Participant.TAKING_PART, competition=cup)
    grants = RewardGrant.objects.filter(competition=cup)
    never_asleep = Preference.objects.filter(quiet_until=0)
    return {
        "ends_at": cup.ends_at.timestamp(),
        "gone": list(gone.values_list("player__external_id", flat=True)),
        "final": [(row.player, rank) for rank, row in visible_final_ranking(period)],
        "submissions": [
            [row.external_id, row.player.external_id, row.points, row.at.timestamp()]
            for row in Submission.objects.filter(period=period).select_related("player")
        ],
        "snapshots": [
            {
                "number": each.pk, "due_at": each.due_at.timestamp(),
                "compared_at": each.compared_at.timestamp() if each.compared_at else None,
                "ranks": dict(each.rows.values_list("player__external_id", "rank")),
            }
            for each in Snapshot.objects.filter(competition=cup)
        ],
        "notices": [
            {
                "number": each.pk, "player": each.player.external_id, "kind": each.kind, "snapshot": each.snapshot_id,
                "created_at": each.created_at.timestamp(), "dropped": each.dropped_at is not None,
            }
            for each in Notice.objects.filter(competition=cup).select_related("player")
        ],
        "period": period.pk,
        "grants": list(grants.values_list("pk", "name", "player__external_id", "rank")),
        "changes": list(Change.objects.filter(competition=cup).values_list("pk", "kind")),
        "never_asleep": list(never_asleep.values_list("player__external_id", flat=True)),
        "in_sql": list(Standing.objects.filter(period__board__storage="redis").values_list("points", flat=True)),
        "participants": Participant.objects.filter(competition=cup).count(),
    }  # fmt: skip  # as a table
