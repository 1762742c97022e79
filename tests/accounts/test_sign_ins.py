"""What is told of signing in and out: lines of the log with the address, and of staff entries of the audit log."""

import logging
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from accounts.services.second_factors import recovery
from foundation import clock
from foundation.audit.models import AuditEntry
from foundation.throttling import rate_limit
from foundation.throttling.limits import Limit
from tests.accounts.authenticator import Authenticator, add_passkey, sign_in_by
from tests.accounts.people import PASSWORD, SECOND, code, sign_in, with_app
from tests.leaderboards.factories import UserFactory

pytestmark = pytest.mark.django_db

LOGGER = "accounts.services.sign_ins"


@pytest.fixture(autouse=True)
def _lines(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, LOGGER)


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == LOGGER]


def entries() -> list[tuple[str, str]]:
    """Oldest first: the act, and the way that was taken."""
    rows = AuditEntry.objects.filter(act__contains="sign").order_by("pk")
    return [(row.act.partition(".")[2], row.note.get("way", "")) for row in rows]


def person(is_staff: bool) -> User:
    user: User = UserFactory.create(username="mod", password=PASSWORD, is_staff=is_staff)
    return user


@pytest.mark.parametrize("is_staff", [True, False])
def test_each_step_is_a_line_and_of_staff_an_entry(client: Client, caplog: Any, is_staff: bool) -> None:
    user = with_app(person(is_staff))
    codes = recovery.draw(user, clock.now())

    sign_in(client, "mod", "wrong")
    sign_in(client, "mod")
    client.post(SECOND, {"code": "000000"})
    client.post(SECOND, {"code": code()})
    client.post("/accounts/logout/")
    sign_in(client, "mod")
    client.post(SECOND, {"code": "no-such-code"})
    client.post(SECOND, {"code": codes[0]})

    who = f"account {user.pk}, from 127.0.0.1"
    assert told(caplog) == [
        f"Sign-in failed: {who}, by password",
        f"Sign-in failed: {who}, by password and code",
        f"Signed in: {who}, by password and code",
        f"Signed out: {who}",
        f"Sign-in failed: {who}, by password and recovery code",
        f"Signed in: {who}, by password and recovery code",
    ]
    kept = [
        ("sign_in_failed", "password"),
        ("sign_in_failed", "password and code"),
        ("signed_in", "password and code"),
        ("signed_out", ""),
        ("sign_in_failed", "password and recovery code"),
        ("signed_in", "password and recovery code"),
    ]
    assert entries() == (kept if is_staff else [])
    assert AuditEntry.objects.get(act="account.recovery_code_used").by_name == "mod"


def test_a_passkey_that_is_refused_or_taken_is_told(client: Client, caplog: Any) -> None:
    user, key = person(True), Authenticator()
    sign_in(client, "mod")
    add_passkey(client, key)
    other = Client()

    other.post("/accounts/passkey/", {"credential": "{}"})
    sign_in_by(other, key)

    assert told(caplog)[1:] == [
        "Sign-in failed: no account, from 127.0.0.1, by passkey",
        f"Signed in: account {user.pk}, from 127.0.0.1, by passkey",
    ]


@pytest.mark.parametrize(("brake", "has_password"), [("login_address", False), ("second_factor", True)])
def test_passkeys_that_are_refused_are_few(settings: LazySettings, brake: str, has_password: bool) -> None:
    with_app(person(True))
    other = Client()
    if has_password:
        sign_in(other, "mod")
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, brake: Limit(3, 300)}
    rate_limit.reset()
    before = len(entries())

    told = [other.post("/accounts/passkey/", {"credential": "{}"}).status_code for _ in range(5)]

    assert told == [200] * 3 + [429] * 2
    assert len(entries()) - before == (3 if has_password else 0)


def test_who_failed_is_not_named_as_the_one_who_did_it_and_what_was_typed_is_nowhere(
    client: Client, caplog: Any
) -> None:
    person(True)

    sign_in(client, "mod", "wrong")
    sign_in(client, "a password typed into the name", "wrong")

    entry = AuditEntry.objects.get(act="account.sign_in_failed")
    assert (entry.by_id, entry.by_name, entry.address) == (None, "", "127.0.0.1")
    assert told(caplog)[1] == "Sign-in failed: no account, from 127.0.0.1, by password"
    assert "typed into" not in caplog.text
