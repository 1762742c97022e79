"""Periods are deleted when their board says so, as a whole, and not while something refers to them."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from foundation import clock
from leaderboards import selectors
from leaderboards.errors import UnknownPeriod
from leaderboards.models import Board, FinalStanding, Period, PeriodState, Standing
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.delete_old import delete_old_periods, drop_left_over_tables
from leaderboards.services.periods.retention import drop_submissions, expire_due
from leaderboards.stores.sql.own_tables import tables_without_period
from tests.leaderboards.services.other_session import another_session
from tests.leaderboards.services.site import DAY, NOON, crowd, make_board, score

pytestmark = [pytest.mark.django_db(transaction=True)]
SECOND = timedelta(seconds=1)
CLOSED = NOON + DAY
POSTGRESQL = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no tables for each period")
TABLES = pytest.mark.parametrize("own_tables", [False, pytest.param(True, marks=POSTGRESQL)], ids=["shared", "own"])


def expired(own_tables: bool = False, storage: str = "sql", **settings: Any) -> tuple[Board, Period]:
    """A period that is final since ``CLOSED``, expired, and without submissions."""
    board = make_board(storage, own_tables=own_tables, retention_days=1, keep_submissions_days=2, **settings)
    period = crowd(board, 5)
    close_due(CLOSED)
    expire_due(CLOSED + 2 * DAY)
    drop_submissions(CLOSED + 3 * DAY)
    period.refresh_from_db()
    assert period.state == PeriodState.EXPIRED
    return board, period


def total(board: Board, period: Period) -> int | None:
    """How many players are told of the period, some days after it was closed."""
    with clock.freeze_at(CLOSED + 10 * DAY):
        return selectors.standings(board, period.label, 0, 9).total


@TABLES
@pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])
def test_a_period_goes_with_all_its_places_when_its_days_are_over_and_not_before(
    storage: str, own_tables: bool
) -> None:
    board, period = expired(own_tables, storage, keep_periods_days=10)
    stays = crowd(make_board(storage, name="Stays"), 3)

    assert delete_old_periods(CLOSED + 10 * DAY - SECOND) == 0
    assert total(board, period) == 5
    assert delete_old_periods(CLOSED + 10 * DAY) == 1

    assert not Period.objects.filter(pk=period.pk).exists()
    assert set(Standing.objects.values_list("period", flat=True)) == {stays.pk}
    assert not FinalStanding.objects.filter(period=period.pk).exists()
    with pytest.raises(UnknownPeriod):
        total(board, period)
    assert tables_without_period() == ([period.pk] if own_tables else [])
    assert drop_left_over_tables() == own_tables
    assert delete_old_periods(CLOSED + 400 * DAY) == 0


def test_without_the_setting_a_period_is_kept_for_good() -> None:
    _, period = expired()

    assert delete_old_periods(CLOSED + 4000 * DAY) == 0
    assert FinalStanding.objects.filter(period=period).count() == 5


@TABLES
def test_a_period_is_kept_while_it_has_submissions(own_tables: bool) -> None:
    board = make_board("sql", own_tables=own_tables, retention_days=1, keep_submissions_days=90, keep_periods_days=2)
    crowd(board, 5)
    close_due(CLOSED)
    expire_due(CLOSED + 2 * DAY)

    assert delete_old_periods(CLOSED + 50 * DAY) == 0
    drop_submissions(CLOSED + 91 * DAY)
    assert delete_old_periods(CLOSED + 91 * DAY) == 1


def test_a_period_that_has_not_expired_is_kept() -> None:
    board = make_board("sql", retention_days=30, keep_submissions_days=2, keep_periods_days=2)
    crowd(board, 5)
    close_due(CLOSED)
    drop_submissions(CLOSED + 20 * DAY)

    assert delete_old_periods(CLOSED + 20 * DAY) == 0


@POSTGRESQL
def test_while_somebody_reads_a_period_it_stays_whole_and_goes_later() -> None:
    board, period = expired(own_tables=True, keep_periods_days=3)
    with another_session(f"LOCK TABLE leaderboards_standing_{period.pk} IN ACCESS SHARE MODE"):  # as readers do
        assert delete_old_periods(CLOSED + 3 * DAY) == 0
        assert total(board, period) == 5
        assert Standing.objects.filter(period=period).count() == 5

    assert delete_old_periods(CLOSED + 3 * DAY) == 1


@POSTGRESQL
def test_the_same_window_may_be_opened_again() -> None:
    board, period = expired(own_tables=True, keep_periods_days=3)
    delete_old_periods(CLOSED + 3 * DAY)

    again = crowd(board, {"ann": 3})

    assert again.label == period.label
    assert again.pk != period.pk
    assert Standing.objects.filter(period=again).count() == 1
    assert score(board, {"bob": 4})[0].status.is_accepted
