"""The demo's competitions: what a first start makes, what a later one leaves alone and what it makes anew."""

from datetime import UTC, datetime, timedelta

import pytest

from competitions.core.lifecycle import Phase
from competitions.models import Comment, Competition, Participant, RewardGrant, Snapshot, SnapshotRow
from competitions.selectors.inbox import inbox
from competitions.services.join import leave
from competitions.services.notify import compare_due
from competitions.services.reward import grant_due
from config.local import competitions as demo
from config.local.seed import make_boards
from leaderboards.models import Board, Player, Submission
from likes.models import Like

pytestmark = pytest.mark.django_db

AT = datetime.now(UTC)


def start(at: datetime = AT) -> None:
    make_boards()
    assert demo.make_competitions(at) == []


def phases_of(name: str, at: datetime = AT) -> list[Phase]:
    return [each.phase(at) for each in Competition.objects.filter(name=name).order_by("starts_at")]


def rows() -> list[int]:
    return [model.objects.count() for model in (Competition, Participant, Submission, Snapshot, SnapshotRow)]


def robin() -> Player:
    return Player.objects.get(external_id="robin")


def test_one_is_over_one_runs_and_one_is_to_come() -> None:
    start()

    assert phases_of("Monthly league final") == [Phase.FINAL]
    assert phases_of("Workout among friends") == [Phase.RUNNING]
    assert phases_of("Weekend tournament") == [Phase.OPEN]
    assert all(each.participants.exists() for each in Competition.objects.all())


def test_the_player_with_a_login_has_passed_others_and_may_join_one() -> None:
    start()

    compare_due(AT)

    assert {"top10_entered", "first_taken"} <= {notice.kind for notice in inbox(robin())}
    assert not robin().participations.filter(competition__name="Weekend tournament").exists()


def test_people_have_talked_and_liked_once() -> None:
    start()
    before = (Comment.objects.count(), Like.objects.count())

    start(AT + timedelta(hours=1))

    assert before == (Comment.objects.count(), Like.objects.count())
    assert before[0] == 2 * len(demo.SAID)
    assert before[1] == 2 * sum(likes for _, likes in demo.SAID)
    assert not Comment.objects.filter(player=robin()).exists()


def test_the_one_that_is_over_is_rewarded() -> None:
    start()

    grant_due(AT)

    assert set(RewardGrant.objects.values_list("code", flat=True)) == {"medal-gold", "medal-silver", "badge-quarter"}


def test_another_start_changes_nothing() -> None:
    start()
    before = rows()

    start(AT + timedelta(hours=1))

    assert rows() == before


def test_a_start_that_was_cut_off_is_taken_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_off(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(demo, "take", cut_off)
        with pytest.raises(KeyboardInterrupt):
            start()

    start()

    scored = sum(len(demo.make_racers(AT)) * plan.rounds - plan.rounds // 4 for plan in demo.PLANS)
    assert Submission.objects.count() == scored
    assert phases_of("Monthly league final") == [Phase.FINAL]


def test_what_has_ended_or_begun_since_is_made_anew() -> None:
    later = AT + timedelta(days=3)
    start()

    start(later)

    assert phases_of("Workout among friends", later) == [Phase.CLOSING, Phase.RUNNING]
    assert phases_of("Weekend tournament", later) == [Phase.RUNNING, Phase.OPEN]


def test_who_has_left_is_not_brought_back() -> None:
    start()
    running = Competition.objects.get(name="Workout among friends")
    leave(running, robin(), AT)

    start()

    assert not running.participants.filter(Participant.TAKING_PART, player=robin()).exists()


def test_a_retired_board_is_said() -> None:
    make_boards()
    Board.objects.filter(name=demo.BOARD).update(retired_at=AT)

    refused = demo.make_competitions(AT)

    assert refused == ["No competitions: the board Workout is retired."]
