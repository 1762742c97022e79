"""Named players in SQL have the ranks that the whole list gives them, in few statements and within one time limit."""

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation import clock
from leaderboards.models import Period
from leaderboards.stores.base import ForPlayers, Page, RankedRow
from leaderboards.stores.sql import reads
from leaderboards.stores.sql.reads import SqlStore, TimeBoundedSqlStore
from tests.leaderboards.services.site import crowd, make_board

pytestmark = pytest.mark.django_db

TIES = ["first_come", "last_come", "shared", "dense"]


def _crowd(ties: str, order: str, players: int = 60) -> Period:
    """A period with few different points, so that most players are equal to others."""
    drawn = random.Random(f"{ties} {order}")
    board = make_board("sql", ties=ties, order=order)
    return crowd(board, {f"p{number}": drawn.randint(1, 12) for number in range(players)})


def _named(store: SqlStore, period: Period, *players: str) -> list[RankedRow]:
    [rows] = store.read(period, [ForPlayers(players)]).answers
    return rows


@pytest.mark.parametrize("order", ["desc", "asc"])
@pytest.mark.parametrize("ties", TIES)
def test_named_players_have_the_ranks_of_the_whole_list(ties: str, order: str) -> None:
    period, drawn = _crowd(ties, order), random.Random(1)
    [listed] = SqlStore().read(period, [Page(0, 100)]).answers
    whole = {row.member: row for row in listed}

    for store in (SqlStore(), SqlStore(timeout_ms=60_000), TimeBoundedSqlStore(60_000)):
        for count in (0, 1, 2, 7, 60):
            names = [f"p{number}" for number in drawn.sample(range(60), count)]
            rows = _named(store, period, *names, "nobody")

            assert {row.member: row for row in rows} == {row.member: whole[row.member] for row in rows}
            assert {period.layout.player_of(row.member) for row in rows} == set(names)


@pytest.mark.parametrize("ties", TIES)
def test_a_hundred_named_players_cost_no_statement_each(ties: str) -> None:
    period = _crowd(ties, "desc", players=100)

    with CaptureQueriesContext(connection) as queries:
        rows = _named(SqlStore(), period, *(f"p{number}" for number in range(100)))

    assert len(rows) == 100
    assert len(queries) < 10


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite counts to the end")
@pytest.mark.parametrize("ties", TIES)
def test_all_ranks_of_an_answer_have_one_time_limit_and_the_best_are_counted_first(
    ties: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    period, spent = _crowd(ties, "desc"), [0.0]
    monkeypatch.setattr(clock, "monotonic", lambda: spent[0])

    def count_slowly(query: object, timeout_ms: int | None) -> object:
        spent[0] += 0.25  # as long as a count of a large board may take
        return original(query, timeout_ms)  # type: ignore[arg-type]  # handed on as it came

    original = reads.run_with_timeout
    monkeypatch.setattr(reads, "run_with_timeout", count_slowly)

    rows = _named(SqlStore(timeout_ms=300), period, *(f"p{number}" for number in range(60)))

    assert spent[0] < 2.5  # the total, and six times 0.3 s for the ranks
    ranked = [row.score for row in rows if row.rank is not None]
    assert ranked
    assert min(ranked) >= max(row.score for row in rows if row.rank is None)
