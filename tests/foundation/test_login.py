"""The brake on passwords: over the limit even the right one is not looked at, and only from where it was tried."""

from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.test import Client

from foundation import rate_limit
from foundation.limits import Limit

pytestmark = pytest.mark.django_db

LOGIN, ADMIN = "/accounts/login/", "/admin/login/"
RIGHT = "a long enough password"


@pytest.fixture(autouse=True)
def _three_tries(settings: LazySettings) -> Iterator[None]:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "login": Limit(3, 300)}
    User.objects.create_superuser("robin", password=RIGHT)
    User.objects.create_superuser("marian", password=RIGHT)
    yield
    rate_limit.reset()


def tried(path: str, password: str, name: str = "robin", **where: str) -> int:
    return Client().post(path, {"username": name, "password": password}, **where).status_code  # type: ignore[arg-type]  # WSGI's names


@pytest.mark.parametrize("path", [LOGIN, ADMIN])
def test_after_a_few_tries_even_the_right_password_waits(path: str) -> None:
    for nth in range(3):
        assert tried(path, f"wrong {nth}") == 200

    response = Client().post(path, {"username": "robin", "password": RIGHT})

    assert response.status_code == 429
    assert 295 <= int(response["Retry-After"]) <= 300
    assert "try again in" in response.content.decode()
    assert "no-store" in response["Cache-Control"]


def test_both_doors_count_together() -> None:
    for path in (LOGIN, ADMIN, LOGIN):
        tried(path, "wrong")

    assert tried(ADMIN, RIGHT) == 429


def test_who_is_elsewhere_is_not_locked_out() -> None:
    for _ in range(4):
        tried(LOGIN, "wrong")

    assert tried(LOGIN, RIGHT, REMOTE_ADDR="203.0.113.9") == 302


def test_a_forged_address_does_not_help() -> None:
    told = [tried(LOGIN, "wrong", HTTP_X_FORWARDED_FOR=f"203.0.113.{nth}") for nth in range(4)]

    assert told == [200, 200, 200, 429]


def test_many_accounts_from_one_address_are_one_visitor(settings: LazySettings) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "login_address": Limit(5, 300)}

    told = [tried(LOGIN, "wrong", f"player{nth}") for nth in range(6)]

    assert told == [200] * 5 + [429]
    assert tried(LOGIN, RIGHT, REMOTE_ADDR="203.0.113.9") == 302


def test_another_account_is_another_matter() -> None:
    for _ in range(4):
        tried(LOGIN, "wrong")

    assert tried(LOGIN, RIGHT, "marian") == 302


def test_the_right_password_in_time_signs_in() -> None:
    tried(LOGIN, "wrong")

    assert tried(LOGIN, RIGHT) == 302


def test_while_redis_is_away_tries_are_counted_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from foundation.redis import Link, RedisAway

    def away(*_: object) -> None:
        raise RedisAway("Redis is away.")

    monkeypatch.setattr(Link, "run", away)

    assert [tried(LOGIN, "wrong") for _ in range(4)] == [200, 200, 200, 429]


def test_programs_of_our_own_have_no_brake() -> None:
    found = [authenticate(username="robin", password=RIGHT) for _ in range(5)]

    assert all(found)
