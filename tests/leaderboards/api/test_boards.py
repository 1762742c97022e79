"""Boards as the API shows them: one, all, and the one of a name."""

from datetime import UTC, datetime

import time_machine

from foundation import clock
from leaderboards.models import Board
from leaderboards.services.boards import SETTINGS, retire
from tests.leaderboards.api.conftest import Caller, Make
from tests.playing import score


def test_a_board_is_shown_with_all_settings_its_players_and_its_running_period(
    make_board: Make, anybody: Caller
) -> None:
    with time_machine.travel(datetime(2026, 11, 20, 9, tzinfo=UTC), tick=False):
        board = make_board(
            "Wins", timezone="Asia/Seoul", decimals=2, minimum="-1.50", maximum=100, total_maximum=100, storage="sql"
        )
        score(board, {"a": 1, "b": 1})

        answer = anybody.get(f"/boards/{board}").json()

    assert set(answer) == {"seq", *SETTINGS, "total", "retired_at", "settings"}
    expected = {
        "seq": board, "name": "Wins", "total": 2, "retired_at": None, "timezone": "Asia/Seoul", "storage": "sql",
        "minimum": -1.5, "maximum": 100, "decimals": 2, "criteria": [], "ties": "first_come",
    }  # fmt: skip  # as a table
    assert {name: answer[name] for name in expected} == expected
    ends = {"starts_at": "2026-11-15T15:00:00Z", "ends_at": "2026-11-22T15:00:00Z"}
    assert answer["period"] == {"label": "2026-47", **ends, "state": "open", "seconds_left": 194_400}
    assert set(answer["settings"]) == set(SETTINGS)
    assert answer["settings"]["period"] == "week"


def test_all_time_has_no_end_a_retired_board_one_and_an_event_board_no_running_period(
    make_board: Make, anybody: Caller
) -> None:
    seqs = [make_board("All", period="all_time"), make_board("Cups", period="event"), make_board("Old")]
    retire(Board.objects.get(name="Old"), clock.now())

    all_time, event, retired = (anybody.get(f"/boards/{seq}").json() for seq in seqs)

    endless = {"label": "all", "starts_at": None, "ends_at": None, "state": "open", "seconds_left": None}
    assert (all_time["period"], event["period"]) == (endless, None)
    assert retired["retired_at"] == retired["period"]["ends_at"]


def test_boards_are_listed_by_number_and_found_by_name(make_board: Make, anybody: Caller) -> None:
    first, second = make_board("First"), make_board("Second & last")

    every = anybody.get("/boards").json()
    found = anybody.get("/boards?name=Second%20%26%20last").json()

    one = anybody.get(f"/boards/{second}").json()
    assert (every["total"], [row["seq"] for row in every["rows"]]) == (2, [first, second])
    assert [set(row) for row in every["rows"]] == [set(one), set(one)]
    assert (found["total"], [row["seq"] for row in found["rows"]]) == (1, [second])
    for name in ("second", "Nobody's", "%00", "x" * 1000, ""):
        assert anybody.get(f"/boards?name={name}").json() == {"total": 0, "rows": []}
