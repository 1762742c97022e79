"""Histograms of periods with many players: the very counts of the ranking, once a minute, and nobody who is hidden."""

from bisect import bisect_left, bisect_right
from datetime import datetime, timedelta
from itertools import product
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection
from pytest_django import Settings

from foundation import clock
from foundation.redis import client as redis
from leaderboards import selectors
from leaderboards.core.ranking.histogram import Edge, Histogram, places_of_edges
from leaderboards.errors import NotRanked
from leaderboards.models import Board, Period, PeriodHistogram, PeriodState, Player, Standing
from leaderboards.selectors import PlayerPercentile
from leaderboards.selectors.rankings.histograms import clear_histogram_cache, histogram_of
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.periods import histograms
from leaderboards.services.periods.close import close_period
from leaderboards.services.periods.histograms import take_due_histograms, take_histogram
from leaderboards.stores.redis.reads import ZsetStore
from leaderboards.stores.sql.histograms import count_histogram, has_players
from tests.at_once import at_once
from tests.leaderboards.services.restricting import keep_out, let_back
from tests.leaderboards.services.sending import send
from tests.leaderboards.services.site import DAY, NOON, crowd, in_sql, make_board, period_of, redis_away, score

MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
FEW = 5
# Three on 7, two on 0, and a lonely best one.
POINTS = {"ann": 7, "bob": 7, "cleo": 7, "dan": 0, "eve": 0, "finn": 3, "gil": 100, "hana": 12}


@pytest.fixture(autouse=True)
def _many_is_few_and_counting_takes_no_time(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.HISTOGRAM_PLAYERS = FEW
    monkeypatch.setattr(histograms, "clock", SimpleNamespace(monotonic=lambda: 0.0))


def taken(at: datetime = NOON) -> int:
    clear_histogram_cache()
    return take_due_histograms(at, 20)


def told(board: Board, player: str, at: datetime = NOON, *, exact: bool = False) -> PlayerPercentile:
    """What a reader is told at a time."""
    with clock.freeze_at(at):
        return selectors.player_percentile(board, player, exact=exact)


def oracle(period: Period) -> Histogram:
    ordered = sorted(in_sql(period).values())
    edges = {ordered[place] for place in places_of_edges(len(ordered), period.rules.order)}
    below = {score: bisect_left(ordered, score) for score in edges}
    return Histogram.of(
        len(ordered), [Edge(score, below[score], bisect_right(ordered, score) - below[score]) for score in edges]
    )


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


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_while_redis_is_away_the_last_one_answers_and_grows_older_until_it_is_of_no_use(storage: str) -> None:
    board = make_board(storage, ties="shared")
    crowd(board, POINTS)
    taken()

    with redis_away():
        assert taken(NOON + MINUTE) == 0
        late = told(board, "hana", NOON + 9 * MINUTE)
        useless = told(board, "hana", NOON + 11 * MINUTE)

    assert (late.percentile, late.as_of, late.live) == ((25.0, 85.7, 0.0), NOON, False)
    assert (useless.is_exact, useless.percentile, useless.live) == (True, (25.0, 85.7, 0.0), False)
    assert PeriodHistogram.objects.get().taken_at == NOON


def test_a_stale_period_keeps_its_last_one() -> None:
    period = crowd(make_board("hybrid"), POINTS)
    taken()
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)

    assert taken(NOON + MINUTE) == 0
    assert PeriodHistogram.objects.get().taken_at == NOON


def test_it_is_taken_once_a_minute_and_what_took_long_less_often() -> None:
    period = crowd(make_board("sql"), POINTS)

    assert [taken(NOON + seconds * SECOND) for seconds in (0, 10, 50, 57, 60)] == [1, 0, 0, 1, 0]

    PeriodHistogram.objects.update(took_ms=6000)  # a twentieth of two minutes
    assert [taken(NOON + seconds * SECOND) for seconds in (117, 160, 170)] == [0, 0, 1]
    row = PeriodHistogram.objects.get(period=period)
    assert (row.taken_at, row.is_late(NOON + 7 * MINUTE), row.is_late(NOON + 8 * MINUTE)) == (
        NOON + 170 * SECOND,
        False,
        True,
    )


