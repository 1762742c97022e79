"""Lists of the admin speak as people do: no codes, no raw milliseconds, no numbers where there is a name."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import strip_tags

from foundation import clock
from leaderboards.models import Board, Period, Player
from tests.competitions.site import joined, open_competition
from tests.leaderboards.admin.test_others import score
from tests.leaderboards.admin.typed import make_board, page
from tests.leaderboards.factories import PlayerFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def rows(client: Client, model: str, query: str = "", language: str = "en") -> str:
    """The text of the rows of a list."""
    answer = client.get(f"/admin/{model}/{query}", headers={"accept-language": language})
    assert answer.status_code == 200
    table = answer.content.decode().partition('id="result_list"')[2].partition("<tbody>")[2].partition("</tbody>")[0]
    return re.sub(r"\s+", " ", strip_tags(table.replace("<", " <"))).strip()


@pytest.fixture
def timed(db: None) -> Board:
    board = make_board(name="Speed run", storage="hybrid", period="week", unit="milliseconds", order="asc")
    score(board, "ann", points=65_250)
    return board


def test_boards_are_listed_by_what_they_do(admin: Client, timed: Board) -> None:
    make_board(name="For ever", storage="sql", period="all_time")

    english, korean = rows(admin, "leaderboards/board"), rows(admin, "leaderboards/board", language="ko")

    assert re.search(r"Speed run weekly 1 Mon \d+ \w+ 00:00 \w+ SQL, shown by Redis in use \d+", english)
    assert re.search(r"For ever for all time 0 – SQL alone in use \d+", english)
    assert "LeaderBoard_" not in english
    assert "매주" in korean
    for code in ("week", "hybrid", "all_time"):
        assert code not in f"{english.replace('weekly', '')} {korean}"


def test_boards_are_found_by_state_kind_and_what_decides(admin: Client, timed: Board) -> None:
    retired = make_board(name="Gone", storage="sql", period="day")
    Board.objects.filter(pk=retired.pk).update(retired_at=clock.now())

    asked = {
        query: {name for name in ("Speed run", "Gone") if name in rows(admin, "leaderboards/board", query)}
        for query in ("?state=used", "?state=retired", "?period=week", "?storage=sql", "?period=nonsense")
    }

    assert asked == {
        "?state=used": {"Speed run"},
        "?state=retired": {"Gone"},
        "?period=week": {"Speed run"},
        "?storage=sql": {"Gone"},
        "?period=nonsense": {"Speed run", "Gone"},
    }


def test_results_have_their_unit_and_periods_their_dates(admin: Client, timed: Board) -> None:
    period = Period.objects.filter(board=timed, starts_at__lte=clock.now()).latest("starts_at")

    for model in ("submission", "standing"):
        shown = rows(admin, f"leaderboards/{model}")
        assert "1:05.250" in shown, model
        assert "65250" not in shown, model
        assert period.label not in shown, model
        assert "UTC" in shown, model


def test_what_is_done_with_a_result_is_a_word(admin: Client) -> None:
    board = make_board(storage="sql", period="week", update="increment", operators=["decrement", "increment"])
    score(board, "ann", points=5, operator="increment")

    assert "5 points (added)" in rows(admin, "leaderboards/submission")
    assert "5점 (더함)" in rows(admin, "leaderboards/submission", language="ko")


def test_players_have_a_name_first_and_countries_are_named(admin: Client) -> None:
    PlayerFactory.create(external_id="u-1", name="Alice", country="KR")
    PlayerFactory.create(external_id="u-2", name="", country="")

    assert "Alice u-1 South Korea" in rows(admin, "leaderboards/player")
    assert "u-2 u-2 –" in rows(admin, "leaderboards/player")
    assert "대한민국" in rows(admin, "leaderboards/player", language="ko")


def test_each_cell_says_its_column_which_a_phone_shows_in_a_card(admin: Client) -> None:
    PlayerFactory.create(external_id="u-1", name="Alice", country="KR")

    html = page(admin, "/admin/leaderboards/player/")

    [row] = re.findall(r"<tr>(.*?)</tr>", html.partition("<tbody>")[2].partition("</tbody>")[0], re.DOTALL)
    headings = re.findall(r'<th scope="col".*?<div class="text">(?:<a[^>]*>|<span>)(.*?)<', html, re.DOTALL)
    assert re.findall(r'data-label="([^"]+)"', row) == [each for each in headings if each]
    assert re.search(r'<td class="action-checkbox">', row)  # the column of ticks has no words


@pytest.mark.parametrize(
    "model",
    ["leaderboards/board", "leaderboards/period", "leaderboards/standing", "leaderboards/submission"],
)
def test_a_list_costs_no_statement_for_each_row(admin: Client, model: str) -> None:
    def statements() -> int:
        """The fewest of three: on a busy machine Redis may answer too late once, and SQL is asked instead."""
        page(admin, f"/admin/{model}/")
        found = []
        for _ in range(3):
            with CaptureQueriesContext(connection) as asked:
                page(admin, f"/admin/{model}/")
            found.append(len(asked))
        return min(found)

    first = make_board(name="First", storage="hybrid", period="week")
    score(first, "ann")
    joined(open_competition(name="First cup"), "ann")
    few = statements()
    for nth in range(4):
        board = make_board(name=f"More {nth}", storage="hybrid", period="day")
        score(board, *(f"player-{each}" for each in range(4)))
    more_of_boards = 4 if model == "leaderboards/board" else 0  # whether its rules change is asked for each

    assert statements() <= few + more_of_boards + 1
    assert Player.objects.count() > 4
