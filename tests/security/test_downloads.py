"""A player's name is a formula, and somebody opens the table in a spreadsheet; or it turns the text around it."""

import csv
import io
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from foundation import clock
from leaderboards.core.input.csv_cells import raw_cell, safe_cell
from leaderboards.core.input.names import display_name
from leaderboards.models import Period, Player
from leaderboards.services.periods.close import close_period
from leaderboards.services.players.profiles import set_profile
from tests.competitions.factories import CompetitionFactory
from tests.leaderboards.api.conftest import Caller, Make, problem

pytestmark = pytest.mark.django_db

FORMULAS = ("=HYPERLINK(1)", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", " =1", "＝1+1")
PLAIN = ("alice", "-5", "+7.5", "-0", "민준", "a=b", "'=1", "")


def table(response: Any) -> list[list[str]]:
    assert response.status_code == 200
    return list(csv.reader(io.StringIO(b"".join(response).decode(), newline="")))


def test_a_text_that_begins_as_a_formula_gets_an_apostrophe_and_no_other_cell_changes() -> None:
    assert [safe_cell(each) for each in FORMULAS] == [f"'{each}" for each in FORMULAS]
    assert [safe_cell(each) for each in PLAIN] == [*PLAIN]
    assert [safe_cell(each) for each in (-5, None, 2.5)] == [-5, None, 2.5]
    assert [raw_cell(each) for each in FORMULAS] == [*FORMULAS]


def test_the_csv_of_a_board_runs_nothing_and_its_negative_points_stay_numbers(
    make_board: Make, game: Caller, capsys: pytest.CaptureFixture[str]
) -> None:
    board = make_board(storage="sql", minimum=-100)
    game.score(board, **{"=1+1": -7, "-5": -8})
    set_profile("-5", {"name": "@SUM(A1)"}, clock.now())
    path = f"/boards/{board}/standings.csv"

    safe, raw = table(game.get(path)), table(game.get(f"{path}?raw=true"))
    call_command("export_standings", board=board)
    printed = capsys.readouterr().out
    call_command("export_standings", board=board, raw=True)
    printed_raw = capsys.readouterr().out

    assert [line[1:4] for line in safe[1:]] == [["'=1+1", "'=1+1", "-7"], ["-5", "'@SUM(A1)", "-8"]]
    assert [line[1:4] for line in raw[1:]] == [["=1+1", "=1+1", "-7"], ["-5", "@SUM(A1)", "-8"]]
    assert "1,'=1+1,'=1+1,-7," in printed
    assert "1,=1+1,=1+1,-7," in printed_raw


def test_both_forms_of_a_final_csv_carry_one_hash_and_a_tag_each_over_what_is_downloaded(
    make_board: Make, game: Caller
) -> None:
    board = make_board(storage="sql")
    game.score(board, **{"=1+1": 7})
    period = Period.objects.filter(board=board).earliest("starts_at")
    close_period(period, clock.now())
    path = f"/boards/{board}/standings.csv?period={period.label}"

    safe, raw = game.get(path), game.get(f"{path}&raw=true")

    assert safe["Content-Hash"] == raw["Content-Hash"]
    assert safe["ETag"] != raw["ETag"]
    assert game.get(f"{path}&raw=true", If_None_Match=safe["ETag"]).status_code == 200


def test_the_csv_of_a_competition_runs_nothing(game: Caller, db: None) -> None:
    competition = CompetitionFactory.create()

    answers = [game.get(f"/competitions/{competition.pk}/standings.csv{query}") for query in ("", "?raw=true")]

    assert [answer.status_code for answer in answers] == [200, 200]


@pytest.mark.parametrize("turn", ["\u202e", "\u202a", "\u2066", "\u2069"])
def test_a_name_that_turns_the_text_beside_it_is_refused_and_an_old_one_is_shown_without(
    game: Caller, make_board: Make, turn: str
) -> None:
    board = make_board(storage="sql")
    game.score(board, alice=5)

    problem(game.send("PUT", "/players/alice", {"name": f"abc{turn}def"}), 422, "invalid_request")
    Player.objects.filter(external_id="alice").update(name=f"abc{turn}def")

    assert display_name(f"abc{turn}def", "alice") == "abcdef"
    assert turn not in Client().get(f"/boards/{board}/").content.decode()
    assert game.send("PUT", "/players/alice", {"name": "שלום 민준"}).status_code == 200
