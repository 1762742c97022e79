"""Rewards: once for each final period, from its final ranking, and never what is hidden."""

from datetime import datetime
from decimal import Decimal

import orjson
import pytest

from competitions.models import Competition, Participant, RewardGrant, RewardRun
from competitions.services.rewards import grants, reward
from competitions.services.rewards.reward import grant_due_rewards, mark_delivered
from foundation.webhooks.models import WebhookDelivery
from leaderboards.models import Board, Period, PeriodState
from leaderboards.services.periods.close import close_due, close_period
from leaderboards.services.periods.open import open_period
from tests.at_once import at_once
from tests.competitions.factories import END, HOUR
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.telling import hooks, listening, who
from tests.competitions.services.winning import finished, granted, tier
from tests.competitions.site import STORAGES, open_competition, raced
from tests.leaderboards.services.site import DAY, NOON, follow, make_board, period_of, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

LATER = NOON + 2 * DAY


def closed(board: Board, points: dict[str, int], at: datetime = NOON) -> Period:
    """A period of these points, final."""
    score(board, points, at)
    follow(period_of(board, at))
    close_due(at + DAY)
    return period_of(board, at)


@pytest.mark.parametrize("storage", STORAGES)
def test_each_final_period_is_rewarded_by_its_boards_tiers(storage: str) -> None:
    board = make_board(storage, ties="shared", decimals=1)
    for name, kind, limit, *more in (
        ("Gold", "rank", 1),
        ("Silver", "rank", 3, 2),
        ("Better half", "percent", 50),
        ("Finisher", "points", 2),
    ):
        tier(board, name=name, kind=kind, limit=Decimal(limit), from_rank=more[0] if more else 1)
    period = closed(board, {"a": 9, "b": 7, "c": 7, "d": 1})

    assert grant_due_rewards(LATER) == 9

    assert set(granted()) == {
        ("Gold", "a", 1), ("Silver", "b", 2), ("Silver", "c", 2),
        ("Better half", "a", 1), ("Better half", "b", 2), ("Better half", "c", 2),
        ("Finisher", "a", 1), ("Finisher", "b", 2), ("Finisher", "c", 2),
    }  # fmt: skip  # as a table
    assert RewardRun.objects.get().period_id == period.pk


def test_less_is_better_on_a_board_that_says_so_and_a_tier_that_comes_later_does_not_reach_back() -> None:
    board = make_board("hybrid", order="asc")
    closed(board, {"a": 1})
    score(board, {"a": 9, "b": 10, "c": 11}, NOON + DAY)
    grant_due_rewards(LATER)
    tier(board, name="Under ten", kind="points", limit=10)

    grant_due_rewards(LATER)
    assert granted() == []
    close_due(LATER + HOUR)
    grant_due_rewards(LATER + HOUR)

    assert granted() == [("Under ten", "a", 1), ("Under ten", "b", 2)]


def test_periods_that_expired_meanwhile_are_rewarded_and_what_is_granted_is_delivered_once() -> None:
    board = make_board("hybrid")
    tier(board)
    Period.objects.filter(pk=closed(board, {"a": 1}).pk).update(state=PeriodState.EXPIRED)

    assert grant_due_rewards(LATER + 60 * DAY) == 1

    grants = RewardGrant.objects.all()
    assert [mark_delivered(grants, LATER), mark_delivered(grants, LATER + HOUR)] == [1, 0]
    assert grants.get().delivered_at == LATER


def test_a_competition_is_rewarded_by_its_own_tiers_and_its_boards() -> None:
    competition = finished({"a": 9, "b": 7})
    listening()
    tier(competition.board, name="Board's gold")
    tier(competition, name="Cup")

    assert grant_due_rewards(END + DAY) == 2

    assert granted() == [("Board's gold", "a", 1), ("Cup", "a", 1)]
    assert set(RewardGrant.objects.values_list("competition", flat=True)) == {competition.pk}
    assert hooks() == [("reward.granted", f"grant-{each.pk}") for each in RewardGrant.objects.order_by("pk")]
    [_, cup] = [orjson.loads(each.body)["data"] for each in WebhookDelivery.objects.order_by("pk")]
    assert (cup["player"], cup["reward"], cup["code"], cup["rank"]) == ("a", "Cup", "cup", 1)


def test_nothing_is_granted_while_the_result_is_hidden_nor_for_the_copy_of_the_freeze() -> None:
    competition = open_competition(freeze_minutes=60)
    tier(competition)
    tier(competition.board, name="Board's gold")
    raced(competition, {"a": 9, "b": 7})
    period = open_period(competition.board, competition.window)
    Period.objects.create(  # as a freeze makes it
        board=period.board,
        label=competition.frozen_label,
        rules_json=period.rules_json,
        state=PeriodState.FINAL,
        closed_at=END,
    )
    close_period(period, END + HOUR)
    Competition.objects.update(final_at=END + HOUR, frozen_at=END - HOUR)
    assert grant_due_rewards(END + DAY) == 0
    Competition.objects.update(revealed_at=END + DAY)

    assert grant_due_rewards(END + DAY) == 2

    assert {run.period_id for run in RewardRun.objects.all()} == {period.pk}


def test_a_cancelled_competition_earns_nothing_and_of_a_final_one_the_next_take_the_place_of_the_disqualified() -> None:
    cancelled, final = finished({"a": 9}), finished({"a": 9, "b": 7, "c": 5})
    for competition in (cancelled, final):
        tier(competition, limit=2)
    Competition.objects.filter(pk=cancelled.pk).update(final_at=None, cancelled_at=END)
    Participant.objects.filter(competition=final, player=who("a")).update(disqualified_at=END + HOUR)

    grant_due_rewards(END + DAY)

    assert granted() == [("Gold", "b", 1), ("Gold", "c", 2)]
    assert set(RewardRun.objects.values_list("period__label", "grants")) == {(cancelled.label, 0), (final.label, 2)}


@pytest.mark.parametrize("step", ["reward.after_run", "reward.before_commit"])
def test_granting_again_or_at_once_or_after_one_that_died_grants_nothing_twice(
    monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(grants, "CHUNK", 1)
    listening()
    board = make_board("hybrid")
    tier(board, limit=2)
    for day in range(3):
        closed(board, {"a": 2, "b": 1}, NOON + day * DAY)
    with dying_at(reward, step):
        grant_due_rewards(LATER + 5 * DAY)
    assert (granted(), hooks(), RewardRun.objects.count()) == ([], [], 0)

    at_once([lambda: grant_due_rewards(LATER + 5 * DAY)] * 4)

    assert grant_due_rewards(LATER + 6 * DAY) == 0
    assert len(granted()) == len(hooks()) == 6
    assert list(RewardRun.objects.values_list("grants", flat=True)) == [2, 2, 2]
