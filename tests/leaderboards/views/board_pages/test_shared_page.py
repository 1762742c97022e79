"""What everybody sees is kept for a second; one's own is put into it as it is now, and nobody gets another one's."""

import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.models import Board
from leaderboards.views.board_pages import shared_page
from tests.leaderboards.views.pages import count_round_trips, make_full_board, signed_in, text, timeless
from tests.playing import name, score

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def board() -> int:
    return make_full_board()


def remembered(player: str) -> Client:
    """A device that remembers a player."""
    client = Client()
    client.cookies["player"] = player
    return client


@pytest.mark.parametrize("query", ["", "?fragment=1", "?page=2", "?page=9", "?embed=1", "?find=nobody"])
def test_a_kept_scene_shows_a_viewer_what_a_new_one_would(board: int, query: str) -> None:
    address = f"/boards/{board}/{query}"
    for player in ("p001", "p010", "p099", "stranger"):
        client = remembered(player)
        shared_page.forget()
        new = client.get(address).content.decode()
        shared_page.forget()
        remembered("p055").get(address)  # the scene is another viewer's making

        kept = client.get(address).content.decode()

        assert timeless(kept) == timeless(new), player
        assert "p055 highlighted" not in kept, player
        assert "<!--" not in kept, player  # the marks of the places that one's own is put into


@pytest.mark.parametrize("query", ["", "?fragment=1"])
def test_nothing_of_one_viewer_is_left_for_the_next(board: int, query: str) -> None:
    address = f"/boards/{board}/{query}"
    before = Client().get(address).content.decode()
    shared_page.forget()

    staff = signed_in(Client(), "boss", "p003", is_staff=True).get(address).content.decode()
    other = remembered("p100").get(address).content.decode()
    stranger = Client().get(f"{address}{'&' if query else '?'}unknown=1").content.decode()

    cards = [page.partition('data-part="own"')[2].partition("</section>")[0] for page in (staff, other)]
    assert [("p003" in card, "p100" in card) for card in cards] == [(True, False), (False, True)]
    assert "Admin" not in other + stranger
    assert "<!--" not in staff + stranger
    assert 'id="me"' not in stranger
    assert timeless(stranger) == timeless(before)


def test_who_has_moved_is_in_one_place_and_sees_their_row_where_they_stand_now(board: int) -> None:
    address, clients = f"/boards/{board}/", [remembered(player) for player in ("p030", "p100", "p049")]
    for client in clients:
        client.get(address)
    score(board, {"p030": 5000, "p100": 4000})

    answers = [client.get(address) for client in clients]

    moved, came, left = text(answers[0]), *(each.content.decode() for each in answers[1:])

    assert "1 p030 highlighted 5,000" in moved
    assert "Rank 1 . See the row 1,000 points ahead of p100 5,000 points of 120" in moved
    assert len(re.findall(r'<tr class="is-me" id="me">(?:(?!<tr).)*/players/p100/', came)) == 1
    assert left.partition('data-part="top"')[2].count('id="me"') == 1
    assert "Around this place" in left


def test_a_viewer_costs_one_exchange_and_of_a_kept_scene_no_statement(
    board: int,
    django_assert_num_queries: DjangoAssertNumQueries,
    django_assert_max_num_queries: DjangoAssertNumQueries,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address, client = f"/boards/{board}/", remembered("p099")
    monkeypatch.setattr("foundation.caching.micro_cache.TTL_SECONDS", 60.0)  # on a slow machine too
    Client().get(address)
    trips = count_round_trips(monkeypatch)

    with django_assert_max_num_queries(7):
        client.get(address)
    with django_assert_num_queries(0):
        client.get(address)

    assert len(trips) == 2


def test_parts_that_are_kept_follow_whatever_shows_in_them(board: int) -> None:
    address, client = f"/boards/{board}/", remembered("p099")
    client.get(address)
    score(board, {"newcomer": 1})
    one_more = text(client.get(address))
    Board.objects.update(format="kcal")
    name("p000", "Leader")
    name("p099", "Mina")
    shared_page.forget()
    renamed = text(client.get(address))

    assert "901 points of 121" in one_more
    assert [said for said in ("901 kcal of 121", "Leader leads.", "Mina highlighted") if said not in renamed] == []
