"""Links that were mailed end by themselves: each is good to the last of its time, and not a moment longer."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from unittest.mock import patch

import pytest
from django.conf import LazySettings, settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.test import Client

from accounts.services.mails.links import MAILED_FOR
from foundation import clock
from tests.accounts.people import PASSWORD, mailed, sign_in, who
from tests.accounts.test_sign_up import ADDRESS, EMAIL, NEW, RESET, SIGN_UP
from tests.leaderboards.factories import UserFactory

pytestmark = pytest.mark.django_db

AN_HOUR = timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
MOMENT = timedelta(seconds=5)  # more than the second that Django's stamps are cut to, and the test's own time
IS_GOOD = pytest.mark.parametrize(("beyond", "is_good"), [(-MOMENT, True), (MOMENT, False)])


@contextmanager
def after(passed: timedelta) -> Iterator[None]:
    """Our clock shows that much later, and so do the two that Django has for what it signed."""
    at = clock.now() + passed
    local = datetime.fromtimestamp(at.timestamp())  # noqa: DTZ006 - Django counts in local time here
    with (
        clock.freeze_at(at),
        patch.object(time, "time", at.timestamp),
        patch.object(PasswordResetTokenGenerator, "_now", lambda _: local),
    ):
        yield


@IS_GOOD
def test_a_link_for_a_new_password_is_good_for_an_hour(client: Client, beyond: timedelta, is_good: bool) -> None:
    UserFactory.create(username="robin", password=PASSWORD, email=ADDRESS)
    client.post(RESET, {"email": ADDRESS})
    link = mailed()

    with after(AN_HOUR + beyond):
        form = client.get(link, follow=True)
        client.post(form.request["PATH_INFO"], {"new_password1": "quite-another-1", "new_password2": "quite-another-1"})

    assert timedelta(hours=1) == AN_HOUR
    assert ("This link does not work" in form.content.decode()) is not is_good
    assert User.objects.get().check_password("quite-another-1") is is_good


@IS_GOOD
def test_a_link_to_sign_up_is_good_for_a_day(
    client: Client, settings: LazySettings, beyond: timedelta, is_good: bool
) -> None:
    settings.SIGN_UP = "open"
    client.post(SIGN_UP, {"email": ADDRESS})
    link = mailed()

    with after(MAILED_FOR + beyond):
        made = client.post(link, NEW)

    assert timedelta(days=1) == MAILED_FOR
    assert made.status_code == (302 if is_good else 404)
    assert User.objects.exists() is is_good


@IS_GOOD
def test_a_link_that_proves_an_address_is_good_for_a_day(client: Client, beyond: timedelta, is_good: bool) -> None:
    UserFactory.create(username="robin", password=PASSWORD, email="")
    sign_in(client, "robin")
    client.post(EMAIL, {"email": ADDRESS})
    link = mailed()

    with after(MAILED_FOR + beyond):
        sign_in(client, "robin")
        signed_in = who(client)
        client.post(link)

    assert signed_in == "robin"
    assert User.objects.get().email == (ADDRESS if is_good else "")
