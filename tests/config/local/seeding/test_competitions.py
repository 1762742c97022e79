"""The demo's competitions: what a first start makes, what a later one leaves alone and what it makes anew."""

from datetime import UTC, datetime, timedelta

import pytest

from competitions.core.lifecycle import Phase
from competitions.models import Comment, Competition, Participant, RewardGrant, Snapshot, SnapshotRow
from competitions.selectors.notices.inbox import inbox
from competitions.services.notices.rank_notices import compare_due_snapshots
from competitions.services.participants.join import leave
from competitions.services.rewards.reward import grant_due_rewards
from config.local.seeding import competitions as demo
from config.local.seeding.seed import make_boards
from leaderboards.models import Board, Player, Submission
from likes.models import Like

pytestmark = pytest.mark.django_db

AT = datetime.now(UTC)
OVER, RUNS, TO_COME = "Monthly league final", "Workout among friends", "Weekend tournament"


def start(at: datetime = AT) -> None:
    make_boards()
    assert demo.make_competitions(at) == []


def phases(at: datetime = AT) -> dict[str, list[Phase]]:
    """By name, in the order of starting."""
    found: dict[str, list[Phase]] = {OVER: [], RUNS: [], TO_COME: []}
    for each in Competition.objects.order_by("starts_at"):
        found[each.name].append(each.phase(at))
    return found


def grouped_by_name(name: str) -> tuple[int, int]:
    """In how many teams and divisions somebody takes part."""
    rows = Participant.objects.filter(competition__name=name).order_by()
    teams, divisions = (set(rows.values_list(group, flat=True)) - {None} for group in ("team", "division"))
    return len(teams), len(divisions)


@pytest.mark.long
def test_a_first_start_makes_one_that_is_over_one_that_runs_and_one_to_come_and_a_later_one_leaves_them_alone() -> None:
    start()
    robin = Player.objects.get(external_id="robin")  # who has a login
    compare_due_snapshots(AT)
    grant_due_rewards(AT)

    assert phases() == {OVER: [Phase.FINAL], RUNS: [Phase.RUNNING], TO_COME: [Phase.OPEN]}
    assert all(each.participants.exists() for each in Competition.objects.all())
    assert "top10_entered" in {notice.kind for notice in inbox(robin)}
    assert not robin.participations.filter(competition__name=TO_COME).exists()
    assert set(RewardGrant.objects.values_list("code", flat=True)) == {"medal-gold", "medal-silver", "badge-quarter"}
    assert Comment.objects.count() == 2 * len(demo.COMMENTS)
    assert Like.objects.count() == 2 * sum(likes for _, likes in demo.COMMENTS)
    assert not Comment.objects.filter(player=robin).exists()
    assert grouped_by_name(RUNS) == (5, 3)
    assert grouped_by_name(TO_COME) == (3, 0)

    leave(Competition.objects.get(name=RUNS), robin, AT)
    models = (Competition, Participant, Submission, Snapshot, SnapshotRow, Comment, Like)
    before = [model.objects.count() for model in models]

    start(AT + timedelta(hours=1))

    assert [model.objects.count() for model in models] == before
    assert not robin.participations.filter(Participant.TAKING_PART, competition__name=RUNS).exists()

    later = AT + timedelta(days=3)
    start(later)

    assert phases(later) == {
        OVER: [Phase.FINAL],
        RUNS: [Phase.CLOSING, Phase.RUNNING],
        TO_COME: [Phase.RUNNING, Phase.OPEN],
    }


def test_a_retired_board_is_said() -> None:
    make_boards()
    Board.objects.filter(name=demo.BOARD).update(retired_at=AT)

    assert demo.make_competitions(AT) == ["No competitions: the board Workout is retired."]
