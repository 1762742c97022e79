"""What changes in an account is mailed to its owner: who has stolen a session does not change it unnoticed."""

import logging
import re

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core import mail as post
from django.test import Client

from accounts.errors import WrongCode
from accounts.models import AccountMail
from accounts.services import changes, factors, mail, recovery, totp
from foundation import clock
from foundation.audit.models import AuditEntry
from tests.accounts.authenticator import Authenticator, add_passkey
from tests.accounts.people import PASSWORD, SECRET, code, sign_in, with_app
from tests.leaderboards.factories import AdminFactory, UserFactory

pytestmark = pytest.mark.django_db

ADDRESS, NEW = "robin@example.org", "quite-another-1"


@pytest.fixture
def robin() -> User:
    robin: User = UserFactory.create(username="robin", password=PASSWORD, email=ADDRESS)
    return robin


@pytest.fixture
def own(client: Client, robin: User) -> Client:
    """Robin's browser."""
    sign_in(client, robin.username)
    return client


def mailed() -> str:
    """The path of the link in the latest mail, which is thrown away."""
    mail.send_due(clock.now())
    found = re.search(r"http://localhost:8000(/\S+)", str(post.outbox.pop().body))
    assert found is not None
    return found[1]


def told(to: str = ADDRESS) -> list[str]:
    """What was mailed to the owner, the sentence that says what has changed; nothing to anybody else."""
    mail.send_due(clock.now())
    assert {address for each in post.outbox for address in each.to} <= {to}
    said = [str(each.body).split("\n\n")[1].rpartition(" (")[0] for each in post.outbox]
    post.outbox.clear()
    return said


def test_a_password_that_its_owner_changed(own: Client) -> None:
    own.post("/accounts/password/", {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW})

    assert told() == ["The password was changed."]


def test_a_password_that_was_set_by_a_link_from_a_mail(client: Client, robin: User) -> None:
    client.post("/accounts/reset/", {"email": ADDRESS})
    link = mailed()
    form = client.get(link)
    client.post(form["Location"], {"new_password1": NEW, "new_password2": NEW})

    assert told() == ["The password was changed."]


@pytest.mark.parametrize(("typed", "said"), [(NEW, ["The password was changed."]), ("short", [])])
def test_a_password_that_staff_set(admin_client: Client, robin: User, typed: str, said: list[str]) -> None:
    new = {"password1": typed, "password2": typed, "usable_password": "true"}

    admin_client.post(f"/admin/auth/user/{robin.pk}/password/", new)

    assert told() == said


def test_of_a_changed_address_the_old_one_is_told(own: Client, admin_client: Client, robin: User) -> None:
    own.post("/accounts/email/", {"email": "new@example.org"})
    own.post(mailed())

    by_owner = told()
    staff = {"username": "robin", "email": "third@example.org", "date_joined_0": "2026-01-01", "date_joined_1": "00:00"}
    saved = admin_client.post(f"/admin/auth/user/{robin.pk}/change/", {**staff, "is_active": "on"})

    assert by_owner == [str(changes.SAID["address"])]
    assert saved.status_code == 302
    assert told("new@example.org") == [str(changes.SAID["address"])]
    assert User.objects.get(username="robin").email == "third@example.org"


def test_second_factors_that_come_and_go_and_their_codes(own: Client, robin: User) -> None:
    totp.confirm(robin, SECRET, code(), clock.now())
    assert told() == ["A second factor was set up."]
    factors.remove_app(robin, clock.now())
    assert told() == ["A second factor was taken away."]
    add_passkey(own, Authenticator())
    assert told() == ["A second factor was set up."]
    own.post(f"/accounts/security/passkeys/{robin.passkeys.get().pk}/remove/")
    assert told() == ["A second factor was taken away."]
    factors.forget_all(robin, None, clock.now())
    assert told() == ["A second factor was taken away."]
    codes = recovery.draw(robin, clock.now())
    assert told() == []
    recovery.use(robin, codes[0], clock.now())
    assert told() == ["A recovery code was used."]
    recovery.draw(robin, clock.now())
    assert told() == ["New recovery codes were made; earlier ones no longer count."]


def test_a_code_that_is_sent_twice_is_in_the_logs_and_told_and_a_wrong_one_is_not(
    robin: User, caplog: pytest.LogCaptureFixture
) -> None:
    with_app(robin)
    at = clock.now()
    right = code(at)
    totp.use(robin, right, at)

    with pytest.raises(WrongCode):
        totp.use(robin, "000000" if right != "000000" else "111111", at)
    assert (told(), AuditEntry.objects.filter(act="account.code_reused").count()) == ([], 0)
    with caplog.at_level(logging.WARNING), pytest.raises(WrongCode):
        totp.use(robin, right, at)

    assert told() == ["A code of the authenticator app was sent a second time, and refused."]
    entry = AuditEntry.objects.get(act="account.code_reused")
    assert (entry.keys("account"), entry.by) == ([str(robin.pk)], None)
    assert f"of account {robin.pk} was sent a second time" in caplog.text


def test_it_is_told_in_the_language_of_the_page_with_the_name_and_the_time(own: Client) -> None:
    with clock.stand_at(clock.now()):
        typed = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
        own.post("/accounts/password/", typed, headers={"Accept-Language": "ko"})
        mail.send_due(clock.now())

    assert post.outbox[0].subject == "계정 정보가 변경되었습니다"
    assert "비밀번호가 변경되었습니다. (20" in str(post.outbox[0].body)
    assert '"robin" 계정' in str(post.outbox[0].body)


def test_where_no_mail_is_sent_or_there_is_no_address_nobody_is_told(robin: User, settings: LazySettings) -> None:
    without = UserFactory.create(username="without", password=PASSWORD)
    factors.forget_all(without, None, clock.now())
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    factors.forget_all(robin, AdminFactory.create(username="chief"), clock.now())

    assert not AccountMail.objects.exists()
