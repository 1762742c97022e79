"""One's own profile on one page: what others see, how the site looks, and what is sent; each refusal says why."""

import re

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from competitions.models import Preference
from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.models import Player
from leaderboards.services.moderation.ban import ban
from tests.leaderboards.views.pages import signed_in, text
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "/account/profile/"
SENT = {"name": "Robin", "country": "KR", "language": "en", "theme": "", "mail_language": "", "timezone": ""}


def robin() -> Client:
    score(make_board(name="Weekly wins"), {"robin": 5})
    return signed_in(Client(), "someone", "robin")


def saved() -> Player:
    return Player.objects.get(external_id="robin")


def test_name_and_country_are_changed_and_recorded_and_account_and_own_page_lead_there() -> None:
    client = robin()

    response = client.post(ADDRESS, SENT, follow=True)

    assert "Saved." in text(response)
    assert (saved().name, saved().country, saved().folded_name) == ("Robin", "KR", "robin")
    assert AuditEntry.objects.get(act="player.changed").by_name == "someone"
    for page in ("/account/", "/players/robin/"):
        assert f'href="{ADDRESS}"' in client.get(page).content.decode()
    assert ADDRESS not in Client().get("/players/robin/").content.decode()


def test_language_and_theme_are_kept_by_the_browser_and_apply_at_once() -> None:
    client = robin()

    response = client.post(ADDRESS, SENT | {"language": "ko", "theme": "dark"}, follow=True)

    html = response.content.decode()
    assert "저장했습니다" in html or "저장" in html
    assert re.search(r'<html lang="ko" dir="ltr" class="is-dark">', html)
    for page in ("/", "/boards/1/", "/competitions/"):
        assert 'class="is-dark"' in client.get(page).content.decode()[:120]
    client.post(ADDRESS, SENT | {"language": "en", "theme": ""})
    assert "is-dark" not in client.get("/").content.decode()[:120]


def test_a_theme_is_of_one_viewer_alone_and_a_made_up_one_is_ignored() -> None:
    robin()
    dark, other = Client(), Client()
    dark.cookies["theme"] = "dark"
    other.cookies["theme"] = '"><script>'

    for page in ("/", "/boards/1/", "/players/robin/"):
        pages = [each.get(page).content.decode()[:160] for each in (Client(), dark, Client(), other)]
        assert ["is-dark" in each for each in pages] == [False, True, False, False]
        assert "script" not in pages[3]


def test_language_of_mails_and_zone_are_kept_and_the_other_choices_stay() -> None:
    client = robin()
    Preference.objects.create(player=saved(), by_mail=False, quiet_from=5)

    client.post(ADDRESS, SENT | {"mail_language": "ko", "timezone": "Asia/Seoul"})

    kept = Preference.objects.get()
    assert (kept.language, kept.timezone, kept.by_mail, kept.quiet_from) == ("ko", "Asia/Seoul", False, 5)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"name": "a\u202eb"}, "turns the direction"),
        ({"name": "a\u2028b"}, "cannot be shown"),
        ({"name": "W" * 101}, "at most 100 characters"),
        ({"country": "kr"}, "Select a valid choice"),
        ({"timezone": "Asia/Nowhere"}, "There is no such time zone."),
        ({"language": "xx"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason_and_nothing_is_saved(wrong: dict[str, str], says: str) -> None:
    client = robin()

    response = client.post(ADDRESS, SENT | wrong)

    assert says in text(response)
    assert (saved().name, saved().country) == ("", "")
    assert not Preference.objects.exists()


def test_a_country_that_is_no_country_stays_unless_another_one_is_chosen() -> None:
    client = robin()
    Player.objects.update(country="EU")

    assert '<option value="EU" selected>' in client.get(ADDRESS).content.decode()
    client.post(ADDRESS, SENT | {"country": "EU"})
    kept = saved().country
    client.post(ADDRESS, SENT | {"country": "KR"})

    assert (kept, saved().country) == ("EU", "KR")


def test_the_banned_change_nothing_and_a_site_may_leave_profiles_to_the_game(settings: Settings) -> None:
    client = robin()
    ban([saved().pk], "A bot.", clock.now(), None)
    assert "Moderators have banned you" in text(client.post(ADDRESS, SENT))

    Player.objects.update(banned_at=None)
    settings.PLAYERS_EDIT = []
    page = client.get(ADDRESS).content.decode()
    client.post(ADDRESS, SENT)

    assert 'name="name"' not in page
    assert "leaves name, country and picture to the game" in page
    assert saved().name == ""


def test_an_address_of_a_picture_is_taken_of_allowed_hosts_over_https_alone(settings: Settings) -> None:
    client = robin()
    assert 'name="avatar_url"' not in client.get(ADDRESS).content.decode()
    settings.PICTURE_HOSTS = ["img.example.org", "*.example.net"]

    for bad in ("http://img.example.org/a.png", "https://example.net/a.png", "https://img.example.org.evil.com/", "x"):
        assert "Pictures are taken from https addresses at" in text(client.post(ADDRESS, SENT | {"avatar_url": bad}))
    client.post(ADDRESS, SENT | {"avatar_url": "https://a.example.net/me.png"})

    assert saved().avatar_url == "https://a.example.net/me.png"


def test_an_account_without_a_player_chooses_language_and_theme() -> None:
    client = signed_in(Client(), "someone")

    page = client.get(ADDRESS).content.decode()
    response = client.post(ADDRESS, {"language": "ko", "theme": "light"})

    assert 'name="name"' not in page
    assert 'name="timezone"' not in page
    assert response.cookies["theme"].value == "light"
    assert client.get("/account/").content.decode().count(ADDRESS) == 1


def test_strangers_sign_in_first() -> None:
    assert Client().get(ADDRESS)["Location"].startswith("/accounts/login/")
