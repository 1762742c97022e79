"""Score ranges follow their board: what they answer, deaths of a worker at every step, and cutting anew."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import timedelta
from itertools import count
from typing import Any
from unittest.mock import patch

import pytest

from foundation import clock
from leaderboards import selectors
from leaderboards.core.range_steps import Command, filling
from leaderboards.models import Board, ScoreRanges
from leaderboards.selectors.rankings.lagging import reading_older
from leaderboards.services.sync import score_ranges
from leaderboards.services.sync.score_ranges import follow
from leaderboards.stores.redis.score_ranges import RangeStore
from tests.leaderboards.services.divided import POINTS, expected, shown
from tests.leaderboards.services.ranges import (
    cutting_anew,
    followed,
    in_partitions,
    in_ranges,
    of_ranges,
    opened,
    ranges_alone,
)
from tests.leaderboards.services.site import NOON, WHO_DECIDES, period_of, redis_client, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


class Died(BaseException):
    """The end of a worker: nothing catches it."""


@pytest.fixture(autouse=True)
def at_noon() -> Iterator[None]:
    with clock.freeze_at(NOON):
        yield


@WHO_DECIDES
def test_ranges_answer_what_the_partitions_would(storage: str) -> None:
    board, _ = opened(storage)

    with ranges_alone():
        assert shown(board) == (expected(POINTS), True)
        assert selectors.player_row(board, "p7", period_of(board).label).row.rank == 34
    assert in_ranges(board) == in_partitions(board)


@WHO_DECIDES
def test_a_score_that_was_acknowledged_is_read_from_the_partitions_until_the_ranges_have_it(storage: str) -> None:
    board, _ = opened(storage)
    score(board, {"p1": 99})

    with pytest.raises(AssertionError, match="partitions were asked"):
        of_ranges(board)
    assert shown(board)[0]["p1"] == 1
    followed(board)
    assert of_ranges(board)[0] == "p1"


@WHO_DECIDES
def test_who_takes_an_old_answer_gets_it_with_its_age_and_others_never_do(storage: str) -> None:
    board, period = opened(storage)
    score(board, {"p1": 99})

    with clock.freeze_at(NOON + timedelta(seconds=3)):
        with reading_older(5), ranges_alone():
            old = selectors.standings(board, period.label, 0, 3)
        with reading_older(2):
            too_old = selectors.standings(board, period.label, 0, 3)
        fresh = selectors.standings(board, period.label, 0, 3)

    assert [row.player for row in old.rows] == ["p40", "p39", "p38"]
    assert old.as_of == NOON
    assert [row.player for row in too_old.rows] == [row.player for row in fresh.rows] == ["p1", "p40", "p39"]
    assert fresh.as_of == too_old.as_of == NOON + timedelta(seconds=3)


def test_who_has_moved_since_is_not_shown_at_a_place_that_is_another_s_by_then() -> None:
    board, period = opened("redis")
    score(board, {"p1": 99})

    with reading_older(5):
        mine = selectors.player_row(board, "p1", period.label)

    assert (mine.row.rank, mine.row.points) == (1, 99)


@WHO_DECIDES
@pytest.mark.parametrize("cuts", [True, False], ids=["while it cuts", "while it follows"])
def test_a_worker_may_die_before_or_after_any_round_of_any_run(storage: str, cuts: bool) -> None:
    board, _ = opened(storage)
    points = dict(POINTS)
    for nth in count():
        points |= {f"p{1 + nth % 40}": 100 + nth, f"new{nth}": nth}
        score(board, {name: points[name] for name in (f"p{1 + nth % 40}", f"new{nth}")})
        with cutting_anew() if cuts else nullcontext(), dying_at(nth // 2, is_late=bool(nth % 2)) as died:
            while not died and run_of_a_mortal(board):
                pass
        ScoreRanges.objects.update(lease_expires_at=None)  # as when its time is over
        again = {f"new{nth}": 2000 + nth, "p40": 1000 + nth}  # whom ranges may have where nobody has heard of it
        score(board, again)
        points |= again

        followed(board)

        assert in_ranges(board) == in_partitions(board)
        assert in_partitions(board).keys() == points.keys()
        if not died:
            break
    assert nth >= (20 if cuts else 10)


def run_of_a_mortal(board: Board) -> bool:
    """Whether there is more to do: new ranges are being filled."""
    with suppress(Died):
        follow(period_of(board), NOON)
    return bool(ScoreRanges.objects.get().next_epoch)


@contextmanager
def dying_at(round_: int, is_late: bool) -> Iterator[list[int]]:
    """The worker dies at a round: before it was sent, or when it was executed and nobody hears of that."""
    rounds, died = count(), list[int]()
    exchange = RangeStore._exchange

    def mortal(store: RangeStore, commands: Sequence[Command]) -> list[Any]:
        if died or next(rounds) != round_:
            return exchange(store, commands)
        died.append(round_)
        if is_late:
            exchange(store, commands)
        raise Died

    with patch.object(RangeStore, "_exchange", mortal):
        yield died


@WHO_DECIDES
def test_a_range_that_grows_hot_is_cut_anew_while_it_is_read(storage: str) -> None:
    board, _ = opened(storage, {f"p{nth}": nth for nth in range(200)})
    crowd = {f"q{nth}": 1000 + nth for nth in range(200)}
    score(board, crowd)
    before = ScoreRanges.objects.get(period=period_of(board))
    ScoreRanges.objects.update(cut_at=NOON - timedelta(minutes=2))

    followed(board)  # it sees that the best range has more than half of all players, and chooses cuts
    assert ScoreRanges.objects.get(pk=before.pk).next_epoch
    with ranges_alone():
        assert len(of_ranges(board)) == 100
    followed(board)

    after = ScoreRanges.objects.get(pk=before.pk)
    assert after.epoch != before.epoch
    assert not after.next_epoch
    with redis_client() as client:
        parts = period_of(board).parts
        assert max(client.zcard(part.family.range(after.slot)) for part in parts) <= 110
        assert not any(client.exists(part.family.range(before.slot)) for part in parts)
    assert in_ranges(board) == in_partitions(board)


@WHO_DECIDES
def test_ranges_that_are_cut_anew_follow_who_moves_meanwhile(storage: str) -> None:
    board, _ = opened(storage)
    scores = count(100)

    def with_moves(*args: Any) -> Any:
        yield from ()
        nth = next(scores)
        score(board, {"p1": nth, f"p{nth % 40 + 1}": nth})
        return (yield from filling(*args))

    with cutting_anew(), patch.object(score_ranges, "filling", with_moves):
        for _ in range(3):
            follow(period_of(board), NOON)

    followed(board)
    assert next(scores) >= 104
    assert in_ranges(board) == in_partitions(board)


def test_cuts_rest_for_a_minute() -> None:
    board, _ = opened("redis")
    epoch = ScoreRanges.objects.get().epoch

    with patch.object(score_ranges, "is_hot", return_value=True):
        for _ in range(3):
            follow(period_of(board), NOON + timedelta(seconds=59))

    assert ScoreRanges.objects.get().epoch == epoch


def test_ranges_that_were_replaced_are_not_read_by_who_knows_them_of_before() -> None:
    board, _ = opened("redis")
    assert of_ranges(board)[0] == "p40"
    with cutting_anew():
        for _ in range(2):
            follow(period_of(board), NOON)
    score(board, {"p1": 99})
    assert follow(period_of(board), NOON)

    assert shown(board)[0]["p1"] == 1
