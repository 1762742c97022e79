"""Reading standings: pages, one player, those around, several by name, the spread, periods; and taking one out.

That every storage says the same, with every kind of ties, is held by tests/contracts.
"""

import time
from datetime import datetime

import pytest
from django.db import connection

from foundation import clock
from leaderboards.core.periods import window_at
from leaderboards.models import Board
from leaderboards.selectors.rankings import store_routing
from leaderboards.services.players.profiles import set_profile
from leaderboards.stores.sql import reads
from leaderboards.stores.sql.reads import SqlStore
from tests.leaderboards.api.conftest import (
    Caller,
    Make,
    players,
    problem,
    slow_count,
    take_redis_away,
    wrong_parameter,
)


def test_a_page_holds_rows_best_first_with_the_whole_count(field: int, anybody: Caller) -> None:
    answer = anybody.get(f"/boards/{field}/standings?offset=2&limit=3").json()

    assert players(answer) == [(3, "p7"), (4, "p6"), (5, "p5")]
    assert set(answer) == {"board", "period", "total", "as_of", "live", "rows", "previous_cursor", "next_cursor"}
    assert (answer["board"], answer["total"], answer["live"]) == (field, 9, True)
    assert set(answer["period"]) == {"label", "starts_at", "ends_at", "state"}
    assert answer["period"]["state"] == "open"
    assert datetime.fromisoformat(answer["as_of"]).tzinfo is not None
    assert answer["as_of"].endswith("Z")
    assert answer["period"]["starts_at"].endswith("00Z")
    for offset in (9, 2**31, 2**53):
        beyond = anybody.get(f"/boards/{field}/standings?offset={offset}").json()
        assert (beyond["rows"], beyond["total"]) == ([], 9)


def test_a_row_tells_name_points_time_and_how_many_share_the_rank(make_board: Make, game: Caller) -> None:
    timed, shared = make_board("Timed", period="all_time"), make_board("Shared", ties="shared")
    raid = [{"name": "stage", "max": 100, "order": "desc"}, {"name": "achieved_at", "unit": "s", "order": "asc"}]
    fields = make_board("Raid", criteria=raid, period="month")
    at = "2026-01-02T03:04:05.678Z"
    game.submit({"board": timed, "player": "alice", "points": 5, "at": at})
    game.score(shared, bob=5, carol=5)
    game.submit({"board": fields, "player": "a", "fields": {"stage": 7}})
    set_profile("alice", {"name": "Alice 🎉"}, clock.now())

    shown = [game.get(f"/boards/{board}/standings").json()["rows"] for board in (timed, shared, fields)]

    alice = {"rank": 1, "player": "alice", "name": "Alice 🎉", "points": 5, "achieved_at": at, "tied": 1}
    assert shown[0] == [alice]
    assert shown[1] == [{"rank": 1, "player": name, "name": name, "points": 5, "tied": 2} for name in ("carol", "bob")]
    assert shown[2][0].pop("achieved_at").endswith("Z")
    assert shown[2] == [{"rank": 1, "player": "a", "name": "a", "fields": {"stage": 7}, "tied": 1}]


def test_ten_rows_nine_neighbours_and_a_hundred_names_are_given(make_board: Make, game: Caller) -> None:
    board = make_board(storage="sql")
    game.score(board, **{f"p{nth}": nth for nth in range(101)})
    hundred = "players?ids=" + ",".join(f"p{nth}" for nth in range(100))
    around = "players/p50/around"

    lengths = {"standings": 10, "standings?limit=100": 100, around: 9, f"{around}?radius=50": 101, hundred: 100}
    for path, length in lengths.items():
        assert len(game.get(f"/boards/{board}/{path}").json()["rows"]) == length, path


WRONG = {
    ("standings", "limit"): ("0", "101", "-1", "ten", "1.0", "1_0", "", "٣", "%2B5"),
    ("standings", "offset"): ("-1", "9007199254740993", "99999999999999999999", "1e3", "%00"),
    ("players/p5/around", "radius"): ("0", "51", "-1", "x"),
    ("players", "ids"): ("", "a,,b", "%00", "x" * 65, ",".join(map(str, range(101)))),
}


PATHS = ("standings?", "players/a?", "players/a/around?", "players?ids=a&", "distribution?", "standings.csv?")


def test_what_is_out_of_range_is_refused_by_its_parameter(field: int, anybody: Caller) -> None:
    for (path, parameter), values in WRONG.items():
        for value in values:
            response = anybody.get(f"/boards/{field}/{path}?{parameter}={value}")
            assert wrong_parameter(response) == parameter, value
    for seq in ("x", "1.5", "1e3", "999999999999999999999", "%00"):
        assert wrong_parameter(anybody.get(f"/boards/{seq}")) == "seq"
    assert wrong_parameter(anybody.get("/boards/1/players")) == "ids"


def test_a_board_and_a_period_that_are_none_are_not_found(make_board: Make, game: Caller, anybody: Caller) -> None:
    board, all_time = Board.objects.get(seq=make_board()), make_board("All", period="all_time")
    next_one = board.periods.get(starts_at__gt=clock.now()).label
    strange = ("nonsense", "", "%00", "2026-47%0A", "c1", "all", "x" * 500, "'; --")

    for seq in ("0", "-1", "999999", "99999999999"):
        for path in ("", *(f"/{each}" for each in PATHS)):
            problem(anybody.get(f"/boards/{seq}{path}"), 404, "unknown_board")
        problem(game.send("DELETE", f"/boards/{seq}/players/a"), 404, "unknown_board")
    for period in (next_one, "2999-01", "1999-07", *strange):
        for path in PATHS:
            response = anybody.get(f"/boards/{board.seq}/{path}period={period}")
            problem(response, 404, "unknown_period")
    for path in PATHS:
        problem(anybody.get(f"/boards/{board.seq}/{path}period=%F0%9F"), 422, "invalid_request")
    problem(anybody.get(f"/boards/{all_time}/standings?period=previous"), 404, "unknown_period")


