"""Boards as the API shows them, and who may see the private ones."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from foundation import clock
from leaderboards.models import Board
from leaderboards.services.boards import SETTINGS, retire
from tests.leaderboards.api.conftest import Caller, Make, problem


def test_a_board_is_shown_with_all_settings_its_period_and_its_players(
    make_board: Make, game: Caller, anybody: Caller
) -> None:
    board = make_board("Wins", timezone="Asia/Seoul", decimals=2, minimum="-1.50", maximum=100, total_maximum=100)
    game.submit(*({"board": board, "player": name, "points": 1} for name in "ab"))

    answer = anybody.get(f"/boards/{board}").json()

    assert set(answer) == {"seq", *SETTINGS, "total", "retired_at", "settings"}
    assert (answer["seq"], answer["name"], answer["total"], answer["retired_at"]) == (board, "Wins", 2, None)
    assert (answer["minimum"], answer["maximum"], answer["decimals"], answer["timezone"]) == (
        -1.5,
        100,
        2,
        "Asia/Seoul",
    )
    assert (answer["criteria"], answer["storage"], answer["ties"]) == ([], "hybrid", "first_come")


def test_the_period_is_the_running_one_and_the_setting_stands_in_settings(make_board: Make, anybody: Caller) -> None:
    with time_machine.travel(datetime(2026, 11, 20, 9, tzinfo=UTC), tick=False):
        answer = anybody.get(f"/boards/{make_board(storage='sql')}").json()

    assert answer["period"] == {
        "label": "2026-47",
        "starts_at": "2026-11-16T00:00:00Z",
        "ends_at": "2026-11-23T00:00:00Z",
        "state": "open",
        "seconds_left": 226_800,
    }
    assert answer["settings"]["period"] == "week"
    assert set(answer["settings"]) == set(SETTINGS)


def test_all_time_has_no_end_and_an_event_board_no_running_period(make_board: Make, anybody: Caller) -> None:
    all_time, event = make_board("All", period="all_time"), make_board("Cups", period="event")

    shown = [anybody.get(f"/boards/{seq}").json()["period"] for seq in (all_time, event)]

    assert shown == [
        {"label": "all", "starts_at": None, "ends_at": None, "state": "open", "seconds_left": None},
        None,
    ]


def test_boards_are_listed_by_number_in_the_shape_of_one(make_board: Make, anybody: Caller) -> None:
    first, second = make_board("First"), make_board("Second", storage="redis")

    answer = anybody.get("/boards").json()

    assert answer["total"] == 2
    assert [row["seq"] for row in answer["rows"]] == [first, second]
    assert set(answer["rows"][0]) == set(anybody.get(f"/boards/{first}").json())


def test_a_name_finds_one_board(make_board: Make, anybody: Caller) -> None:
    make_board("First")
    second = make_board("Second & last")

    found = anybody.get("/boards?name=Second%20%26%20last").json()

    assert [row["seq"] for row in found["rows"]] == [second]
    for name in ("second", "Nobody's", "%00", "x" * 1000, ""):
        assert anybody.get(f"/boards?name={name}").json() == {"total": 0, "rows": []}


def test_a_retired_board_is_still_shown(make_board: Make, anybody: Caller) -> None:
    board = make_board()
    retire(Board.objects.get(seq=board), clock.now())

    answer = anybody.get(f"/boards/{board}").json()

    assert answer["retired_at"] == answer["period"]["ends_at"]


class TestPrivateBoards:
    """Only keys with `boards:read` see them."""

    PATHS = ("", "/standings", "/standings.csv", "/players/a", "/players/a/around", "/players?ids=a", "/distribution")

    @pytest.mark.parametrize("path", PATHS)
    def test_reading_takes_a_key_with_the_scope_that_reaches_the_board(
        self, make_board: Make, make_key: Callable[..., str], game: Caller, anybody: Caller, path: str
    ) -> None:
        board, other = make_board("Secret", visibility="private"), make_board("Other")
        game.submit({"board": board, "player": "a", "points": 1})

        problem(anybody.get(f"/boards/{board}{path}"), 401, "unauthenticated")
        problem(Caller(make_key("scores:write")).get(f"/boards/{board}{path}"), 403, "forbidden")
        problem(Caller(make_key("boards:read", boards=[other])).get(f"/boards/{board}{path}"), 403, "forbidden")
        response = Caller(make_key("boards:read", boards=[board])).get(f"/boards/{board}{path}")
        assert response.status_code == 200
        assert response["Cache-Control"].startswith("private")
        assert "Access-Control-Allow-Origin" not in response

    def test_lists_leave_them_out_for_everybody_else(
        self, make_board: Make, make_key: Callable[..., str], anybody: Caller
    ) -> None:
        public, secret = make_board("Public"), make_board("Secret", visibility="private")
        callers = {
            "anybody": anybody,
            "another scope": Caller(make_key("scores:write")),
            "another board": Caller(make_key("boards:read", boards=[public])),
            "its reader": Caller(make_key("boards:read")),
        }

        seen: dict[str, Any] = {
            name: [row["seq"] for row in caller.get("/boards").json()["rows"]] for name, caller in callers.items()
        }

        assert seen.pop("its reader") == [public, secret]
        assert set(map(tuple, seen.values())) == {(public,)}

    def test_a_wrong_key_is_refused_for_public_boards_too(self, make_board: Make) -> None:
        for key in ("nonsense", "sunwi_00000000_00", "sunwi_%00_1"):
            problem(Caller(key).get(f"/boards/{make_board()}"), 401, "unauthenticated")


class TestETags:
    """Weak, over what an answer says: time passing changes none."""

    PATHS = ("", "/standings", "/players/a", "/players/a/around", "/players?ids=a", "/distribution")

    @pytest.mark.parametrize("path", PATHS)
    def test_the_same_answer_has_the_same_tag_at_another_time_and_another_one_has_not(
        self, make_board: Make, game: Caller, anybody: Caller, path: str
    ) -> None:
        board = make_board(storage="sql", period="all_time", update="increment")
        entry = {"board": board, "player": "a", "points": 1}
        game.submit(entry)

        first = anybody.get(f"/boards/{board}{path}")
        with time_machine.travel(clock.now() + timedelta(hours=1)):
            later = anybody.get(f"/boards/{board}{path}")
            not_modified = anybody.get(f"/boards/{board}{path}", If_None_Match=first["ETag"])
        game.submit(entry | {"player": "b"} if not path else entry)
        changed = anybody.get(f"/boards/{board}{path}", If_None_Match=first["ETag"])

        assert first["ETag"].startswith('W/"')
        assert later["ETag"] == first["ETag"]
        assert (not_modified.status_code, not_modified.content, not_modified["ETag"]) == (304, b"", first["ETag"])
        assert changed.status_code == 200
        assert changed["ETag"] != first["ETag"]

    @pytest.mark.parametrize(
        ("named", "status"),
        [("{tag}", 304), ('"other", {tag}', 304), ("{strong}", 304), ("*", 304), ('W/"other"', 200), ("nonsense", 200)],
    )
    def test_any_tag_of_the_header_may_match(self, make_board: Make, anybody: Caller, named: str, status: int) -> None:
        path = f"/boards/{make_board()}/standings"
        tag = anybody.get(path)["ETag"]

        response = anybody.get(path, If_None_Match=named.format(tag=tag, strong=tag.removeprefix("W/")))

        assert response.status_code == status

    def test_the_list_of_boards_has_one_too(self, make_board: Make, anybody: Caller) -> None:
        make_board()
        tag = anybody.get("/boards")["ETag"]

        assert anybody.get("/boards", If_None_Match=tag).status_code == 304

    def test_what_redis_cannot_say_has_another_tag_than_what_it_said(
        self, make_board: Make, game: Caller, anybody: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from foundation import redis

        board = make_board()
        game.submit({"board": board, "player": "a", "points": 1})
        live = anybody.get(f"/boards/{board}/standings")
        monkeypatch.setattr(redis.Link, "_wire", _away)

        from_sql = anybody.get(f"/boards/{board}/standings", If_None_Match=live["ETag"])

        assert from_sql.status_code == 200
        assert from_sql.json()["rows"] == live.json()["rows"]


def _away(*_: object) -> None:
    from foundation import redis

    raise redis.RedisAway("Redis is away.")
