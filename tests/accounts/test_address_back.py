"""Of a changed address the mailbox of before can put it back for three days, so a thief's change locks nobody out;
once, not over what staff decided, and not by a later mailbox over an earlier one."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail as post
from django.test import Client

from accounts.models import FormerEmail, MailKind, ProvenEmail
from accounts.services import email_change as email
from accounts.services.mails import outbox as mail
from accounts.services.mails import owner_notices
from accounts.services.retention import drop_former_emails
from accounts.tasks import retain
from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.services.players.delete_account import delete_account
from tests.accounts.people import PASSWORD, sign_in, who
from tests.leaderboards.factories import AdminFactory, UserFactory

pytestmark = pytest.mark.django_db

OLD, THIEFS, LATER = "robin@example.org", "thief@example.com", "second@example.com"
NEW = {"new_password1": "quite-another-1", "new_password2": "quite-another-1"}


@pytest.fixture
def robin() -> User:
    robin: User = UserFactory.create(username="robin", password=PASSWORD, email=OLD)
    return robin


def moved(user: User, to: str) -> None:
    """They follow the link that was mailed to a new address."""
    user.refresh_from_db()
    email.confirm(user, email.make(user, to), clock.now())
    user.refresh_from_db()


def told() -> dict[str, str]:
    """The latest mail to each mailbox."""
    mail.send_due(clock.now())
    return {address: str(each.body) for each in post.outbox for address in each.to}


def way_back(to: str = OLD) -> str:
    """The path of the link in the latest mail to this mailbox; empty where it has none."""
    found = re.search(r"http://localhost:8000(/accounts/email/back/\S+)", told()[to])
    return found[1] if found else ""


def email_of(user: User) -> str:
    user.refresh_from_db()
    return user.email


def test_the_owner_puts_the_address_back_and_chooses_a_password_and_the_thief_is_out(
    client: Client, robin: User
) -> None:
    thief = Client()
    sign_in(thief, "robin")
    thief.post("/accounts/email/", {"email": THIEFS})
    moved(robin, THIEFS)
    link = way_back()
    assert "/accounts/reset/" not in told()[OLD]  # it would mail nobody

    asked = client.get(link)
    kept = (email_of(robin), who(thief))
    form = client.post(link, follow=True)
    ended = who(thief)
    done = client.post(form.redirect_chain[-1][0], NEW, follow=True)

    assert OLD in asked.content.decode()
    assert kept == (THIEFS, "robin")  # programs open links too
    assert (email_of(robin), ended) == (OLD, "")
    assert not robin.check_password(PASSWORD)
    assert "Your new password is set" in done.content.decode()
    assert sign_in(client, "robin", NEW["new_password1"]).status_code == 302
    assert ProvenEmail.objects.get(user=robin).email == OLD
    assert "put back" in told()[THIEFS]
    assert "http" not in told()[THIEFS].split("\n\n", 2)[2]
    entry = AuditEntry.objects.get(act="account.email_put_back")
    assert (entry.by, entry.keys("account")) == (robin, [str(robin.pk)])


def test_who_stops_before_the_new_password_asks_for_one_by_mail(client: Client, robin: User) -> None:
    moved(robin, THIEFS)
    client.post(way_back())

    client.post("/accounts/reset/", {"email": OLD})

    assert "/accounts/reset/" in told()[OLD]


def test_who_has_no_password_gets_none_and_is_signed_out(client: Client, robin: User) -> None:
    robin.set_unusable_password()
    robin.save()
    before = robin.password
    moved(robin, THIEFS)

    said = client.post(way_back())

    assert "Your address is back" in said.content.decode()
    assert email_of(robin) == OLD
    assert not robin.has_usable_password()
    assert robin.password != before  # sessions hang on it


def test_the_link_counts_once_for_three_days_and_only_whole(client: Client, robin: User) -> None:
    moved(robin, THIEFS)
    link, at = way_back(), clock.now()

    with clock.freeze_at(at + timedelta(hours=72)):
        late = client.post(link)
    forged = client.post(link[:-3] + "AA/")
    assert (late.status_code, forged.status_code, email_of(robin)) == (404, 404, THIEFS)
    with clock.freeze_at(at + timedelta(hours=71, minutes=59)):
        assert client.post(link).status_code == 302
    moved(robin, LATER)
    again = client.post(link)

    assert (again.status_code, email_of(robin)) == (404, LATER)
    assert "Tell those who run the site" in again.content.decode()


def test_the_mailbox_of_before_ends_the_links_of_later_ones_and_they_do_not_end_its_own(
    client: Client, robin: User
) -> None:
    moved(robin, THIEFS)
    first = way_back()
    moved(robin, LATER)
    second, third = way_back(THIEFS), way_back()

    client.post(second)
    assert email_of(robin) == THIEFS
    client.post(third)

    assert email_of(robin) == OLD
    assert [client.post(each).status_code for each in (first, second)] == [404, 404]
    assert not FormerEmail.objects.exists()


def test_what_changes_later_is_told_to_the_mailbox_of_before_with_the_link(robin: User) -> None:
    moved(robin, THIEFS)
    post.outbox.clear()

    owner_notices.notify_owner(MailKind.PASSWORD_CHANGED, robin, clock.now(), by=robin)

    assert told().keys() == {OLD, THIEFS}
    assert way_back()
    assert not way_back(THIEFS)
    assert "/accounts/reset/" in told()[THIEFS]


def test_of_many_mailboxes_of_before_the_earliest_are_told(robin: User) -> None:
    for nth in range(5):
        moved(robin, f"{nth}@example.com")
    told()
    post.outbox.clear()

    owner_notices.notify_owner(MailKind.PASSWORD_CHANGED, robin, clock.now(), by=robin)

    assert told().keys() == {OLD, "0@example.com", "1@example.com", "4@example.com"}


def test_what_staff_decide_stands_and_the_mail_says_whom_to_tell(
    client: Client, admin_client: Client, robin: User
) -> None:
    moved(robin, THIEFS)
    link = way_back()
    typed = {"username": "robin", "date_joined_0": "2026-01-01", "date_joined_1": "00:00", "is_active": "on"}

    admin_client.post(f"/admin/auth/user/{robin.pk}/change/", {**typed, "email": LATER})

    assert client.post(link).status_code == 404
    assert not way_back(THIEFS)
    assert "/accounts/reset/" not in told()[THIEFS]
    assert told()[THIEFS].rstrip().endswith("If not, tell those who run the site:\nSunwi <sunwi@localhost>")


def test_staff_who_change_their_own_address_in_the_admin_may_put_it_back(client: Client) -> None:
    chief, browser = AdminFactory.create(username="chief", email=OLD), Client()
    browser.force_login(chief)
    typed = {"username": "chief", "date_joined_0": "2026-01-01", "date_joined_1": "00:00", "is_active": "on"}

    browser.post(
        f"/admin/auth/user/{chief.pk}/change/", {**typed, "is_staff": "on", "is_superuser": "on", "email": THIEFS}
    )
    client.post(way_back())

    assert email_of(chief) == OLD


@pytest.mark.parametrize("end", ["deleted", "deactivated"])
def test_of_an_account_that_is_gone_or_not_active_nothing_is_put_back(client: Client, robin: User, end: str) -> None:
    moved(robin, THIEFS)
    link = way_back()
    post.outbox.clear()
    if end == "deleted":
        delete_account(robin, "keep", clock.now())
    else:
        User.objects.filter(pk=robin.pk).update(is_active=False)
        owner_notices.notify_owner(MailKind.DEACTIVATED, robin, clock.now(), by=None)

    assert client.post(link).status_code == 404
    assert told().keys() == {OLD, THIEFS}
    assert not way_back()


def test_an_address_that_another_account_has_by_now_is_not_put_back(client: Client, robin: User) -> None:
    moved(robin, THIEFS)
    link = way_back()
    UserFactory.create(username="quicker", email=OLD.upper())

    refused = client.post(link)

    assert "Another account has this address" in refused.content.decode()
    assert email_of(robin) == THIEFS
    assert robin.check_password(PASSWORD)


@pytest.mark.parametrize("typed", [OLD, OLD.upper()])
def test_who_goes_back_by_themselves_leaves_neither_mailbox_a_link(client: Client, robin: User, typed: str) -> None:
    moved(robin, THIEFS)
    link = way_back()
    moved(robin, typed)

    assert not way_back(THIEFS)
    assert "tell those who run the site" in told()[THIEFS]
    assert client.post(link).status_code == 404
    assert not FormerEmail.objects.exists()


def test_who_goes_back_to_a_later_mailbox_ends_no_link_of_an_earlier_one(client: Client, robin: User) -> None:
    moved(robin, THIEFS)
    first = way_back()
    moved(robin, LATER)
    moved(robin, THIEFS)

    assert FormerEmail.objects.get().email == OLD
    assert not way_back(LATER)
    assert (client.post(first).status_code, email_of(robin)) == (302, OLD)


def test_after_three_days_an_address_is_a_new_one_like_any_other(robin: User) -> None:
    moved(robin, THIEFS)
    with clock.freeze_at(FormerEmail.objects.get().until):
        moved(robin, OLD)

        assert way_back(THIEFS)


@pytest.mark.parametrize("of", ["user", "email"])
def test_a_link_puts_back_what_it_was_made_for_though_another_row_has_its_number_by_now(
    client: Client, robin: User, of: str
) -> None:
    moved(robin, THIEFS)
    link = way_back()
    other = {"user": UserFactory.create(username="marian"), "email": LATER}
    FormerEmail.objects.update(**{of: other[of]})

    assert client.post(link).status_code == 404
    assert email_of(robin) == THIEFS


def test_addresses_of_before_go_after_three_days(robin: User) -> None:
    moved(robin, THIEFS)
    until = FormerEmail.objects.get().until

    assert drop_former_emails(until - timedelta(seconds=1)) == 0
    with clock.freeze_at(until):
        assert retain()[1] == 1
    assert not FormerEmail.objects.exists()
