"""How other sites show links to lists, series and players: in words, and nothing of what is private."""

from html import unescape

import pytest
from django.test import Client

from tests.competitions.site import make_board, open_competition
from tests.competitions.views.test_series import counted
from tests.leaderboards.views.pages import signed_in
from tests.playing import make_board as make_calendar_board
from tests.playing import score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def described(client: Client, address: str) -> tuple[str, str]:
    """The title and the words of its preview; empty where it has none."""
    page = client.get(address).content.decode()
    part = [page.partition(f'property="og:{name}" content="')[2].partition('"')[0] for name in ("title", "description")]
    return unescape(part[0]), unescape(part[1])


def test_lists_are_shown_by_what_is_on_them() -> None:
    for name in ("One", "Two", "Three & co", "Four", "Five", "Six"):
        make_calendar_board(name=name)
    open_competition(make_board(name="Event"), name="Spring cup")

    words = described(Client(), "/boards/")

    assert words[0] == "Boards"
    assert words[1].endswith(" …")
    assert "Three & co" in words[1]
    assert described(Client(), "/competitions/") == ("Competitions", "Spring cup")
    assert described(Client(), "/")[0] == "Leaderboards"
    assert 'name="twitter:card" content="summary"' in Client().get("/").content.decode()


def test_a_series_is_shown_with_its_best_and_a_private_one_with_nothing() -> None:
    series = counted()
    hidden = open_competition(make_board(name="Hidden", visibility="private"), name="Secret cup")
    staff = signed_in(Client(), "boss", is_staff=True, is_superuser=True)

    title, words = described(Client(), f"/series/{series.pk}/")

    assert title == "Summer"
    assert words.startswith("=1. ")
    assert described(Client(), "/series/") == ("Series", "Summer")
    assert "Secret cup" not in described(staff, "/competitions/")[1]
    assert described(staff, f"/competitions/{hidden.pk}/") == ("", "")


def test_a_player_is_shown_with_their_best_places() -> None:
    board, other = make_calendar_board(name="Weekly wins"), make_calendar_board(name="Golf")
    score(board, {"robin": 5, "mina": 7})
    score(other, {"robin": 9, "mina": 7})

    assert described(Client(), "/players/robin/") == (
        "robin",
        "rank 1 of 2 on Golf · rank 2 of 2 on Weekly wins",
    )
