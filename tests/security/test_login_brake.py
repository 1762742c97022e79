"""Strangers guess one account's password from many addresses: it ends, and its owner is not locked out."""

from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.test import Client

from foundation import rate_limit
from foundation.limits import Limit
from tests.accounts.authenticator import Authenticator, add_passkey, sign_in_by
from tests.accounts.people import LOGIN, PASSWORD, sign_in, who
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
