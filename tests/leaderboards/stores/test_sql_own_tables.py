"""Tables of a period's own: where rows go, what making and dropping them locks, and that nobody waits for it."""

import threading
import time
from typing import Any

import pytest
from django.db import connection, transaction

from leaderboards.core.periods import window_at
from leaderboards.core.submissions import Status
from leaderboards.models import Board, FinalStanding, Period, Player, Standing
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.delete_old import drop_left_over_tables
from leaderboards.services.periods.open import open_period
from leaderboards.stores.sql.own_tables import periods_without_tables, tables_without_period
from tests.leaderboards.services.other_session import another_session
from tests.leaderboards.services.site import DAY, NOON, crowd, final, make_board, period_of, points, score

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL has tables for each period"),
]
LONGEST = 0.5  # seconds that one statement may take; a lock is waited for for 0.05


def rows_in(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")  # noqa: S608 - the name of a table of ours
        return int(cursor.fetchone()[0])


def locked() -> set[str]:
    """The tables of standings that this transaction has locked."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_locks l JOIN pg_class c ON c.oid = l.relation AND c.relkind IN ('r', 'p')"
            " WHERE l.pid = pg_backend_pid() AND relname ~ '^leaderboards_(final)?standing'"
        )
        return {name for (name,) in cursor.fetchall()}


@pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])
def test_rows_of_a_period_are_in_its_own_tables_and_those_of_others_are_not(storage: str) -> None:
    board, usual = make_board(storage, own_tables=True), make_board(storage, name="Usual")
    period, shared = crowd(board, 5), crowd(usual, 3)

    close_due(NOON + 2 * DAY)

    assert [rows_in(f"leaderboards_{each}_{period.pk}") for each in ("standing", "finalstanding")] == [5, 5]
    assert [rows_in(f"leaderboards_{each}_rest") for each in ("standing", "finalstanding")] == [3, 3]
    assert [row[:2] for row in final(period)] == [(place, place) for place in range(1, 6)]
    assert len(final(shared)) == 3
    assert Standing.objects.values("pk").distinct().count() == Standing.objects.count() == 8


def test_a_player_is_in_such_a_period_at_most_once() -> None:
    period = crowd(make_board("sql", own_tables=True), 1)
    player = Player.objects.get()

    with pytest.raises(Exception, match="unique"), transaction.atomic():
        Standing.objects.create(period=period, player=player, member="p0")


@pytest.mark.parametrize("storage", ["sql", "hybrid"])
def test_scores_and_looks_touch_the_tables_of_their_own_period_alone(storage: str) -> None:
    """Also once PostgreSQL has the statements' general plans: it makes them after five of one kind."""
    board = make_board(storage, own_tables=True)
    make_board(storage, name="Others", own_tables=True)
    period = period_of(board)
    for number in range(8):
        score(board, {"ann": number, f"new{number}": 1})

    with transaction.atomic():
        score(board, {"ann": 100, "bob": 1})
        list(Standing.objects.filter(period=period, score__isnull=False).order_by("-score")[:10])
        Standing.objects.filter(period=period, player__external_id="ann").get()
        touched = locked()

    assert touched == {"leaderboards_standing", f"leaderboards_standing_{period.pk}"}


def test_opening_waits_for_nobody_who_writes_standings_players_or_periods() -> None:
    board = make_board("sql", own_tables=True)
    crowd(board, 3)
    writing = [
        "UPDATE leaderboards_standing SET points = 1",
        "UPDATE leaderboards_player SET name = 'x'",
        "UPDATE leaderboards_period SET players = 1",
        "SELECT count(*) FROM leaderboards_finalstanding",
    ]

    with another_session(*writing):
        period = open_period(board, window_at(board.calendar, NOON + 5 * DAY))
        assert points(board) == {"p0": 1, "p1": 2, "p2": 3}

    assert period.has_own_tables


def test_nobody_who_scores_waits_for_a_period_that_is_opened_and_not_committed_yet() -> None:
    board, other = make_board("sql", own_tables=True), make_board("sql", name="Usual")
    crowd(other, 3)

    with another_session("SELECT leaderboards_make_own_tables('')"):
        began = time.monotonic()
        outcomes = score(board, {"ann": 5}) + score(other, {"p1": 50, "new": 1})
        took = time.monotonic() - began

    assert {each.status for each in outcomes} == {Status.UPDATED}
    assert took < LONGEST


def test_a_period_opens_in_the_shared_tables_if_tables_cannot_be_made_now(caplog: pytest.LogCaptureFixture) -> None:
    board = make_board("sql", own_tables=True)

    with another_session("LOCK TABLE leaderboards_standing IN SHARE UPDATE EXCLUSIVE MODE"):
        began = time.monotonic()
        period = open_period(board, window_at(board.calendar, NOON + 5 * DAY))
        took = time.monotonic() - began

    assert not period.has_own_tables
    assert took < LONGEST
    assert "no tables of its own" in caplog.text
    assert score(board, {"ann": 5}, NOON + 5 * DAY)[0].status is Status.UPDATED
    assert open_period(board, window_at(board.calendar, NOON + 6 * DAY)).has_own_tables


def test_a_tablespace_that_is_not_there_is_logged_and_the_period_opens(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.OWN_TABLES_TABLESPACE = "not_there"

    board = make_board("sql", own_tables=True)

    assert not period_of(board).has_own_tables
    assert 'Tablespace "not_there" does not exist' in caplog.text


def test_two_who_open_a_period_at_once_make_one_with_one_pair_of_tables() -> None:
    board = make_board("sql", own_tables=True)
    opened: list[Period] = []
    start = threading.Barrier(4)

    def open_it() -> None:
        start.wait()
        opened.append(open_period(Board.objects.get(pk=board.pk), window_at(board.calendar, NOON + 5 * DAY)))
        connection.close()

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert len(opened) == 4
    assert len({period.pk for period in opened}) == 1
    assert opened[0].has_own_tables
    assert tables_without_period() == periods_without_tables() == []


def test_tables_of_periods_that_are_gone_are_dropped_and_others_stay() -> None:
    board = make_board("sql", own_tables=True)
    period, following = board.periods.order_by("starts_at")
    score(board, {"ann": 5})
    Period.objects.filter(pk=following.pk).delete()

    assert tables_without_period() == [following.pk]
    assert drop_left_over_tables() == 1

    assert tables_without_period() == []
    assert points(board) == {"ann": 5}
    with pytest.raises(Exception, match="does not exist"), transaction.atomic():
        rows_in(f"leaderboards_standing_{following.pk}")
    with pytest.raises(Exception, match="still exists"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT leaderboards_drop_own_tables(%s)", [period.pk])
    assert points(board) == {"ann": 5}


def test_while_somebody_reads_tables_are_not_dropped_and_nobody_waits_for_the_try() -> None:
    board = make_board("sql", own_tables=True)
    Period.objects.filter(board=board).exclude(pk=period_of(board).pk).delete()
    longest, over = [0.0], threading.Event()

    def write() -> None:
        number = 0
        while not over.is_set():
            began, number = time.monotonic(), number + 1
            score(board, {f"w{number % 20}": number})
            longest.append(time.monotonic() - began)
        connection.close()

    writer = threading.Thread(target=write)
    with another_session("SELECT count(*) FROM leaderboards_finalstanding", "SELECT 1 FROM leaderboards_standing"):
        writer.start()
        dropped = drop_left_over_tables()
        over.set()
        writer.join(30)

    assert dropped == 0
    assert len(longest) > 10
    assert max(longest) < LONGEST
    assert drop_left_over_tables() == 1
    assert FinalStanding.objects.count() == 0