class TestPlayers:
    """One player, those around, and several by name."""

    def test_each_comes_with_the_rank_in_the_whole_board(self, field: int, anybody: Caller) -> None:
        neighbours = {
            "p5": [(3, "p7"), (4, "p6"), (5, "p5"), (6, "p4"), (7, "p3")],
            "p9": [(1, "p9"), (2, "p8"), (3, "p7")],
            "p1": [(7, "p3"), (8, "p2"), (9, "p1")],
        }

        rows = [anybody.get(f"/boards/{field}/players/{each}").json() for each in neighbours]
        around = [anybody.get(f"/boards/{field}/players/{each}/around?radius=2").json() for each in neighbours]
        friends = anybody.get(f"/boards/{field}/players?ids=p2,nobody,p8&ids=p5,p2").json()

        assert [rows[0][name] for name in ("rank", "player", "points", "tied")] == [5, "p5", 50, 1]
        assert [row["percentile"] for row in rows] == [50.0, 100.0, 0.0]
        assert [players(each) for each in around] == [*neighbours.values()]
        assert players(friends) == [(2, "p8"), (5, "p5"), (8, "p2")]
        assert {each["total"] for each in (*rows, *around, friends)} == {9}

    def test_who_is_not_ranked_is_not_found_and_an_id_that_none_can_have_refused(
        self, field: int, anybody: Caller
    ) -> None:
        for player in ("nobody", "P1"):
            problem(anybody.get(f"/boards/{field}/players/{player}"), 404, "not_ranked")
            problem(anybody.get(f"/boards/{field}/players/{player}/around"), 404, "not_ranked")
        for player in ("x" * 65, "%00", "a%0A", "%20a", "e%CC%81", "a,b", "%2E%2E"):
            problem(anybody.get(f"/boards/{field}/players/{player}"), 422, "bad_player")

    def test_a_removed_player_is_gone_and_may_come_back(self, field: int, game: Caller, anybody: Caller) -> None:
        game.score(field, **{"민준 & co?#%": 99})
        path = f"/boards/{field}/players/%EB%AF%BC%EC%A4%80%20%26%20co%3F%23%25"
        assert anybody.get(path).json()["player"] == "민준 & co?#%"

        response = game.send("DELETE", path)

        assert (response.status_code, response.content) == (204, b"")
        assert players(anybody.get(f"/boards/{field}/standings?limit=1").json()) == [(1, "p9")]
        problem(anybody.get(path), 404, "not_ranked")
        problem(game.send("DELETE", path), 404, "not_ranked")
        game.score(field, **{"민준 & co?#%": 1})
        assert anybody.get(path).json()["points"] == 1


def test_everybody_is_in_the_histogram(field: int, make_board: Make, anybody: Caller) -> None:
    answer = anybody.get(f"/boards/{field}/distribution").json()
    empty = anybody.get(f"/boards/{make_board('Empty')}/distribution").json()

    assert answer["total"] == 9
    assert sum(each["count"] for each in answer["histogram"]) == 9
    assert (answer["histogram"][0]["from"], answer["histogram"][-1]["to"] >= 90) == (10, True)
    assert list(answer["percentiles"]) == [str(percent) for percent in range(1, 100)]
    assert answer["percentiles"]["50"] == 50
    assert (empty["total"], empty["percentiles"], empty["histogram"]) == (0, {}, [])


@pytest.mark.parametrize(("slow", "measured"), [("_at_places", 0), ("Count", 99)])
def test_a_spread_that_sql_has_no_time_to_count_is_left_out_while_redis_is_away(
    field: int, anybody: Caller, monkeypatch: pytest.MonkeyPatch, slow: str, measured: int
) -> None:
    take_redis_away(monkeypatch)
    in_time = anybody.get(f"/boards/{field}/distribution").json()
    monkeypatch.setattr(store_routing, "PATIENCE_MS", 200)
    if slow == "Count":
        monkeypatch.setattr(reads, "Count", slow_count)
    else:
        monkeypatch.setattr(SqlStore, "_at_places", _slowly)

    began = time.monotonic()
    answer = anybody.get(f"/boards/{field}/distribution").json()

    assert time.monotonic() - began < 2.0
    assert (answer["total"], answer["live"], answer["histogram"]) == (9, False, [])
    assert len(answer["percentiles"]) == measured
    assert (len(in_time["percentiles"]), sum(each["count"] for each in in_time["histogram"])) == (99, 9)


def _slowly(*_: object) -> dict[int, tuple[str, float]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(9)")
    return {}


def test_the_running_window_has_a_label_and_the_one_before_is_empty(field: int, anybody: Caller) -> None:
    running = window_at(Board.objects.get(seq=field).calendar, clock.now())
    path = f"/boards/{field}/standings"

    current = anybody.get(path).json()
    by_label = anybody.get(f"{path}?period={current['period']['label']}").json()
    previous = anybody.get(f"{path}?period=previous").json()

    assert by_label["rows"] == current["rows"]
    assert (previous["rows"], previous["total"]) == ([], 0)
    assert datetime.fromisoformat(previous["period"]["ends_at"]) == running.starts_at
