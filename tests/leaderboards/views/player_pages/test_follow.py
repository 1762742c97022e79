"""Following on pages: the button, the list, the menu of a row, and that nobody else sees any of it."""

import re
from html import unescape

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from foundation import clock
from foundation.throttling import rate_limit
from foundation.throttling.limits import Limit
from leaderboards.models import Follow, Player
from leaderboards.views.http import micro_cache
from tests.leaderboards.views.pages import signed_in, text
from tests.playing import make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)

MINA = "/players/mina/"


@pytest.fixture
def board() -> int:
    board = make_board(name="Weekly wins")
    score(board, {"robin": 5, "mina": 7, "가 나": 3})
    name("mina", "Mina <b>")
    return board


@pytest.fixture
def robin(board: int) -> Client:
    rate_limit.reset()
    return signed_in(Client(), "robin", "robin")


def followed() -> list[str]:
    return list(Follow.objects.order_by("pk").values_list("player__external_id", flat=True))


def press(client: Client, page: str) -> str:
    """Sends the first form to follow on the page, as a browser without scripts does; where that leads."""
    html = client.get(page).content.decode()
    form = re.search(r'<form[^>]* action="([^"]+/follow/)".*?</form>', html, re.DOTALL)
    assert form
    back, wanted = (re.search(rf'name="{each}" value="([^"]*)"', form[0]) for each in ("next", "following"))
    assert back
    assert wanted
    sent = {"next": unescape(back[1]), "following": wanted[1]}
    response = client.post(unescape(form[1]), sent)
    assert response.status_code == 302
    return response["Location"]


def test_the_button_on_a_players_page_follows_and_then_no_longer(robin: Client) -> None:
    assert press(robin, MINA) == MINA
    assert followed() == ["mina"]
    assert "Unfollow" in text(robin.get(MINA))
    assert press(robin, MINA) == MINA
    assert followed() == []
    assert "Unfollow" not in text(robin.get(MINA))


def test_strangers_sign_in_first_and_nobody_follows_themselves(client: Client, robin: Client) -> None:
    page = client.get(MINA).content.decode()

    assert 'href="/accounts/login/?next=%2Fplayers%2Fmina%2F"' in page
    assert "csrfmiddlewaretoken" not in page, "a cached page has no token"
    assert client.post("/players/mina/follow/", {"following": "1"})["Location"].startswith("/accounts/login/")
    assert "/follow/" not in robin.get("/players/robin/").content.decode()
    assert robin.get("/players/mina/follow/")["Location"] == MINA
    refused = robin.post("/players/robin/follow/", {"following": "1"})
    assert (refused.status_code, followed()) == (422, [])
    assert "your own player" in text(refused)


def test_what_is_no_state_or_nobody_is_refused_and_nothing_is_done(robin: Client) -> None:
    answers = [
        robin.post("/players/mina/follow/", {"following": "2"}),
        robin.post("/players/mina/follow/"),
        robin.post("/players/nobody/follow/", {"following": "1"}),
    ]

    assert [answer.status_code for answer in answers] == [400, 400, 404]
    assert followed() == []


def test_forms_of_other_sites_are_refused(board: int) -> None:
    strict = signed_in(Client(enforce_csrf_checks=True), "robin", "robin")

    assert strict.post("/players/mina/follow/", {"following": "1"}).status_code == 403
    assert followed() == []


def test_scripts_are_told_the_state_or_what_was_wrong(robin: Client, settings: LazySettings) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "follow": Limit(2, 60)}

    def ask(player: str, wanted: str) -> tuple[int, object]:
        answer = robin.post(f"/players/{player}/follow/", {"following": wanted}, headers={"Accept": "application/json"})
        return answer.status_code, answer.json()

    assert ask("mina", "1") == (200, {"following": True})
    assert ask("nobody", "1") == (404, {"refused": "There is no such player."})
    assert ask("mina", "0")[0] == 429
    assert followed() == ["mina"]


def test_it_leads_back_to_pages_of_this_site_alone(robin: Client) -> None:
    there = robin.post("/players/mina/follow/", {"following": "1", "next": "/boards/?page=2"})
    elsewhere = robin.post("/players/mina/follow/", {"following": "1", "next": "https://example.org/"})

    assert [there["Location"], elsewhere["Location"]] == ["/boards/?page=2", MINA]


def test_the_list_is_on_ones_account_and_ones_own(robin: Client, client: Client) -> None:
    empty = text(robin.get("/account/following/"))
    for player in ("mina", "가 나"):
        robin.post(f"/players/{player}/follow/", {"following": "1"})
    mina = signed_in(Client(), "mina-s-account", "mina")

    page = text(robin.get("/account/following/"))

    assert "You follow nobody yet." in empty
    assert "2 of at most 500" in page
    assert page.index("가 나") < page.index("Mina <b>"), "the latest first"
    assert "/account/following/" in robin.get("/account/").content.decode()
    assert "You follow nobody yet." in text(mina.get("/account/following/"))
    assert client.get("/account/following/").status_code == 302
    micro_cache.forget()
    seen = [text(each.get(page)) for each in (client, mina) for page in (MINA, "/players/robin/")]
    assert not any("Unfollow" in page for page in seen)
    assert press(robin, "/account/following/") == "/account/following/"
    assert followed() == ["mina"]


def test_who_is_banned_is_not_on_the_list(robin: Client) -> None:
    robin.post("/players/mina/follow/", {"following": "1"})
    Player.objects.filter(external_id="mina").update(banned_at=clock.now())

    assert "0 of at most 500" in text(robin.get("/account/following/"))


def test_the_menu_of_a_row_offers_it_and_leads_back_to_the_board(board: int, robin: Client, client: Client) -> None:
    menu = f"/players/mina/menu/?board={board}&next=/boards/{board}/?page=1"

    assert press(robin, menu) == f"/boards/{board}/?page=1"
    assert "Unfollow" in text(robin.get(menu))
    assert robin.get(menu)["Cache-Control"] == "private, no-cache"
    assert "csrfmiddlewaretoken" not in client.get(menu).content.decode()
    wrong = ("/players/nobody/menu/?board=1", "/players/mina/menu/")
    assert [client.get(each).status_code for each in wrong] == [404] * 2
    assert User.objects.get(username="robin").follows.count() == 1


def test_the_menu_of_a_row_shares_it_from_where_it_stands_and_leads_to_no_other_site(
    board: int, robin: Client, client: Client
) -> None:
    menu = f"/players/mina/menu/?board={board}&share=/boards/{board}/share/&period=2026-46"

    assert (
        f'href="/boards/{board}/share/?row=mina&amp;period=2026-46" data-share-menu'
        in client.get(menu).content.decode()
    )
    own = robin.get(menu.replace("mina", "robin")).content.decode()
    assert "Share this row" in own
    assert "Compare" not in own
    for elsewhere in ("https://evil.example/", "//evil.example/boards/1/share/", "javascript:alert(1)", "/admin/"):
        assert "evil" not in (
            page := client.get(f"/players/mina/menu/?board={board}&share={elsewhere}").content.decode()
        )
        assert "Share" not in page
    assert client.get("/players/mina/menu/?share=/competitions/7/share/").status_code == 200
