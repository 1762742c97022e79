"""What changes in an account is mailed to its owner: who has stolen a session does not change it unnoticed."""

import logging
import re
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core import mail as post
from django.test import Client

from accounts.errors import WrongCode
from accounts.models import AccountMail, ProvenEmail
from accounts.services import email_change as email
from accounts.services.mails import outbox as mail
from accounts.services.second_factors import recovery, totp
from accounts.services.second_factors import removal as factors
from competitions.models import Preference
from foundation import clock
from foundation.audit.models import AuditEntry
from tests.accounts.authenticator import Authenticator, add_passkey
from tests.accounts.people import PASSWORD, SECRET, code, sign_in, with_app
from tests.leaderboards.factories import AdminFactory, PlayerFactory, UserFactory
from tests.mailing import use_backend

pytestmark = pytest.mark.django_db

ADDRESS, NEW = "robin@example.org", "quite-another-1"
OWNER = "It was done by you, or by somebody who was signed in as you or reads your mails."
SITE = "It was done by those who run the site."


@pytest.fixture
def robin() -> User:
    robin: User = UserFactory.create(username="robin", password=PASSWORD, email=ADDRESS)
    return robin


@pytest.fixture
def own(client: Client, robin: User) -> Client:
    """Robin's browser."""
    sign_in(client, robin.username)
    return client


def mailed_body() -> str:
    """The latest mail."""
    mail.send_due(clock.now())
    return str(post.outbox[-1].body)


def mailed() -> str:
    """The path of the link in the latest mail, which is thrown away."""
    mail.send_due(clock.now())
    found = re.search(r"http://localhost:8000(/\S+)", str(post.outbox.pop().body))
    assert found is not None
    return found[1]


def told(to: str = ADDRESS) -> list[str]:
    """What was mailed to the owner: the sentence that says what has changed, and to what it was done; nothing to
    anybody else."""
    return [said for said, _ in told_by(to)]


def told_by(to: str = ADDRESS) -> list[tuple[str, str]]:
    """The same, and who did it."""
    mail.send_due(clock.now())
    assert {address for each in post.outbox for address in each.to} <= {to}
    parts = [str(each.body).split("\n\n")[1].splitlines() for each in post.outbox]
    post.outbox.clear()
    return [(" ".join([what.rpartition(" (")[0], *details]), by) for what, *details, by in parts]


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

    assert saved.status_code == 302
    assert by_owner == ["The e-mail address was changed. Mails about the account now go to the new one."]
    assert told("new@example.org") == by_owner
    assert User.objects.get(username="robin").email == "third@example.org"


def test_second_factors_that_come_and_go_and_their_codes(own: Client, robin: User) -> None:
    totp.confirm(robin, SECRET, code(), clock.now())
    assert told_by() == [("A second factor was set up. - Authenticator app", OWNER)]
    factors.remove_app(robin, clock.now())
    assert told() == ["A second factor was taken away. - Authenticator app"]
    add_passkey(own, Authenticator())
    passkey = robin.passkeys.get()
    assert told() == [f"A second factor was set up. - Passkey “{passkey.name}”"]
    own.post(f"/accounts/security/passkeys/{passkey.pk}/remove/")
    assert told() == [f"A second factor was taken away. - Passkey “{passkey.name}”"]
    totp.confirm(robin, SECRET, code(), clock.now())
    told()
    factors.forget_all(robin, None, clock.now())
    assert told_by() == [("A second factor was taken away. - Authenticator app", SITE)]
    codes = recovery.draw(robin, clock.now())
    assert told() == []
    recovery.use(robin, codes[0], clock.now())
    assert told_by() == [("A recovery code was used.", OWNER)]
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

    assert mailed_body().split("\n\n")[1].rpartition(" (")[0] == (
        "A code of the authenticator app was sent a second time, and refused."
    )
    entry = AuditEntry.objects.get(act="account.code_reused")
    assert (entry.keys("account"), entry.by) == ([str(robin.pk)], None)
    assert f"of account {robin.pk} was sent a second time" in caplog.text


def test_a_code_of_a_half_minute_before_the_last_is_wrong_and_nobody_is_told_that_it_was_sent(robin: User) -> None:
    with_app(robin)
    at = clock.now()
    totp.use(robin, code(at + timedelta(seconds=30)), at)

    with pytest.raises(WrongCode):
        totp.use(robin, code(at), at)

    assert (told(), AuditEntry.objects.filter(act="account.code_reused").count()) == ([], 0)


def test_where_nothing_changes_nobody_is_told_and_nothing_is_in_the_log(robin: User) -> None:
    factors.forget_all(robin, None, clock.now())
    ProvenEmail.objects.create(user=robin, email=ADDRESS, proven_at=clock.now())
    email.confirm(robin, email.make(robin, ADDRESS), clock.now())

    assert (told(), AuditEntry.objects.count()) == ([], 0)


def test_it_has_the_name_and_the_time_in_the_language_of_its_owner_and_not_of_who_changes_it(
    own: Client, robin: User
) -> None:
    typed = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    own.post("/accounts/password/", typed, headers={"Accept-Language": "ko"})
    assert '"robin"' in mailed_body()
    assert told_of_new_codes(robin) == "Something about your account has changed"

    Preference.objects.create(player=PlayerFactory.create(user=robin), language="ko")
    assert told_of_new_codes(robin) == "계정 정보가 변경되었습니다"
    assert "복구 코드" in str(post.outbox[-1].body)
    assert "(20" in str(post.outbox[-1].body)


def told_of_new_codes(user: User) -> str:
    """The subject of the mail about them."""
    recovery.draw(user, clock.now())
    recovery.draw(user, clock.now())
    mail.send_due(clock.now())
    return str(post.outbox[-1].subject)


def test_where_no_mail_is_sent_or_there_is_no_address_nobody_is_told(robin: User, settings: LazySettings) -> None:
    without = UserFactory.create(username="without", password=PASSWORD)
    for user in (without, robin):
        with_app(user)
    factors.forget_all(without, None, clock.now())
    use_backend(settings, "dummy")
    factors.forget_all(robin, AdminFactory.create(username="chief"), clock.now())

    assert not AccountMail.objects.exists()
