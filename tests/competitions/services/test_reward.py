"""Rewards: once for each final period, from its final ranking, and never what is hidden."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import orjson
import pytest

from competitions.models import Competition, Participant, RewardGrant, RewardRun, RewardTier
from competitions.services import reward
from competitions.services.reward import grant_due, mark_delivered
from foundation.webhooks.models import WebhookDelivery
from leaderboards.models import Board, Period, State
from leaderboards.services.close import close_due, close_period
from leaderboards.services.open import open_period
from tests.at_once import at_once
from tests.competitions.services.telling import hooks, listening, who
from tests.competitions.site import END, HOUR, STORAGES, open_competition, raced
from tests.leaderboards.services.site import DAY, NOON, follow, make_board, period_of, score

pytestmark = pytest.mark.django_db(transaction=True)

LATER = NOON + 2 * DAY


def tier(of: Board | Competition, name: str = "Gold", kind: str = "rank", limit: str = "1", **more: Any) -> RewardTier:
    owner = {"board": of} if isinstance(of, Board) else {"competition": of}
    return RewardTier.objects.create(name=name, code=name.lower(), kind=kind, limit=Decimal(limit), **owner, **more)


def closed(board: Board, points: dict[str, int], at: datetime = NOON) -> Period:
    """A period of these points, final."""
    score(board, points, at)
    follow(period_of(board, at))
    close_due(at + DAY)
    return period_of(board, at)


def finished(points: dict[str, int], **settings: Any) -> Competition:
    """A competition that is final."""
    competition = open_competition(**settings)
    raced(competition, points)
    close_period(open_period(competition.board, competition.window), END + HOUR)
    Competition.objects.filter(pk=competition.pk).update(final_at=END + HOUR)
    return competition


def as_frozen(period: Period, label: str) -> None:
    """A final period beside this one, as a freeze makes it."""
    Period.objects.create(
        board=period.board, label=label, rules_json=period.rules_json, state=State.FINAL, closed_at=END
    )


def granted() -> list[tuple[str, str, int]]:
    rows = RewardGrant.objects.order_by("period", "rank", "pk")
    return list(rows.values_list("name", "player__external_id", "rank"))


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("ties", ["first_come", "shared"])
def test_each_final_period_is_rewarded_by_its_boards_tiers(links: None, storage: str, ties: str) -> None:
    board = make_board(storage, ties=ties, decimals=1)
    tier(board, "Gold")
    tier(board, "Silver", limit="3", from_rank=2)
    tier(board, "Better half", "percent", "50")
    tier(board, "Finisher", "points", "2")
    period = closed(board, {"a": 9, "b": 7, "c": 7, "d": 1})

    assert grant_due(LATER) == len(granted())

    second_half = 2 if ties == "first_come" else 3
    by_name = {
        name: sorted(player for reward, player, _ in granted() if reward == name)
        for name in ("Gold", "Silver", "Better half", "Finisher")
    }
    assert by_name["Gold"] == ["a"]
    assert by_name["Silver"] == ["b", "c"]
    assert len(by_name["Better half"]) == second_half
    assert by_name["Finisher"] == ["a", "b", "c"]
    assert RewardRun.objects.get().period_id == period.pk


def test_less_is_better_on_a_board_that_says_so(links: None) -> None:
    board = make_board("hybrid", order="asc")
    tier(board, "Under ten", "points", "10")
    closed(board, {"a": 9, "b": 10, "c": 11})

    grant_due(LATER)

    assert granted() == [("Under ten", "a", 1), ("Under ten", "b", 2)]


def test_an_open_period_earns_nothing_and_a_tier_that_comes_later_does_not_reach_back(links: None) -> None:
    board = make_board("hybrid")
    closed(board, {"a": 1})
    score(board, {"a": 1}, NOON + DAY)
    grant_due(LATER)
    tier(board)

    grant_due(LATER)
    assert granted() == []
    close_due(LATER + HOUR)
    grant_due(LATER + HOUR)

    assert granted() == [("Gold", "a", 1)]


def test_periods_that_went_from_final_to_expired_meanwhile_are_rewarded(links: None) -> None:
    board = make_board("hybrid")
    tier(board)
    Period.objects.filter(pk=closed(board, {"a": 1}).pk).update(state=State.EXPIRED)

    assert grant_due(LATER + 60 * DAY) == 1


def test_a_competition_is_rewarded_by_its_own_tiers_and_its_boards(links: None) -> None:
    competition = finished({"a": 9, "b": 7})
    listening()
    tier(competition.board, "Board's gold")
    tier(competition, "Cup")

    assert grant_due(END + DAY) == 2

    assert granted() == [("Board's gold", "a", 1), ("Cup", "a", 1)]
    assert set(RewardGrant.objects.values_list("competition", flat=True)) == {competition.pk}
    assert hooks() == [("reward.granted", f"grant-{each.pk}") for each in RewardGrant.objects.order_by("pk")]
    [_, cup] = [orjson.loads(each.body)["data"] for each in WebhookDelivery.objects.order_by("pk")]
    assert (cup["player"], cup["reward"], cup["code"], cup["rank"]) == ("a", "Cup", "cup", 1)


def test_nothing_is_granted_while_the_result_is_hidden_nor_for_the_copy_of_the_freeze(links: None) -> None:
    competition = open_competition(freeze_minutes=60)
    tier(competition)
    tier(competition.board, "Board's gold")
    raced(competition, {"a": 9, "b": 7})
    period = open_period(competition.board, competition.window)
    as_frozen(period, competition.frozen_label)
    close_period(period, END + HOUR)
    Competition.objects.update(final_at=END + HOUR, frozen_at=END - HOUR)
    assert grant_due(END + DAY) == 0
    Competition.objects.update(revealed_at=END + DAY)

    assert grant_due(END + DAY) == 2

    assert {run.period_id for run in RewardRun.objects.all()} == {period.pk}


def test_a_cancelled_competition_earns_nothing_whatever_its_period_came_to(links: None) -> None:
    competition = finished({"a": 9})
    tier(competition)
    Competition.objects.update(final_at=None, cancelled_at=END)

    assert grant_due(END + DAY) == 0

    assert RewardRun.objects.get().grants == 0


def test_who_was_disqualified_after_the_end_gets_nothing_and_nobody_moves_up(links: None) -> None:
    competition = finished({"a": 9, "b": 7, "c": 5})
    tier(competition, limit="2")
    Participant.objects.filter(player=who("a")).update(disqualified_at=END + HOUR)

    grant_due(END + DAY)

    assert granted() == [("Gold", "b", 2)]


def test_granting_again_or_at_once_grants_nothing_twice(links: None) -> None:
    listening()
    board = make_board("hybrid")
    tier(board, limit="2")
    for day in range(3):
        closed(board, {"a": 2, "b": 1}, NOON + day * DAY)

    at_once([lambda: grant_due(LATER + 5 * DAY)] * 4)

    assert grant_due(LATER + 6 * DAY) == 0
    assert len(granted()) == len(hooks()) == 6


@pytest.mark.parametrize("step", ["reward.after_run", "reward.before_commit"])
def test_who_dies_while_granting_leaves_nothing_and_the_next_grants_all(
    links: None, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    listening()
    board = make_board("hybrid")
    tier(board, limit="2")
    closed(board, {"a": 2, "b": 1})

    def dies(name: str) -> None:
        if name == step:
            raise SystemExit(name)

    with monkeypatch.context() as patch:
        patch.setattr(reward, "failpoint", dies)
        with pytest.raises(SystemExit):
            grant_due(LATER)
    assert (granted(), hooks(), RewardRun.objects.count()) == ([], [], 0)

    assert grant_due(LATER) == len(hooks()) == 2


def test_many_are_granted_in_chunks(links: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reward, "CHUNK", 2)
    board = make_board("hybrid")
    tier(board, kind="percent", limit="100")
    closed(board, {f"p{number}": number + 1 for number in range(5)})

    assert grant_due(LATER) == 5
    assert RewardRun.objects.get().grants == 5


def test_a_grant_is_delivered_once(links: None) -> None:
    board = make_board("hybrid")
    tier(board)
    closed(board, {"a": 1})
    grant_due(LATER)

    assert mark_delivered(RewardGrant.objects.all(), LATER) == 1
    assert mark_delivered(RewardGrant.objects.all(), LATER + HOUR) == 0

    assert RewardGrant.objects.get().delivered_at == LATER
