"""Reading standings: pages, players, neighbours, several by name, the spread."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from foundation import clock
from leaderboards.core.periods import window_at
from leaderboards.models import Board
from leaderboards.services.players import set_profile
from tests.leaderboards.api.conftest import Caller, Make, problem

STORAGES = pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])


@pytest.fixture
def field(make_board: Make, game: Caller) -> Callable[..., int]:
    """A board with nine players: p1 has 10 points, p9 has 90."""

    def make(**settings: Any) -> int:
        board = make_board(**settings)
        game.submit(*({"board": board, "player": f"p{nth}", "points": nth * 10} for nth in range(1, 10)))
        return board

    return make


def players(answer: dict[str, Any]) -> list[tuple[int, str]]:
    return [(row["rank"], row["player"]) for row in answer["rows"]]


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
    }  # fmt: skip


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

    def test_an_event_board_has_no_current_period(self, make_board: Make, anybody: Caller) -> None:
        board = make_board(period="event")

        problem(anybody.get(f"/boards/{board}/standings"), 404, "unknown_period")
        problem(anybody.get(f"/boards/{board}/standings?period=previous"), 404, "unknown_period")


class TestOnePlayer:
    """GET /boards/{seq}/players/{player}"""

    @STORAGES
    def test_the_row_comes_with_percentile_and_total(
        self, field: Callable[..., int], anybody: Caller, storage: str
    ) -> None:
        board = field(storage=storage)

        shown = {player: anybody.get(f"/boards/{board}/players/{player}").json() for player in ("p9", "p7", "p1")}

        assert [shown["p7"][name] for name in ("rank", "player", "points", "tied", "total")] == [3, "p7", 70, 1, 9]
        assert [row["percentile"] for row in shown.values()] == [100.0, 75.0, 0.0]

    def test_the_percentile_is_rounded_down_and_leaves_equals_out(
        self, make_board: Make, game: Caller, anybody: Caller
    ) -> None:
        board = make_board(ties="shared")
        game.submit(*({"board": board, "player": f"p{n}", "points": p} for n, p in enumerate((9, 9, 5, 1))))

        percentiles = [anybody.get(f"/boards/{board}/players/p{n}").json()["percentile"] for n in range(4)]

        assert percentiles == [66.6, 66.6, 33.3, 0.0]

    def test_alone_is_ahead_of_everybody(self, make_board: Make, game: Caller, anybody: Caller) -> None:
        board = make_board()
        game.submit({"board": board, "player": "a", "points": 0})

        assert anybody.get(f"/boards/{board}/players/a").json()["percentile"] == 100.0

    def test_who_is_not_ranked_is_not_found(self, field: Callable[..., int], anybody: Caller) -> None:
        board = field()

        problem(anybody.get(f"/boards/{board}/players/nobody"), 404, "not_ranked")
        problem(anybody.get(f"/boards/{board}/players/P1"), 404, "not_ranked")

    def test_ids_of_every_script_work_in_addresses(self, make_board: Make, game: Caller, anybody: Caller) -> None:
        board = make_board()
        game.submit({"board": board, "player": "민준 & co?#%", "points": 1})

        answer = anybody.get(f"/boards/{board}/players/%EB%AF%BC%EC%A4%80%20%26%20co%3F%23%25").json()

        assert answer["player"] == "민준 & co?#%"

    @pytest.mark.parametrize("player", ["x" * 65, "%00", "a%0A", "%20a", "e%CC%81", "a,b", "%2E%2E"])
    def test_an_id_that_none_can_have_is_refused(self, make_board: Make, anybody: Caller, player: str) -> None:
        problem(anybody.get(f"/boards/{make_board()}/players/{player}"), 422, "bad_player")


class TestAround:
    """GET /boards/{seq}/players/{player}/around"""

    @STORAGES
    def test_rows_stand_on_both_sides(self, field: Callable[..., int], anybody: Caller, storage: str) -> None:
        board = field(storage=storage)

        answer = anybody.get(f"/boards/{board}/players/p5/around?radius=2").json()

        assert players(answer) == [(3, "p7"), (4, "p6"), (5, "p5"), (6, "p4"), (7, "p3")]
        assert answer["total"] == 9

    @STORAGES
    def test_an_edge_is_not_filled_up_from_the_other_side(
        self, field: Callable[..., int], anybody: Caller, storage: str
    ) -> None:
        board = field(storage=storage)

        top = anybody.get(f"/boards/{board}/players/p9/around?radius=2").json()
        bottom = anybody.get(f"/boards/{board}/players/p1/around?radius=50").json()

        assert players(top) == [(1, "p9"), (2, "p8"), (3, "p7")]
        assert len(bottom["rows"]) == 9

    def test_four_on_each_side_unless_asked_otherwise(self, field: Callable[..., int], anybody: Caller) -> None:
        assert len(anybody.get(f"/boards/{field()}/players/p5/around").json()["rows"]) == 9

    @pytest.mark.parametrize("radius", ["0", "51", "-1", "x"])
    def test_a_radius_out_of_range_is_refused(self, field: Callable[..., int], anybody: Caller, radius: str) -> None:
        response = anybody.get(f"/boards/{field()}/players/p5/around?radius={radius}")

        assert problem(response, 422, "invalid_request")["errors"][0]["parameter"] == "radius"

    def test_who_is_not_ranked_is_not_found(self, field: Callable[..., int], anybody: Caller) -> None:
        problem(anybody.get(f"/boards/{field()}/players/nobody/around"), 404, "not_ranked")


class TestNamedPlayers:
    """GET /boards/{seq}/players?ids="""

    @STORAGES
    def test_friends_stand_best_first_with_their_rank_in_the_whole_board(
        self, field: Callable[..., int], anybody: Caller, storage: str
    ) -> None:
        board = field(storage=storage)

        answer = anybody.get(f"/boards/{board}/players?ids=p2,nobody,p8&ids=p5,p2").json()

        assert players(answer) == [(2, "p8"), (5, "p5"), (8, "p2")]
        assert answer["total"] == 9

    def test_a_hundred_are_answered_and_one_more_is_not(self, field: Callable[..., int], anybody: Caller) -> None:
        board = field()
        hundred = ",".join(f"p{nth}" for nth in range(100))

        assert len(anybody.get(f"/boards/{board}/players?ids={hundred}").json()["rows"]) == 9
        told = problem(anybody.get(f"/boards/{board}/players?ids={hundred},p100"), 422, "invalid_request")
        assert told["errors"][0]["parameter"] == "ids"

    @pytest.mark.parametrize("query", ["", "?ids=", "?ids=a,,b", "?ids=%00", "?ids=" + "x" * 65])
    def test_names_that_none_can_have_are_refused(self, make_board: Make, anybody: Caller, query: str) -> None:
        response = anybody.get(f"/boards/{make_board()}/players{query}")

        assert problem(response, 422, "invalid_request")["errors"][0]["parameter"] == "ids"


class TestDistribution:
    """GET /boards/{seq}/distribution"""

    @STORAGES
    def test_everybody_is_in_the_histogram(self, field: Callable[..., int], anybody: Caller, storage: str) -> None:
        board = field(storage=storage)

        answer = anybody.get(f"/boards/{board}/distribution").json()

        assert answer["total"] == 9
        assert sum(each["count"] for each in answer["histogram"]) == 9
        assert (answer["histogram"][0]["from"], answer["histogram"][-1]["to"] >= 90) == (10, True)
        assert list(answer["percentiles"]) == [str(percent) for percent in range(1, 100)]
        assert answer["percentiles"]["50"] == 50

    def test_nobody_makes_no_histogram(self, make_board: Make, anybody: Caller) -> None:
        answer = anybody.get(f"/boards/{make_board()}/distribution").json()

        assert (answer["total"], answer["percentiles"], answer["histogram"]) == (0, {}, [])


class TestRemoving:
    """DELETE /boards/{seq}/players/{player}"""

    @STORAGES
    def test_a_removed_player_is_gone_and_may_come_back(
        self, field: Callable[..., int], game: Caller, anybody: Caller, storage: str
    ) -> None:
        board = field(storage=storage)

        response = game.send("DELETE", f"/boards/{board}/players/p9")

        assert (response.status_code, response.content) == (204, b"")
        assert anybody.get(f"/boards/{board}/standings?limit=1").json()["rows"][0]["player"] == "p8"
        problem(anybody.get(f"/boards/{board}/players/p9"), 404, "not_ranked")
        problem(game.send("DELETE", f"/boards/{board}/players/p9"), 404, "not_ranked")
        game.submit({"board": board, "player": "p9", "points": 1})
        assert anybody.get(f"/boards/{board}/players/p9").json()["points"] == 1

    def test_it_takes_a_key_that_may_write_to_the_board(
        self, field: Callable[..., int], make_board: Make, make_key: Callable[..., str], anybody: Caller
    ) -> None:
        board, other = field(name="One"), make_board(name="Other")
        path = f"/boards/{board}/players/p1"

        problem(anybody.send("DELETE", path), 401, "unauthenticated")
        problem(Caller(make_key("boards:read")).send("DELETE", path), 403, "forbidden")
        problem(Caller(make_key("scores:write", boards=[other])).send("DELETE", path), 403, "forbidden")
        assert anybody.get(path).status_code == 200


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
