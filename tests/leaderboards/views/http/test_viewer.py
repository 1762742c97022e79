"""Who looks: the player that a device remembers, or the one that an account is linked to."""

from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.test import Client

from accounts.session_store import SessionStore
from foundation.db import resilience as sql
from tests.leaderboards.views.pages import signed_in, text
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_device_remembers_whom_the_address_of_a_page_named_and_the_linked_player_comes_first(
    client: Client,
) -> None:
    board = make_board()
    score(board, {"로빈": 5, "mina": 3})

    open_tab = client.get(f"/boards/{board}/?player=로빈&fragment=1")
    first = client.get(f"/boards/{board}/", {"player": "로빈"})
    later = client.get(f"/boards/{board}/")
    client.get(f"/boards/{board}/?player=")
    forgotten = client.get(f"/boards/{board}/")
    linked = signed_in(Client(), "someone", "로빈").get(f"/boards/{board}/?player=mina")

    assert "로빈 You 5" in text(linked)
    assert "highlighted" not in text(linked)
    assert "player" not in linked.cookies
    assert "player" not in open_tab.cookies  # which may be asked long after the player was forgotten
    assert first.cookies["player"]["httponly"]
    assert first.cookies["player"]["samesite"] == "Lax"
    assert "로빈 highlighted" in text(later)
    assert "highlighted" not in text(forgotten)


def test_an_impossible_id_is_refused_and_not_remembered_and_a_broken_cookie_is_nobody(client: Client) -> None:
    board = make_board()

    impossible = client.get(f"/boards/{board}/", {"player": "a/b"})
    client.cookies["player"] = "%ff%00"
    broken = client.get(f"/boards/{board}/")

    assert "No player can have this id." in text(impossible)
    assert "player" not in impossible.cookies
    assert broken.status_code == 200


@pytest.mark.parametrize(("visibility", "status"), [("public", 200), ("private", 503)])
def test_while_nobody_knows_who_is_signed_in_they_see_what_everybody_may(
    client: Client, monkeypatch: pytest.MonkeyPatch, visibility: str, status: int
) -> None:
    board = make_board(visibility=visibility)
    score(board, {"robin": 5})
    signed_in(client, "someone", "robin", is_staff=True)
    client.get(f"/boards/{board}/")
    monkeypatch.setattr(SessionStore, "load", Mock(side_effect=OperationalError("the server closed the connection")))
    monkeypatch.setattr(sql._Breaker, "silent_until", 0.0)

    response = client.get(f"/boards/{board}/")

    assert response.status_code == status
    assert ("Sign in" in text(response)) == (status == 200)
    assert "sessionid" not in response.cookies
