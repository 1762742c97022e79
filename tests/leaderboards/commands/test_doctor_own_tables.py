"""What the doctor says of tables that periods have of their own."""

from datetime import datetime

import pytest
from django.db import connection

from leaderboards.management.findings import State
from leaderboards.management.own_tables_checks import own_tables
from leaderboards.models import Period
from tests.leaderboards.services.site import NOON, make_board, period_of

pytestmark = pytest.mark.django_db


def told(at: datetime = NOON) -> list[tuple[State, str]]:
    return [(finding.state, finding.detail) for finding in own_tables(at)]


def test_where_no_period_has_any_all_is_well() -> None:
    make_board("sql")

    assert told() == [(State.OK, "no period has any")]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL has tables for each period")
def test_left_over_tables_wait_and_lost_ones_are_red() -> None:
    board = make_board("sql", own_tables=True)
    running, following = period_of(board), board.periods.order_by("-starts_at")[0]

    well = told()
    Period.objects.filter(pk=following.pk).delete()
    left_over = told()
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE leaderboards_standing_{running.pk}")
    lost = told()

    assert well == [(State.OK, "2 periods have their own")]
    assert left_over == [(State.WAITING, "1 are of periods that are gone: the worker drops them within the hour")]
    assert [state for state, _ in lost] == [State.RED, State.WAITING]
    assert lost[0][1].startswith(f"1 periods have lost theirs, the first is {running.pk}: ")
