"""Histograms of periods with many players: the very counts of the ranking, and nobody who is hidden."""

from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_django import Settings

from foundation import clock
from foundation.redis import client as redis
from leaderboards import selectors
from leaderboards.core.ranking.histogram import Histogram
from leaderboards.errors import NotRanked
from leaderboards.models import PeriodHistogram, PeriodState
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.periods import histograms
from leaderboards.stores.redis.reads import ZsetStore
from leaderboards.stores.sql.histograms import count_histogram, has_players
from tests.leaderboards.services.periods.histogramming import FEW, POINTS, filled, oracle, taken, told
from tests.leaderboards.services.restricting import keep_out, let_back
from tests.leaderboards.services.sending import send
from tests.leaderboards.services.site import NOON, crowd, make_board, score


@pytest.fixture(autouse=True)
def _many_is_few_and_counting_takes_no_time(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.HISTOGRAM_PLAYERS = FEW
    monkeypatch.setattr(histograms, "clock", SimpleNamespace(monotonic=lambda: 0.0))


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
@pytest.mark.parametrize("ties", ["first_come", "shared", "dense"])
@pytest.mark.parametrize("order", ["desc", "asc"])
def test_it_has_the_counts_of_the_ranking_and_percentiles_are_those_of_the_ranks(
    storage: str, ties: str, order: str
) -> None:
    board = make_board(storage, ties=ties, order=order)
    period = crowd(board, POINTS)

    assert taken() == 1

    row = PeriodHistogram.objects.get(period=period)
    assert (row.read(), row.taken_at, row.tried_at) == (oracle(period), NOON, NOON)
    for player in POINTS:
        quick, exact = told(board, player), told(board, player, exact=True)
        assert (quick.is_exact, quick.total, quick.as_of, quick.live) == (False, 8, NOON, True)
        assert exact.is_exact
        assert exact.percentile is not None
        assert exact.percentile.error == 0
        assert quick.percentile is not None
        if ties == "first_come":
            assert quick.percentile.top - quick.percentile.error <= exact.percentile.top <= quick.percentile.top
        else:
            assert quick.percentile == exact.percentile


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
@pytest.mark.parametrize("criteria", [False, True])
def test_redis_and_sql_count_the_same_whatever_the_scores_are(storage: str, criteria: bool) -> None:
    ends = (0, 1, 2**30, 2**31 - 1)
    fields = [{"name": name, "max": ends[-1], "order": order} for name, order in (("stage", "desc"), ("left", "asc"))]
    settings: dict[str, Any] = {"criteria": fields} if criteria else {}
    board = make_board(storage, ties="shared", **settings)
    for nth, (stage, left) in enumerate(product(ends, ends)):
        raw = {"fields": {"stage": stage, "left": left}} if criteria else {"points": stage}
        send(board, {"player": f"p{nth}", **raw})
    period = crowd(board, {})

    in_redis = ZsetStore(redis.boards()).histogram(period)

    assert in_redis == count_histogram(period, 1000) == oracle(period)
    assert (in_redis.total, len(in_redis.edges)) == (16, 16 if criteria else 4)
    assert Histogram.from_bytes(in_redis.to_bytes()) == in_redis


def test_of_many_players_a_thousandth_lies_between_two_edges() -> None:
    board = make_board("sql", ties="shared")
    period = filled(board, 3000)

    found = count_histogram(period, 10_000)

    assert found is not None
    assert found == oracle(period)
    assert (found.total, found.widest_gap, len(found.edges)) == (3000, 2, 1001)
    assert [has_players(period, least) for least in (1, 3000, 3001)] == [True, True, False]


def test_few_players_need_none_and_are_answered_exactly(settings: Settings) -> None:
    settings.HISTOGRAM_PLAYERS = len(POINTS) + 1
    boards = [make_board(storage, name=storage) for storage in ("hybrid", "redis", "sql")]
    for board in boards:
        crowd(board, POINTS)

    assert taken() == 0

    for board in boards:
        found = told(board, "gil")
        assert (found.is_exact, found.percentile) == (True, (12.5, 100.0, 0.0))
    settings.HISTOGRAM_PLAYERS = len(POINTS)
    assert taken() == 3
    settings.HISTOGRAM_PLAYERS = 0
    assert (taken(), PeriodHistogram.objects.count()) == (0, 0)


def test_hidden_players_are_not_counted_and_not_told_anything(settings: Settings) -> None:
    settings.HISTOGRAM_PLAYERS = 3
    for how, storage in (("hidden", "hybrid"), ("shadowed", "sql"), ("banned everywhere", "redis")):
        board = make_board(storage, name=how, ties="shared")
        period = crowd(board, {f"{name}{how[0]}": points for name, points in POINTS.items()})
        keep_out(how, board, f"gil{how[0]}", f"bob{how[0]}")
        clear_hidden_cache()

        assert taken() == 1

        found = PeriodHistogram.objects.get(period=period).read()
        assert (found.total, found.bounds(max(edge.score for edge in found.edges)).least_below) == (6, 6)
        quick, exact = told(board, f"ann{how[0]}"), told(board, f"ann{how[0]}", exact=True)
        assert quick.percentile == exact.percentile == (33.4, 60.0, 0.0)
        with pytest.raises(NotRanked):
            told(board, f"gil{how[0]}")
    let_back()


def test_scores_after_it_was_taken_are_judged_by_it_and_who_is_not_ranked_is_not() -> None:
    board = make_board("hybrid", ties="shared")
    period = crowd(board, POINTS)
    taken()

    score(board, {"dan": 50, "new": 200})

    assert told(board, "dan").percentile == (25.0, 100.0, 0.0)  # with 50 among the eight, one of whom was dan
    assert told(board, "new").percentile == (12.5, 100.0, 0.0)
    assert told(board, "new").total == 8
    with pytest.raises(NotRanked):
        told(board, "nobody")
    assert told(board, "new", exact=True).percentile == (11.2, 100.0, 0.0)
    assert period.state == PeriodState.OPEN


def test_a_distribution_comes_from_it_and_says_so() -> None:
    board = make_board("sql", ties="shared")
    filled(board, 3000)
    with clock.freeze_at(NOON):
        exact = selectors.distribution(board)
        taken()
        quick = selectors.distribution(board)
        again = selectors.distribution(board, exact=True)

    assert exact.error is None
    assert (again.histogram, again.percentiles) == (exact.histogram, exact.percentiles)
    assert (quick.total, quick.as_of, quick.error, quick.live) == (3000, NOON, 0.1, True)
    assert quick.percentiles == exact.percentiles
    assert [(each.from_, each.to) for each in quick.histogram] == [(each.from_, each.to) for each in exact.histogram]
    assert sum(each.count for each in quick.histogram) == 3000
    for one, other in zip(quick.histogram, exact.histogram, strict=True):
        assert abs(one.count - other.count) <= 2 * 2  # a gap at each end
