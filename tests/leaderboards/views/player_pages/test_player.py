"""A player's page: where they stand, their best final ranks and their competitions, as everybody may see them."""

import re
from html import unescape

import pytest
from django.test import Client

from foundation import clock
from leaderboards.models import Period, PeriodState, Player
from leaderboards.services.moderation.restrict import hidden_in_period, restrict
from leaderboards.views.http import micro_cache
from tests.leaderboards.views.pages import WEEK, close_all_past, signed_in, text
from tests.playing import make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_tells_where_they_stand_and_were_best_and_to_themselves_when_they_were_there(client: Client) -> None:
    board = make_board(name="Weekly wins")
    score(board, {"robin": 9, "mina": 3}, clock.now() - WEEK)
    close_all_past(board)
    score(board, {"robin": 5, "mina": 7})
    name("robin", "Robin")
    robin = signed_in(Client(), "someone", "robin")

    page = text(client.get("/players/robin/"))

    assert "Robin Player id: robin" in page
    assert "Stands now Weekly wins 2 of 2 This week" in page
    assert "5 points" in page
    assert "Records Weekly wins 1 best of 1 final rank Best score 9 points" in page
    assert "Your last ten weeks" not in page + text(robin.get("/players/mina/"))
    assert "Your last ten weeks" in text(robin.get("/players/robin/"))


def test_private_boards_are_on_nobodys_page_and_somebody_banned_has_none(client: Client) -> None:
    score(make_board(name="Secret", visibility="private"), {"robin": 5})
    staff = signed_in(Client(), "boss", is_staff=True)

    pages = [text(each.get("/players/robin/")) for each in (client, staff)]
    Player.objects.update(banned_at=clock.now())
    micro_cache.forget()

    assert [("robin" in page, "Secret" in page) for page in pages] == [(True, False), (True, False)]
    assert client.get("/players/robin/").status_code == 404


def test_every_id_has_an_address_that_works_and_somebody_unknown_is_404(client: Client) -> None:
    board = make_board()
    ids = ["로빈", "100%", "a b", "what?", "#1", "x&y=1", "Z" * 64]
    score(board, dict.fromkeys(ids, 5))
    page = client.get(f"/boards/{board}/").content.decode()

    addresses = [unescape(found.strip('"')) for found in re.findall(r'</i><a href=("[^"]*"|[^>]*)>', page)]

    assert len(addresses) == len(ids)
    assert [address for address in addresses if client.get(address).status_code != 200] == []
    unknown = ("nobody", "a%2Fb", "%00", "W" * 300)
    assert [client.get(f"/players/{player}/").status_code for player in unknown] == [404] * 4


def test_final_ranks_say_where_they_were_shared_and_a_best_one_where_it_never_was_held_alone(client: Client) -> None:
    board = make_board(name="Weekly wins", ties="shared")
    score(board, {"robin": 5, "mina": 5}, clock.now() - 3 * WEEK)
    score(board, {"robin": 9, "mina": 9, "zoe": 9}, clock.now() - 2 * WEEK)
    score(board, {"mina": 7, "robin": 5}, clock.now() - WEEK)
    close_all_past(board)

    robin, mina = (text(client.get(f"/players/{player}/")) for player in ("robin", "mina"))
    device = text(client.get(f"/boards/{board}/?player=robin&tables=1")).partition("Final ranks, the latest first")[2]

    assert "Records Weekly wins = 1 best of 3 final ranks" in robin
    assert "Records Weekly wins 1 best of 3 final ranks" in mina
    # Twice as a final rank and twice as a trophy, and once as the best.
    assert [robin.count(place) for place in ("Weekly wins 2 ", "Weekly wins = 1 ")] == [2, 5]
    assert re.findall(r"\d{4}-\d\d (=? ?\d)", device) == ["2", "= 1", "= 1"]


def test_no_sign_tells_of_somebody_hidden_who_shares_a_final_rank(client: Client) -> None:
    board = make_board(name="Weekly wins", ties="shared")
    score(board, {"robin": 5, "mina": 5}, clock.now() - WEEK)
    close_all_past(board)
    mina, period = Player.objects.get(external_id="mina"), Period.objects.get(board=board, state=PeriodState.FINAL)
    restrict([mina.pk], hidden_in_period(period), "False.", clock.now(), None)

    page = text(client.get("/players/robin/"))

    assert page.count("Weekly wins 1 ") == 3
    assert "= 1" not in page
