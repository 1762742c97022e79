"""SQL stands in for Redis and has no time to count: rows come without their rank, and say so.

The board is large enough for counting to take a while, and patience is set to a part of that while: the
product's own 300 ms would need millions of players.
"""

import time

import pytest
from django.db import connection
from django.test import Client

from foundation import clock
from leaderboards.models import Board, Period
from leaderboards.selectors import reading
from leaderboards.stores import sql
from leaderboards.stores.base import Named
from leaderboards.stores.sql import SqlStore
from tests.leaderboards.services.site import make_board, period_of
from tests.leaderboards.views.pages import text
from tests.links import links

__all__ = ["links"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite counts to the end"),
]

PLAYERS = 60_000
LAST = "p1"


def fill(period: Period) -> None:
    """Players p1, p2, … with 1, 2, … points."""
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH made AS (INSERT INTO leaderboards_player (external_id, name, avatar_url, country, created_at)"
            " SELECT 'p' || n, '', '', '', now() FROM generate_series(1, %s) n RETURNING id, external_id)"
            " INSERT INTO leaderboards_standing (period_id, player_id, member, points, score, at, version, unput)"
            " SELECT %s, id, external_id, n, n, now(), 1, false"
            " FROM made, LATERAL (SELECT substr(external_id, 2)::int AS n) AS points",
            [PLAYERS, period.pk],
        )
        cursor.execute("ANALYZE leaderboards_standing")


def too_short_for_counting(period: Period) -> int:
    """Milliseconds: a tenth of what a row takes whose rank is counted, as are the total and who shares the rank."""
    taken = []
    for _ in range(3):
        began = time.monotonic()
        [[row]] = SqlStore().read(period, [Named((LAST,))]).answers
        taken.append(time.monotonic() - began)
        assert row.rank == PLAYERS
    return max(1, int(100 * min(taken)))


@pytest.fixture
def slow(links: None, monkeypatch: pytest.MonkeyPatch) -> Board:
    """A board that is read from SQL, where the last player's rank takes longer to count than there is patience."""
    board = make_board("hybrid", clock.now(), ties="shared")
    period = period_of(board, clock.now())
    fill(period)
    Period.objects.filter(pk=period.pk).update(stale_since=clock.now())
    monkeypatch.setattr(reading, "PATIENCE_MS", too_short_for_counting(period))
    monkeypatch.setattr(sql, "TOTAL_PATIENCE", 1000)  # the total is not what is tried
    return board


def test_a_rank_that_takes_too_long_to_count_is_left_out(slow: Board, client: Client) -> None:
    table = f"/api/v1/boards/{slow.seq}"

    last = client.get(f"{table}/players/{LAST}").json()
    around = client.get(f"{table}/players/{LAST}/around?radius=2").json()
    top = client.get(f"{table}/standings?limit=2").json()

    assert (last["rank"], last["tied"], last["percentile"], last["live"]) == (None, None, None, False)
    assert (last["points"], last["total"]) == (1, PLAYERS)
    assert [(row["player"], row["rank"]) for row in around["rows"]] == [("p3", None), ("p2", None), ("p1", None)]
    assert [(row["player"], row["rank"]) for row in top["rows"]] == [(f"p{PLAYERS}", 1), (f"p{PLAYERS - 1}", 2)]


def test_the_page_shows_a_dash_and_no_guess(slow: Board, client: Client) -> None:
    response = client.get(f"/boards/{slow.seq}/?player={LAST}")

    shown = text(response)
    assert "Rank – of 60,000" in shown
    assert "None" not in shown
    assert "Ahead of" not in shown
    assert "You are number" not in shown
