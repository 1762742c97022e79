"""Reading standings: pages, periods, and what is no board."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from foundation import clock
from leaderboards.core.periods import window_at
from leaderboards.models import Board
from leaderboards.services.players import set_profile
from tests.leaderboards.api.conftest import STORAGES, Caller, Make, players, problem


@STORAGES
def test_a_page_holds_rows_best_first_with_the_whole_count(
    field: Callable[..., int], anybody: Caller, storage: str
) -> None:
    board = field(storage=storage)

    answer = anybody.get(f"/boards/{board}/standings?offset=2&limit=3").json()

    assert players(answer) == [(3, "p7"), (4, "p6"), (5, "p5")]
    assert set(answer) == {"board", "period", "total", "as_of", "live", "rows"}
    assert (answer["board"], answer["total"], answer["live"]) == (board, 9, True)
    assert set(answer["period"]) == {"label", "starts_at", "ends_at", "state"}
    assert answer["period"]["state"] == "open"
    assert datetime.fromisoformat(answer["as_of"]).tzinfo is not None
    assert answer["as_of"].endswith("Z")
    assert answer["period"]["starts_at"].endswith("00Z")


@STORAGES
def test_a_row_tells_points_time_and_how_many_share_the_rank(
    make_board: Make, game: Caller, anybody: Caller, storage: str
) -> None:
    board = make_board(storage=storage, period="all_time")
    game.submit({"board": board, "player": "alice", "points": 5, "at": "2026-01-02T03:04:05.678Z"})

    (row,) = anybody.get(f"/boards/{board}/standings").json()["rows"]

    assert row == {
        "rank": 1, "player": "alice", "name": "alice", "points": 5,
        "achieved_at": "2026-01-02T03:04:05.678Z", "tied": 1,
    }  # fmt: skip  # as a table


def test_a_player_is_shown_by_the_name_the_game_gave(make_board: Make, game: Caller, anybody: Caller) -> None:
    board = make_board()
    game.submit({"board": board, "player": "alice", "points": 5})
    set_profile("alice", {"name": "Alice 🎉"}, clock.now())

    (row,) = anybody.get(f"/boards/{board}/standings").json()["rows"]

    assert (row["player"], row["name"]) == ("alice", "Alice 🎉")


@STORAGES
@pytest.mark.parametrize(("ties", "ranks"), [("shared", [1, 1, 3]), ("dense", [1, 1, 2])])
def test_equals_share_a_rank_and_every_row_counts_them(
    make_board: Make, game: Caller, anybody: Caller, storage: str, ties: str, ranks: list[int]
) -> None:
    board = make_board(storage=storage, ties=ties)
    game.submit(
        *({"board": board, "player": name, "points": points} for name, points in (("a", 5), ("b", 5), ("c", 1)))
    )

    rows = anybody.get(f"/boards/{board}/standings").json()["rows"]

    assert [row["rank"] for row in rows] == ranks
    assert [row["tied"] for row in rows] == [2, 2, 1]
    assert "achieved_at" not in rows[0]


def test_fields_stand_in_place_of_points(make_board: Make, game: Caller, anybody: Caller) -> None:
    criteria = [{"name": "stage", "max": 100, "order": "desc"}, {"name": "achieved_at", "unit": "s", "order": "asc"}]
    board = make_board(criteria=criteria, period="month")
    game.submit({"board": board, "player": "a", "fields": {"stage": 7}})

    (row,) = anybody.get(f"/boards/{board}/standings").json()["rows"]

    assert row["fields"] == {"stage": 7}
    assert "points" not in row
    assert row["achieved_at"].endswith("Z")


@STORAGES
def test_an_offset_past_the_end_gives_no_rows(field: Callable[..., int], anybody: Caller, storage: str) -> None:
    board = field(storage=storage)

    for offset in (9, 2**31, 2**53):
        answer = anybody.get(f"/boards/{board}/standings?offset={offset}").json()
        assert (answer["rows"], answer["total"]) == ([], 9)


@pytest.mark.parametrize(
    "query",
    [
        *("limit=0", "limit=101", "limit=-1", "limit=ten", "limit=1.0", "limit=1_0", "limit=", "limit=٣", "limit=%2B5"),
        *("offset=-1", "offset=9007199254740993", "offset=99999999999999999999", "offset=1e3", "offset=%00"),
    ],
)
def test_a_page_out_of_range_is_refused_by_its_parameter(make_board: Make, anybody: Caller, query: str) -> None:
    response = anybody.get(f"/boards/{make_board()}/standings?{query}")

    told = problem(response, 422, "invalid_request")
    assert [each["parameter"] for each in told["errors"]] == [query.partition("=")[0]]


def test_ten_rows_are_given_unless_asked_for_more(make_board: Make, game: Caller, anybody: Caller) -> None:
    board = make_board(storage="sql")
    game.submit(*({"board": board, "player": f"p{nth}", "points": nth} for nth in range(101)))

    lengths = [len(anybody.get(f"/boards/{board}/standings{query}").json()["rows"]) for query in ("", "?limit=100")]

    assert lengths == [10, 100]


class TestPeriods:
    """`current`, `previous`, labels, and what is none of them."""

    @STORAGES
    def test_the_previous_window_is_empty_where_nobody_played(
        self, make_board: Make, anybody: Caller, storage: str
    ) -> None:
        board = make_board(storage=storage)
        running = window_at(Board.objects.get(seq=board).calendar, clock.now())

        answer = anybody.get(f"/boards/{board}/standings?period=previous").json()

        assert (answer["rows"], answer["total"]) == ([], 0)
        assert datetime.fromisoformat(answer["period"]["ends_at"]) == running.starts_at

    def test_the_running_window_has_a_label_too(self, field: Callable[..., int], anybody: Caller) -> None:
        board = field()
        current = anybody.get(f"/boards/{board}/standings").json()

        by_label = anybody.get(f"/boards/{board}/standings?period={current['period']['label']}").json()

        assert by_label["rows"] == current["rows"]

    @pytest.mark.parametrize(
        "period", ["2999-01", "1999-07", "nonsense", "", "%00", "2026-47%0A", "c1", "all", "x" * 500, "'; --", "%F0%9F"]
    )
    def test_unknown_and_future_labels_are_not_found(self, make_board: Make, anybody: Caller, period: str) -> None:
        board = make_board()

        for path in ("standings", "players/a", "players/a/around", "players", "distribution", "standings.csv"):
            problem(anybody.get(f"/boards/{board}/{path}?period={period}&ids=a"), 404, "unknown_period")

    def test_the_next_period_exists_and_is_not_shown(self, make_board: Make, anybody: Caller) -> None:
        board = Board.objects.get(seq=make_board())
        later = board.periods.get(starts_at__gt=clock.now())

        response = anybody.get(f"/boards/{board.seq}/standings?period={later.label}")

        problem(response, 404, "unknown_period")

    def test_all_time_has_no_previous_period(self, make_board: Make, anybody: Caller) -> None:
        board = make_board(period="all_time")

        current = anybody.get(f"/boards/{board}/standings").json()["period"]
        previous = anybody.get(f"/boards/{board}/standings?period=previous")

        assert current == {"label": "all", "starts_at": None, "ends_at": None, "state": "open"}
        problem(previous, 404, "unknown_period")


@pytest.mark.parametrize("seq", ["0", "-1", "999999", "99999999999"])
@pytest.mark.parametrize(
    "path", ["", "/standings", "/players/a", "/players/a/around", "/players?ids=a", "/distribution"]
)
def test_an_unknown_board_is_not_found(make_key: Callable[..., str], anybody: Caller, seq: str, path: str) -> None:
    problem(anybody.get(f"/boards/{seq}{path}"), 404, "unknown_board")


@pytest.mark.parametrize("seq", ["x", "1.5", "1e3", "999999999999999999999", "%00"])
def test_a_board_that_is_no_number_is_refused(db: None, anybody: Caller, seq: str) -> None:
    assert problem(anybody.get(f"/boards/{seq}"), 422, "invalid_request")["errors"][0]["parameter"] == "seq"


def test_times_have_a_fraction_only_where_there_is_one() -> None:
    from leaderboards.api.encoding import when

    at = datetime(2026, 11, 20, 9, tzinfo=UTC)

    shown = [when(at), when(at + timedelta(milliseconds=50)), when(at + timedelta(microseconds=5))]

    assert shown == ["2026-11-20T09:00:00Z", "2026-11-20T09:00:00.050Z", "2026-11-20T09:00:00.000005Z"]
