"""Second factors that staff must have, and what the first one ends."""

from datetime import UTC, datetime

import pytest
from django.conf import LazySettings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.test import Client

from accounts.errors import LastFactor
from accounts.models import AuthenticatorApp, Passkey
from accounts.services.second_factors import recovery
from accounts.services.second_factors import removal as factors
from tests.accounts.authenticator import Authenticator, add_passkey
from tests.accounts.people import PASSWORD, SECURITY, sign_in, who, with_app
from tests.leaderboards.factories import AdminFactory, UserFactory

pytestmark = pytest.mark.django_db

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def required(settings: LazySettings) -> None:
    settings.STAFF_SECOND_FACTOR = "required"


@pytest.mark.usefixtures("required")
def test_staff_without_a_second_factor_reach_the_page_to_set_one_up_and_nothing_else(client: Client) -> None:
    AdminFactory.create(username="chief", password=PASSWORD)

    first = sign_in(client, "chief")
    doors = ("/admin/", "/admin/auth/user/", "/account/", "/account/export/", "/accounts/email/", "/accounts/password/")
    told = {door: client.get(door).status_code for door in doors}
    page = client.get(first["Location"])
    made = add_passkey(client, Authenticator())

    assert first["Location"].startswith(SECURITY)
    assert set(told.values()) == {302}
    assert "Staff need a second factor here" in page.content.decode()
    assert len(made.context["codes"]) == 10
    assert client.get("/admin/").status_code == 200


@pytest.mark.usefixtures("required")
def test_a_session_from_before_it_was_required_opens_nothing_to_staff_and_all_to_players(client: Client) -> None:
    client.force_login(AdminFactory.create())
    player = Client()
    player.force_login(UserFactory.create(username="player"))

    assert client.get("/admin/").status_code == 302
    assert who(player) == "player"


@pytest.mark.parametrize("rule", ["off", "required"])
@pytest.mark.parametrize("is_staff", [True, False])
def test_a_session_from_before_the_first_factor_is_good_for_nothing_of_the_account_afterwards(
    client: Client, settings: LazySettings, rule: str, is_staff: bool
) -> None:
    settings.STAFF_SECOND_FACTOR = rule
    UserFactory.create(username="mod", password=PASSWORD, is_staff=is_staff)
    thief = Client()
    sign_in(thief, "mod")
    sign_in(client, "mod")
    before = add_passkey(client, Authenticator()).context["codes"]

    doors = ("security/", "security/app/", "security/codes/", "security/passkeys/challenge/", "password/", "confirm/")
    sign_in_again = [thief.post(f"/accounts/{door}", {"password": PASSWORD}) for door in doors if door != "security/"]
    sign_in_again.append(thief.get(SECURITY))
    opened = who(client)

    assert {each.status_code for each in sign_in_again} == {302}
    assert all(each["Location"].startswith("/accounts/login/") for each in sign_in_again)
    assert thief.get("/admin/").status_code == 302
    assert not AuthenticatorApp.objects.exists()
    assert opened == "mod"
    recovery.use(User.objects.get(username="mod"), before[0], AT)  # the owner's codes are still those


@pytest.mark.parametrize("address", ["/account/", "/inbox/"])
def test_such_a_session_opens_no_page_of_one_and_sends_nothing(client: Client, address: str) -> None:
    UserFactory.create(username="ann", password=PASSWORD)
    reading, sending = Client(), Client()
    for each in (reading, sending, client):
        sign_in(each, "ann")
    add_passkey(client, Authenticator())

    assert reading.get(address)["Location"].startswith("/accounts/login/")
    sending.post("/no-such-page/")

    assert [SESSION_KEY in each.session for each in (reading, sending, client)] == [False, False, True]
    assert client.get(address).status_code == 200


@pytest.mark.usefixtures("required")
def test_staff_who_must_have_one_do_not_take_the_last_away(client: Client) -> None:
    chief = AdminFactory.create(username="chief", password=PASSWORD)
    sign_in(client, "chief")
    add_passkey(client, Authenticator())
    number = Passkey.objects.get().pk

    refused = client.post(f"{SECURITY}passkeys/{number}/remove/")

    assert refused.status_code == client.get(f"{SECURITY}passkeys/{number}/remove/").status_code == 409
    assert Passkey.objects.exists()
    with_app(chief)
    client.post(f"{SECURITY}passkeys/{number}/remove/")
    assert not Passkey.objects.exists()
    with pytest.raises(LastFactor):
        factors.remove_app(chief, AT)
