"""One player, his neighbours, several by name, the spread of all, and taking one out."""

from collections.abc import Callable

import pytest

from tests.leaderboards.api.conftest import STORAGES, Caller, Make, players, problem


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
