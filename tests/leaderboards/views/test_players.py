"""A player's page: where he stands, his best final ranks and his competitions, as everybody may see them."""

from datetime import timedelta
from html import unescape

import pytest
from django.test import Client

from foundation import clock
from leaderboards.models import Player
from tests.leaderboards.views.pages import signed_in, text
from tests.leaderboards.views.test_details import close_all_past
from tests.playing import HARD_NAMES, make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_tells_where_he_stands_and_where_he_was_best(client: Client) -> None:
    board = make_board(name="Weekly wins")
    score(board, {"robin": 9, "mina": 3}, clock.now() - timedelta(weeks=1))
    close_all_past(board)
    score(board, {"robin": 5, "mina": 7})
    name("robin", "Robin")

    page = text(client.get("/players/robin/"))

    assert "Robin Player id: robin" in page
    assert "Stands now Weekly wins 2 of 2 This week" in page
    assert "5 points" in page
    assert "Best final ranks Weekly wins 1 in 1 final period" in page


def test_private_boards_are_on_nobodys_page(client: Client) -> None:
    score(make_board(name="Secret", visibility="private"), {"robin": 5})
    staff = signed_in(Client(), "boss", is_staff=True)

    assert "Secret" not in text(client.get("/players/robin/"))
    assert "Secret" not in text(staff.get("/players/robin/"))


@pytest.mark.parametrize("player", ["nobody", "a%2Fb", "%00", "W" * 300])
def test_somebody_unknown_is_404(client: Client, player: str) -> None:
    assert client.get(f"/players/{player}/").status_code == 404


def test_somebody_banned_has_no_page(client: Client) -> None:
    score(make_board(), {"robin": 5})
    Player.objects.update(banned_at=clock.now())

    assert client.get("/players/robin/").status_code == 404


def test_every_id_has_an_address_that_works(client: Client) -> None:
    board = make_board()
    ids = ["로빈", "100%", "a b", "what?", "#1", "x&y=1", "Z" * 64]
    score(board, dict.fromkeys(ids, 5))
    page = client.get(f"/boards/{board}/").content.decode()

    addresses = [unescape(part.partition('"')[0]) for part in page.split('class="player-link" href="')[1:]]

    assert len(addresses) == len(ids)
    assert [address for address in addresses if client.get(address).status_code != 200] == []


def test_names_are_text_here_too(client: Client) -> None:
    score(make_board(), {"robin": 5})
    for hard in HARD_NAMES:
        name("robin", hard)

        assert "<script>alert" not in client.get("/players/robin/").content.decode()
