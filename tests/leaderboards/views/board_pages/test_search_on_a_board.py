"""Finding a player in the field of one board."""

import pytest
from django.test import Client

from leaderboards.models import Board, Player
from tests.leaderboards.services.restricting import WAYS_ON_A_BOARD, keep_out
from tests.leaderboards.views.named import named_board
from tests.leaderboards.views.pages import signed_in
from tests.playing import make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def board() -> Board:
    return named_board()


@pytest.mark.parametrize("how", WAYS_ON_A_BOARD)
def test_players_hidden_on_a_board_hide_nobody_in_its_field(client: Client, board: Board, how: str) -> None:
    others = [f"x{number}" for number in range(25)]
    score(board.seq, dict.fromkeys(others, 5))
    for player in others:
        name(player, "Lukas")
        keep_out(how, board, player)

    place = client.get(f"/boards/{board.seq}/", {"find": "luka"}).headers.get("Location", "")

    assert place.endswith("?player=p2#me")


def test_a_shadowed_player_finds_themselves_on_the_board(board: Board) -> None:
    own = signed_in(Client(), "someone", "p2")
    keep_out("shadowed", board, "p2")

    assert "#r" in own.get(f"/boards/{board.seq}/", {"find": "luka"}).headers.get("Location", "")
    assert "Location" not in Client().get(f"/boards/{board.seq}/", {"find": "luka"}).headers


def test_on_a_board_a_name_is_found_folded_and_a_rank_before_a_beginning(client: Client, board: Board) -> None:
    name("p6", "2 Fast")
    elsewhere = make_board()
    score(elsewhere, {"q1": 1})
    name("q1", "Łukas")

    def place(sought: str) -> str:
        return str(client.get(f"/boards/{board.seq}/", {"find": sought}).headers.get("Location", "")).partition("?")[2]

    assert place("lukasz") == "player=p2#me"
    assert place("luka") == "player=p2#me"
    assert place("zoe") == "player=p1#me"
    assert place("지") == "player=p3#me"
    assert place("2 f") == "player=p6#me"
    assert "player=" not in place("2")
    keep_out("hidden", board, "p2")
    assert place("luka") == ""


def test_a_board_finds_its_own_among_many_of_the_same_name(client: Client, board: Board) -> None:
    Player.objects.bulk_create(Player(external_id=f"0{number}", name="LUKASZ") for number in range(300))

    place = client.get(f"/boards/{board.seq}/", {"find": "lukas"}).headers["Location"]

    assert place.endswith("?player=p2#me")


@pytest.mark.parametrize(("sought", "number", "anchor"), [("e59", "", "r1"), ("e52", "", "n8"), ("e07", "2", "n3")])
def test_among_equals_the_row_itself_is_found_and_marked(sought: str, number: str, anchor: str) -> None:
    board = make_board(name="Golf", ties="shared")
    score(board, dict.fromkeys((f"e{number:02d}" for number in range(60)), 9))
    own = signed_in(Client(), "someone", "e00")

    place = own.get(f"/boards/{board}/", {"find": sought}).headers["Location"]

    query = f"?page={number}" if number else "?"
    assert place == f"/boards/{board}/{query}#{anchor}"
    html = own.get(f"/boards/{board}/{query}").content.decode()
    row = next(each for each in html.partition("<tbody>")[2].split("<tr") if f"/players/{sought}/" in each)
    assert f"id={anchor}>" in row
    stranger = Client().get(f"/boards/{board}/", {"find": sought}).headers["Location"]
    assert stranger == f"/boards/{board}/?{f'page={number}&' if number else ''}player={sought}#me"
