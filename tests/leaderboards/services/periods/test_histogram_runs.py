"""When histograms are taken: once a minute, of running periods alone, and what stays while one cannot be taken."""

from types import SimpleNamespace
from unittest.mock import patch

import pytest
from django.db import connection
from pytest_django import Settings

from leaderboards.core.ranking.histogram import Histogram
from leaderboards.models import Period, PeriodHistogram, Standing
from leaderboards.selectors.rankings.histograms import clear_histogram_cache, histogram_of
from leaderboards.services.periods import histograms
from leaderboards.services.periods.close import close_period
from leaderboards.services.periods.histograms import take_due_histograms, take_histogram
from leaderboards.stores.sql.histograms import count_histogram
from tests.at_once import at_once
from tests.leaderboards.services.periods.histogramming import FEW, MINUTE, POINTS, SECOND, filled, taken, told
from tests.leaderboards.services.site import DAY, NOON, crowd, make_board, redis_away


@pytest.fixture(autouse=True)
def _many_is_few_and_counting_takes_no_time(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.HISTOGRAM_PLAYERS = FEW
    monkeypatch.setattr(histograms, "clock", SimpleNamespace(monotonic=lambda: 0.0))


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
