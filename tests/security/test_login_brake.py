"""Strangers guess one account's password from many addresses: it ends, and its owner is not locked out."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from foundation import clock
from foundation.throttling import rate_limit
from foundation.throttling.limits import Limit
from tests.accounts.authenticator import Authenticator, add_passkey, sign_in_by
from tests.accounts.people import LOGIN, PASSWORD, SECOND, code, sign_in, who, with_app
from tests.leaderboards.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _few_tries(settings: LazySettings) -> Iterator[None]:
    rate_limit.reset()
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "login_account": Limit(5, 3600)}
    UserFactory.create(username="robin", password=PASSWORD)
    yield
    rate_limit.reset()


def attacked(many: int = 8, name: str = "robin") -> list[int]:
    """The answers to so many guesses, each from an address of its own."""
    return [sign_in(Client(), name, "guess", REMOTE_ADDR=f"203.0.113.{nth}").status_code for nth in range(many)]


def test_guesses_from_many_addresses_are_counted_together_and_end_also_for_names_that_nobody_has() -> None:
    assert attacked() == attacked(name="nobody-at-all") == [200] * 5 + [429] * 3
    assert sign_in(Client(), "robin", REMOTE_ADDR="203.0.113.99").status_code == 429


def test_the_owner_signs_in_on_a_device_that_is_known_and_another_account_is_not_known_there() -> None:
    known = Client()
    sign_in(known, "robin")
    known.post("/accounts/logout/")
    UserFactory.create(username="marian", password=PASSWORD)

    attacked()
    attacked(name="marian")

    assert sign_in(known, "robin").status_code == 302
    assert sign_in(known, "marian").status_code == 429


def test_a_known_device_guesses_no_more_often() -> None:
    thief = Client()
    sign_in(thief, "robin")

    assert [sign_in(thief, "robin", "guess").status_code for _ in range(6)] == [200] * 5 + [429]


def test_a_forged_device_is_not_known() -> None:
    attacked()
    thief = Client()
    for forged in ("robin", '["robin","x"]', "WyJyb2JpbiIsIngiXQ:1:x"):
        thief.cookies["device"] = forged
        assert sign_in(thief, "robin").status_code == 429


def test_a_passkey_passes_whatever_strangers_do() -> None:
    owner, key = Client(), Authenticator()
    sign_in(owner, "robin")
    add_passkey(owner, key)
    attacked()

    sign_in_by(fresh := Client(), key)

    assert who(fresh) == "robin"


def test_over_a_day_guessing_is_finite(settings: LazySettings) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "login_account": None, "login_day": Limit(6, 86_400)}

    assert attacked() == [200] * 6 + [429] * 2


def test_the_answer_does_not_tell_whether_there_is_an_account() -> None:
    def told(name: str) -> str:
        return Client().post(LOGIN, {"username": name, "password": "guess"}).content.decode().replace(name, "NAME")

    def plain(page: str) -> list[str]:
        return [line for line in page.splitlines() if "csrfmiddlewaretoken" not in line]

    assert plain(told("robin")) == plain(told("nobody"))


def test_devices_of_one_account_count_together() -> None:
    devices = [Client() for _ in range(3)]
    for each in devices:
        sign_in(each, "robin")

    tries = [sign_in(devices[nth % 3], "robin", "guess").status_code for nth in range(7)]

    assert tries == [200] * 5 + [429] * 2


def test_a_new_password_ends_all_known_devices_but_the_one_that_set_it() -> None:
    owner, thief = Client(), Client()
    sign_in(owner, "robin")
    sign_in(thief, "robin")
    new = {"old_password": PASSWORD, "new_password1": "another long password", "new_password2": "another long password"}
    assert owner.post("/accounts/password/", new).status_code == 302
    attacked()

    assert sign_in(thief, "robin", "guess").status_code == 429
    owner.post("/accounts/logout/")
    assert sign_in(owner, "robin", "another long password").status_code == 302


def test_who_has_the_password_alone_keeps_nobody_from_their_codes_on_a_known_device() -> None:
    with_app(User.objects.get(username="robin"))
    owner, thief, elsewhere = Client(), Client(), Client()
    sign_in(owner, "robin")
    owner.post(SECOND, {"code": code()})
    assert who(owner) == "robin"
    owner.post("/accounts/logout/")
    sign_in(thief, "robin")
    assert [thief.post(SECOND, {"code": "000000"}).status_code for _ in range(5)] == [200] * 4 + [429]

    sign_in(elsewhere, "robin")
    sign_in(owner, "robin")
    next_code = code(clock.now() + timedelta(seconds=30))

    assert elsewhere.post(SECOND, {"code": next_code}).status_code == 429
    assert owner.post(SECOND, {"code": next_code}).status_code == 302
    assert who(owner) == "robin"
