"""SQL stands in for Redis and has no time to count: rows come without their rank, and say so.

The board is large enough for counting to take a while, and patience is set to a part of that while: the
product's own 300 ms would need millions of players.
"""

import time

import pytest
from django.db import connection
from django.test import Client

from foundation import clock
from leaderboards.models import Period
from leaderboards.selectors.rankings import store_routing
from leaderboards.stores.base import ForPlayers
from leaderboards.stores.sql import reads
from leaderboards.stores.sql.reads import SqlStore
from tests.leaderboards.services.site import make_board, period_of
from tests.leaderboards.views.pages import text
from tests.links import links

__all__ = ["links"]

PLAYERS = 60_000  # p1, p2, … with 1, 2, … points
FILL = """
    WITH made AS (INSERT INTO leaderboards_player (external_id, name, avatar_url, country, created_at)
    SELECT 'p' || n, '', '', '', now() FROM generate_series(1, %s) n RETURNING id, external_id)
    INSERT INTO leaderboards_standing (period_id, player_id, member, points, score, at, version, pending_publish)
    SELECT %s, id, external_id, n, n, now(), 1, false
    FROM made, LATERAL (SELECT substr(external_id, 2)::int AS n) AS points
"""


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite counts to the end")
def test_a_rank_that_takes_too_long_to_count_is_left_out_and_nobody_guesses(
    links: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board("hybrid", clock.now(), ties="shared")
    period, taken = period_of(board, clock.now()), []
    with connection.cursor() as cursor:
        cursor.execute(FILL, [PLAYERS, period.pk])
        cursor.execute("ANALYZE leaderboards_standing")
    Period.objects.filter(pk=period.pk).update(stale_since=clock.now())
    for _ in range(3):
        began = time.monotonic()
        [[row]] = SqlStore().read(period, [ForPlayers(("p1",))]).answers
        taken.append(time.monotonic() - began)
        assert row.rank == PLAYERS
    monkeypatch.setattr(store_routing, "PATIENCE_MS", max(1, int(100 * min(taken))))  # a tenth of it
    monkeypatch.setattr(reads, "TOTAL_TIMEOUT_FACTOR", 1000)  # the total is not what is tried
    table = f"/api/v1/boards/{board.seq}"

    last = client.get(f"{table}/players/p1").json()
    around = client.get(f"{table}/players/p1/around?radius=2").json()
    top = client.get(f"{table}/standings?limit=2").json()
    page = text(client.get(f"/boards/{board.seq}/?player=p1"))

    assert (last["rank"], last["tied"], last["percentile"], last["live"]) == (None, None, None, False)
    assert (last["points"], last["total"]) == (1, PLAYERS)
    assert [(row["player"], row["rank"]) for row in around["rows"]] == [("p3", None), ("p2", None), ("p1", None)]
    assert [(row["player"], row["rank"]) for row in top["rows"]] == [(f"p{PLAYERS}", 1), (f"p{PLAYERS - 1}", 2)]
    assert "Rank – ." in page
    assert "of 60,000" in page
    assert "Why –" not in page
    assert not any(guess in page for guess in ("None", "Ahead of", "You are number"))
