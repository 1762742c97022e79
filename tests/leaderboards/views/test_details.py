"""What a board's page tells of equals, of the viewer (why), of the board (rules, spread)."""

import re

import pytest
from django.test import Client

from foundation import clock
from leaderboards.models import Board
from leaderboards.services.board_files import apply_boards
from tests.leaderboards.views.pages import text
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)


def test_equals_are_told_once_and_lead_to_where_they_begin(client: Client) -> None:
    board = make_board(ties="shared")
    score(board, {f"a{number:02d}": 9 for number in range(48)} | {f"b{number:02d}": 5 for number in range(12)})

    first, second = (client.get(f"/boards/{board}/?page={page}") for page in (1, 2))

    assert text(first).count("=49th · 12 players") == 1
    assert 'href="?page=1#r49"' in second.content.decode()


def test_a_place_is_explained(client: Client) -> None:
    board = make_board()
    score(board, {"omar": 9, "mina": 7})
    score(board, {"robin": 7})

    robin, mina, omar = (text(client.get(f"/boards/{board}/?player={who}")) for who in ("robin", "mina", "omar"))

    assert "The best result counts here: 7 points. It has stood so since" in robin
    assert "2 players are ahead." in robin
    assert "\u2068mina\u2069 has the same result and got it earlier." in robin
    assert "\u2068robin\u2069 has the same result but got it later. \u2068omar\u2069 is next, ahead by 2 poi" in mina
    assert "Nobody has a better result." in omar


RULES: dict[str, dict[str, object]] = {
    "The most points win. Only your best result counts. Among equals, the first to get there stands higher.": {},
    "The shortest time wins.": {"order": "asc", "unit": "seconds", "period": "all_time"},
    "All your results are added up.": {"update": "increment"},
    "Only your latest result counts. Equals share a rank.": {"ties": "shared", "update": "latest"},
    "every Sunday at 06:00 (Asia/Seoul).": {"week_start": "sunday", "cutoff": "06:00", "timezone": "Asia/Seoul"},
    "For a single result the game may also choose to: replace what stands, add to it.": {
        "operators": ["increment", "set"]
    },
    "The game may add details to a result; everybody who may see the board may read them.": {"storage": "sql"},
    "A result from before the end still counts if it arrives within 2 min.": {"grace_seconds": 120},
    "Compared one after the other: stage (more is better), deaths seen (less is better).": {
        "criteria": [{"name": "stage", "max": 9, "order": "desc"}, {"name": "deaths_seen", "max": 9, "order": "asc"}]
    },
}


def test_the_rules_are_sentences(client: Client) -> None:
    for said, settings in RULES.items():
        board = make_board(name=f"Board {said[:40]}", **settings)

        assert said in text(client.get(f"/boards/{board}/"))


def test_the_rules_leave_out_what_a_board_has_not(client: Client) -> None:
    board = make_board(name="Live", storage="redis", period="all_time", grace_seconds=120)

    said = text(client.get(f"/boards/{board}/"))

    assert "The most points win." in said
    for other in ("For a single result", "add details", "from before the end"):
        assert other not in said


def test_the_rules_are_korean_for_who_reads_korean(client: Client) -> None:
    board = make_board(name="Both", storage="sql", operators=["set", "decrement"], grace_seconds=60)

    said = text(client.get(f"/boards/{board}/", headers={"Accept-Language": "ko"}))

    assert "개별 결과에 대해 게임이 다음과 같이 달리 정할 수 있습니다: 기존 기록 대체, 빼기." in said
    assert "게임은 결과에 세부 정보를 덧붙일 수 있으며" in said
    assert "1분 안에 도착하면 반영됩니다." in said


def test_rules_and_reasons_are_those_that_the_period_opened_with(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 9, "mina": 5})
    apply_boards([{"name": "Board", "update": "increment", "ties": "shared"}], clock.now())
    assert Board.objects.get(pk=board).update == "increment"

    page = text(client.get(f"/boards/{board}/?player=robin"))

    assert "The best result counts here: 9 points." in page
    assert "Only your best result counts. Among equals, the first to get there stands higher." in page


def test_the_spread_of_many_is_drawn_with_the_viewers_bar_and_told_as_a_table(client: Client) -> None:
    most, least, few = make_board(name="Most"), make_board(name="Least", order="asc"), make_board(name="Few")
    for board, players in ((most, 100), (least, 100), (few, 9)):
        score(board, {f"p{number:03d}": number for number in range(1, players + 1)})

    page, of_least, of_few = (client.get(f"/boards/{board}/?player=p007&tables=1") for board in (most, least, few))
    drawing = client.get(f"/boards/{most}/?player=p007").content.decode()

    bars = re.findall(r'class="bar( is-mine)?" d="([^"]*)"', drawing)
    assert [(mine, path.count("M")) for mine, path in bars] == [("", 20), (" is-mine", 1)]
    assert "Half of the players have 50 or better, the best tenth 90 or better." in text(page)
    assert "From To Players 1 5 5 6 10 5" in text(page)
    assert "Half of the players have 51 or better, the best tenth 11 or better." in text(of_least)
    assert "How points are spread" not in text(of_few)
