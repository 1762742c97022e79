"""How long staff stay signed in, what is asked again before a grave act, and whose sessions a new password ends."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client

from accounts.core.staff_sessions import StaffSession
from foundation import clock
from foundation.models import ServiceKey
from tests.accounts.authenticator import Authenticator, add_passkey, sign_in_by
from tests.accounts.people import LOGIN, PASSWORD, SECOND, code, sign_in, who, with_app
from tests.leaderboards.factories import AdminFactory, UserFactory

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
GRAVE = (
    "/admin/foundation/servicekey/add/",
    "/admin/foundation/webhookendpoint/add/",
    "/admin/auth/user/add/",
    "/admin/auth/group/add/",
)


@pytest.fixture
def chief(client: Client) -> User:
    chief: User = AdminFactory.create(username="chief", password=PASSWORD)
    sign_in(client, "chief")
    return chief


def test_the_limits_of_a_session() -> None:
    limits = StaffSession(hours=12, idle_minutes=60)

    assert not limits.is_over(0, 0, 3599)
    assert limits.is_over(0, 0, 3600)
    assert not limits.is_over(0, 12 * 3600 - 60, 12 * 3600 - 1)
    assert limits.is_over(0, 12 * 3600 - 60, 12 * 3600)
    assert limits.is_over(None, 5, 6)
    assert not StaffSession(12, 0).is_over(0, 0, 12 * 3600 - 1)


@pytest.mark.usefixtures("chief")
def test_staff_are_nobody_after_an_idle_hour_and_a_player_is_still_signed_in(client: Client) -> None:
    player = Client()
    UserFactory.create(username="player", password=PASSWORD)
    sign_in(player, "player")
    now = clock.now()

    with clock.freeze_at(now + timedelta(minutes=59)):
        assert client.get("/admin/").status_code == 200
    with clock.freeze_at(now + timedelta(minutes=59) + HOUR):
        assert client.get("/admin/").status_code == 302
        assert who(client) == ""
        assert who(player) == "player"


@pytest.mark.usefixtures("chief")
def test_a_page_that_polls_by_itself_keeps_no_session_alive(client: Client) -> None:
    now = clock.now()
    for minutes in range(10, 60, 10):
        with clock.freeze_at(now + timedelta(minutes=minutes)):
            client.get("/account/?fragment=1")

    with clock.freeze_at(now + HOUR):
        assert client.get("/admin/").status_code == 302


@pytest.mark.usefixtures("chief")
def test_after_twelve_hours_it_is_over_however_busy_they_were(client: Client) -> None:
    now = clock.now()
    for hours in range(24):
        with clock.freeze_at(now + hours * HOUR / 2):
            assert client.get("/admin/").status_code == 200

    with clock.freeze_at(now + 12 * HOUR):
        assert client.get("/admin/").status_code == 302


@pytest.mark.parametrize("page", GRAVE)
@pytest.mark.usefixtures("chief")
def test_a_grave_page_asks_again_after_five_minutes_and_goes_on_from_there(client: Client, page: str) -> None:
    at_once = client.get(page).status_code

    with clock.freeze_at(clock.now() + timedelta(minutes=6)):
        asked = client.get(page)
        wrong = client.post(asked["Location"], {"password": "wrong"})
        still = client.get(page).status_code
        right = client.post(asked["Location"], {"password": PASSWORD})
        after = client.get(right["Location"]).status_code

    assert at_once == 200
    assert asked["Location"].startswith("/accounts/confirm/")
    assert "This password is wrong" in wrong.content.decode()
    assert (still, right["Location"], after) == (302, page, 200)


@pytest.mark.usefixtures("chief")
def test_what_is_sent_too_late_is_not_done_and_the_page_says_so(client: Client) -> None:
    typed = {"name": "game", "scopes": "scores:write"}

    with clock.freeze_at(clock.now() + timedelta(minutes=16)):
        asked = client.post("/admin/foundation/servicekey/add/", typed)
        page = client.get(asked["Location"])

    assert "Nothing of what you sent was done" in page.content.decode()
    assert not ServiceKey.objects.exists()


def test_a_new_password_of_somebody_else_and_a_lists_action_ask_too(client: Client, chief: User) -> None:
    action = {"action": "forget_factors", "_selected_action": [chief.pk]}

    with clock.freeze_at(clock.now() + timedelta(minutes=16)):
        answers = [
            client.get(f"/admin/auth/user/{chief.pk}/password/"),
            client.post("/admin/auth/user/", action),
            client.post("/admin/auth/user/", action | {"action": "delete_selected"}),
            client.post("/admin/auth/user/", action | {"action": ["delete_selected", "nothing"], "index": 0}),
            client.post("/admin/auth/user/", action | {"action": ["nothing", "forget_factors"], "index": 1}),
        ]

    assert all(answer["Location"].startswith("/accounts/confirm/") for answer in answers)


@pytest.mark.usefixtures("chief")
def test_guessing_at_that_door_has_the_brake_of_signing_in(client: Client) -> None:
    told = [client.post("/accounts/confirm/", {"password": "wrong"}).status_code for _ in range(31)]

    assert told == [200] * 30 + [429]


@pytest.mark.usefixtures("chief")
def test_who_reads_sessions_in_sql_has_no_cookie_that_signs_in(client: Client) -> None:
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    stored = list(Session.objects.values_list("session_key", flat=True))

    thief = Client()
    for key in stored:
        thief.cookies[settings.SESSION_COOKIE_NAME] = key
        assert thief.get("/admin/").status_code == 302
    assert cookie.value not in stored
    assert who(client) == "chief"
    client.post("/accounts/logout/")
    thief.cookies[settings.SESSION_COOKIE_NAME] = cookie.value
    assert who(thief) == ""
    assert not Session.objects.filter(session_key__in=stored).exists()


@pytest.mark.usefixtures("chief")
def test_a_new_password_ends_all_other_sessions(client: Client) -> None:
    other = Client()
    sign_in(other, "chief")
    new = {"old_password": PASSWORD, "new_password1": "quite-another-1", "new_password2": "quite-another-1"}

    refused = client.post("/accounts/password/", new | {"old_password": "wrong"})
    done = client.post("/accounts/password/", new)

    assert "This password is wrong" in refused.content.decode()
    assert done.status_code == 302
    assert (who(client), who(other)) == ("chief", "")
    assert client.get("/admin/password_change/")["Location"] == "/accounts/password/"


def test_a_way_to_another_site_is_not_taken(client: Client, chief: User) -> None:
    for way in ("https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        assert client.post("/accounts/confirm/", {"password": PASSWORD, "next": way})["Location"] == "/"
    assert (
        Client().post(LOGIN, {"username": "chief", "password": PASSWORD, "next": "//evil.example"})["Location"] == "/"
    )


@pytest.mark.parametrize("way", ["password", "code", "passkey"])
def test_a_session_that_somebody_planted_before_is_nobodys_after_signing_in(way: str) -> None:
    client, thief, key = Client(), Client(), Authenticator()
    owner = UserFactory.create(username="owner", password=PASSWORD)
    if way == "code":
        with_app(owner)
    if way == "passkey":
        beforehand = Client()
        sign_in(beforehand, "owner")
        add_passkey(beforehand, key)
    thief.post("/accounts/passkey/challenge/")  # a session of nobody, which they have the victim's browser send
    known = client.cookies["sessionid"] = thief.cookies["sessionid"].value

    if way == "passkey":
        sign_in_by(client, key)
    else:
        sign_in(client, "owner")
    if way == "code":
        assert client.cookies["sessionid"].value != known
        known = client.cookies["sessionid"].value
        client.post(SECOND, {"code": code()})

    assert who(client) == "owner"
    assert client.cookies["sessionid"].value != known
    assert who(thief) == ""