def test_a_late_run_does_not_replace_a_newer_one_and_two_at_once_leave_one() -> None:
    period = crowd(make_board("hybrid"), POINTS)

    assert at_once([lambda: take_histogram(Period.objects.get(pk=period.pk), NOON + MINUTE)] * 4) == [True] * 4
    take_histogram(period, NOON)

    assert PeriodHistogram.objects.get().taken_at == NOON + MINUTE


def test_where_sql_has_no_time_the_last_one_stays_and_the_next_try_is_later() -> None:
    board = make_board("sql", ties="shared")
    period = crowd(board, POINTS)
    fresh = crowd(make_board("sql", name="Fresh"), POINTS)
    take_histogram(period, NOON)

    with patch.object(histograms, "count_histogram", return_value=None):
        assert taken(NOON + MINUTE) == 0

    rows = {row.period_id: (row.taken_at, row.tried_at) for row in PeriodHistogram.objects.all()}
    assert {key: (at, tried - NOON >= MINUTE) for key, (at, tried) in rows.items()} == {
        period.pk: (NOON, True),
        fresh.pk: (None, True),
    }
    assert not told(board, "ann", NOON + MINUTE).is_exact
    assert told(fresh.board, "ann", NOON + MINUTE).is_exact


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no time-outs")
def test_postgresql_ends_a_count_that_takes_too_long() -> None:
    board = make_board("sql")
    period = filled(board, 20_000)

    assert count_histogram(period, 1) is None
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() != ("1ms",)


def test_competitions_have_none_nor_have_periods_that_have_not_begun_or_take_nothing_any_more() -> None:
    board = make_board("sql")
    period = crowd(board, POINTS)
    races = make_board("sql", name="Races", period="event")
    window = {"starts_at": NOON - DAY, "ends_at": NOON + DAY, "rules_json": races.rules.to_json()}
    race = Period.objects.create(board=races, label="c1", **window)
    Standing.objects.filter(period=period).update(period=race)
    assert taken() == 0
    Standing.objects.filter(period=race).update(period=period)

    assert taken(NOON - DAY) == 0
    assert taken() == 1
    assert histogram_of(period, NOON) is not None
    assert close_period(period, NOON + 2 * DAY).final
    period.refresh_from_db()
    assert histogram_of(period, NOON) is None
    assert told(board, "gil").is_exact  # from final ranks
    assert (taken(NOON + 2 * DAY), PeriodHistogram.objects.count()) == (0, 0)


def test_one_that_cannot_be_counted_does_not_keep_others_waiting() -> None:
    broken, whole = (crowd(make_board("sql", name=name), POINTS) for name in ("Broken", "Whole"))
    count = count_histogram

    def refuse(period: Period, timeout_ms: int) -> Histogram | None:
        if period.pk == broken.pk:
            raise ArithmeticError("a broken period")
        return count(period, timeout_ms)

    with patch.object(histograms, "count_histogram", refuse), pytest.raises(ExceptionGroup):
        taken()

    assert PeriodHistogram.objects.get().period_id == whole.pk


def test_time_that_is_up_leaves_the_others_for_the_next_run() -> None:
    for storage in ("sql", "hybrid"):
        crowd(make_board(storage), POINTS)

    assert take_due_histograms(NOON, 0) == 0
    assert PeriodHistogram.objects.count() == 0


def test_a_form_of_another_release_is_not_shown() -> None:
    board = make_board("sql")
    period = crowd(board, POINTS)
    taken()
    PeriodHistogram.objects.update(content=b"\x07" + b"\0" * 12)
    clear_histogram_cache()

    assert histogram_of(period, NOON) is None
    assert told(board, "ann").is_exact


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


def filled(board: Board, players: int) -> Period:
    """A board of uneven points, in SQL alone."""
    period = period_of(board)
    names = Player.objects.bulk_create([Player(external_id=f"p{nth}") for nth in range(players)])
    rows = []
    for nth, player in enumerate(names):
        points = nth * nth % 70_001
        packed = period.layout.pack((points,), 0, player.external_id)
        row = Standing(period=period, player=player, points=points, score=packed.score, member=packed.member, at=NOON)
        row.version = 1
        rows.append(row)
    Standing.objects.bulk_create(rows)
    return period
