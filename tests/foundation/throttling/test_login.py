"""The brake on passwords: over the limit even the right one is not looked at, and only from where it was tried."""

from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.contrib.auth import authenticate
from django.test import Client, RequestFactory

from foundation.errors import RateLimited
from foundation.throttling import rate_limit
from foundation.throttling.limits import Limit
from tests.leaderboards.factories import AdminFactory

pytestmark = pytest.mark.django_db

LOGIN, ADMIN = "/accounts/login/", "/admin/login/"
RIGHT = "a long enough password"
ELSEWHERE = "203.0.113.9"


@pytest.fixture(autouse=True)
def _three_tries(settings: LazySettings) -> Iterator[None]:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "login": Limit(3, 300)}
    for name in ("robin", "marian"):
        AdminFactory.create(username=name, password=RIGHT)
    yield
    rate_limit.reset()


def tried(path: str, password: str, name: str = "robin", **where: str) -> int:
    return Client().post(path, {"username": name, "password": password}, **where).status_code  # type: ignore[arg-type]  # WSGI's variables, which the test client takes by name


def test_after_a_few_tries_even_the_right_password_waits_at_both_doors() -> None:
    told = [tried(path, "wrong") for path in (LOGIN, ADMIN, LOGIN)]

    for path in (LOGIN, ADMIN):
        response = Client().post(path, {"username": "robin", "password": RIGHT})
        assert response.status_code == 429
        assert 200 < int(response["Retry-After"]) <= 300
        assert "try again in" in response.content.decode()
        assert "no-store" in response["Cache-Control"]
    assert told == [200] * 3


def test_neither_who_is_elsewhere_nor_another_account_is_locked_out_and_a_forged_address_does_not_help() -> None:
    told = [tried(LOGIN, "wrong", HTTP_X_FORWARDED_FOR=f"203.0.113.{nth}") for nth in range(4)]

    assert told == [200, 200, 200, 429]
    assert tried(LOGIN, RIGHT, REMOTE_ADDR=ELSEWHERE) == 302
    assert tried(LOGIN, RIGHT, "marian") == 302


def test_many_accounts_from_one_address_are_one_visitor(settings: LazySettings) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "login_address": Limit(5, 300)}

    told = [tried(LOGIN, "wrong", f"player{nth}") for nth in range(6)]

    assert told == [200] * 5 + [429]
    assert tried(LOGIN, RIGHT, REMOTE_ADDR=ELSEWHERE) == 302


def test_the_right_password_in_time_signs_in_and_programs_of_our_own_have_no_brake() -> None:
    for _ in range(2):
        tried(LOGIN, "wrong")

    assert tried(LOGIN, RIGHT) == 302
    assert all(authenticate(username="robin", password=RIGHT) for _ in range(5))


def test_a_name_counts_however_it_is_spelt_and_under_whatever_name_it_comes(rf: RequestFactory) -> None:
    """A project's model may find its accounts without regard to case, and its code may say ``email``."""
    request = rf.post(LOGIN)
    for spelt in ({"username": "robin"}, {"username": "ROBIN"}, {"email": "Robin"}):
        assert authenticate(request, **spelt, password="wrong") is None

    with pytest.raises(RateLimited):
        authenticate(request, username="robin", password=RIGHT)
