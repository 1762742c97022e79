"""Passkeys: alone or as second factor, refused where anything is off, good once, and nobody else's."""

from html import unescape

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from accounts.models import Passkey, RecoveryCode
from tests.accounts.authenticator import Authenticator, add_passkey, sign_in_by
from tests.accounts.people import PASSWORD, SECURITY, sign_in, who, with_app
from tests.leaderboards.factories import UserFactory

pytestmark = pytest.mark.django_db


def test_a_passkey_signs_in_without_a_password_and_as_second_factor(client: Client, robin: User) -> None:
    key = Authenticator()
    sign_in(client, "robin")

    add_passkey(client, key)
    alone, second = Client(), Client()
    by_itself = sign_in_by(alone, key, next="/account/")
    sign_in(second, "robin")
    sign_in_by(second, key)

    assert by_itself["Location"] == "/account/"
    assert who(alone) == who(second) == "robin"
    assert Passkey.objects.get().sign_count == 2


@pytest.mark.parametrize(
    "fault", ["another site", "no finger", "copied", "another challenge", "nonsense", "a stranger's"]
)
def test_a_passkey_is_refused(client: Client, robin: User, fault: str) -> None:
    key = Authenticator()
    sign_in(client, "robin")
    add_passkey(client, key)
    thief = Client()
    asked = thief.post("/accounts/passkey/challenge/").json()
    if fault == "another site":
        key.origin = "http://testserver.example"
    if fault == "no finger":
        key.verifies = False
    if fault == "copied":
        sign_in_by(Client(), key)
        key.count = 0
    if fault == "another challenge":
        thief.post("/accounts/passkey/challenge/")
    if fault == "a stranger's":
        key = Authenticator()
    answer = "[1" if fault == "nonsense" else key.get(asked)

    response = thief.post("/accounts/passkey/", {"credential": answer})

    assert response.status_code == 200
    assert 'role="alert"' in response.content.decode()
    assert who(thief) == ""


def test_an_answer_of_a_passkey_is_good_once(client: Client, robin: User) -> None:
    key = Authenticator()
    sign_in(client, "robin")
    add_passkey(client, key)
    thief = Client()
    answer = key.get(thief.post("/accounts/passkey/challenge/").json())
    thief.post("/accounts/passkey/", {"credential": answer})
    thief.post("/accounts/logout/")

    thief.post("/accounts/passkey/", {"credential": answer})

    assert who(thief) == ""


def test_the_second_factor_of_one_is_not_anothers(client: Client, robin: User) -> None:
    UserFactory.create(username="marian", password=PASSWORD)
    key, marian = Authenticator(), Client()
    sign_in(marian, "marian")
    add_passkey(marian, key)
    with_app(robin)
    sign_in(client, "robin")

    sign_in_by(client, key)

    assert who(client) == ""


def test_nobody_who_is_not_active_signs_in_by_a_passkey(client: Client, robin: User) -> None:
    key = Authenticator()
    sign_in(client, "robin")
    add_passkey(client, key)
    User.objects.update(is_active=False)

    sign_in_by(away := Client(), key)

    assert who(away) == ""


def test_nobody_takes_away_what_is_anothers(client: Client, robin: User) -> None:
    UserFactory.create(username="marian", password=PASSWORD)
    marian = Client()
    sign_in(marian, "marian")
    add_passkey(marian, Authenticator())
    sign_in(client, "robin")

    client.post(f"{SECURITY}passkeys/{Passkey.objects.get().pk}/remove/")

    assert Passkey.objects.count() == 1


def test_one_of_two_factors_is_taken_away_by_its_name_and_codes_stay(client: Client, robin: User) -> None:
    sign_in(client, "robin")
    add_passkey(client, Authenticator())
    with_app(robin)
    left = RecoveryCode.objects.filter(user=robin).count()
    address = f"{SECURITY}passkeys/{Passkey.objects.get().pk}/remove/"

    asked = client.get(address).content.decode()
    done = client.post(address, follow=True).content.decode()

    assert Passkey.objects.count() == 0
    assert "your recovery codes go with it" not in asked
    assert "“phone”" in unescape(asked)
    assert "It was taken away.<" in done
    assert RecoveryCode.objects.filter(user=robin).count() == left == 10


def test_at_an_address_of_numbers_pages_say_that_passkeys_need_a_name(
    client: Client, robin: User, settings: LazySettings
) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    sign_in(client, "robin")
    for host, works in (("127.0.0.1:8000", False), ("[::1]:8000", False), ("localhost:8000", True)):
        own = client.get(SECURITY, headers={"host": host}).content.decode()
        login = client.get("/accounts/login/", headers={"host": host}).content.decode()

        assert ('data-passkey="create"' in own, 'data-passkey="get"' in login) == (works, works), host
        assert (f"Passkeys need a site with a name, and {host} is an address of numbers" in own) is not works
