"""Mails about changes live on when their account goes; its end, its rights and its player are told too."""

import logging
from datetime import timedelta
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import LazySettings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.contrib.contenttypes.models import ContentType
from django.core import mail as post
from django.core.management import call_command
from django.db import connection
from django.db.models import ProtectedError
from django.test import Client

from accounts.models import AccountMail, MailKind
from accounts.services.mails import outbox as mail
from accounts.services.mails import owner_notices
from competitions.models import Preference
from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.models import Player
from leaderboards.services.players.delete_account import delete_account
from leaderboards.services.players.link import link_by_hand
from tests.accounts.people import PASSWORD, sign_in
from tests.leaderboards.factories import PlayerFactory, UserFactory

pytestmark = pytest.mark.django_db

ADDRESS, NEW = "robin@example.org", "quite-another-1"
OWNER = "It was done by you, or by somebody who was signed in as you or reads your mails."
SITE = "It was done by those who run the site."
TYPED = {"username": "robin", "date_joined_0": "2026-01-01", "date_joined_1": "00:00"}


@pytest.fixture
def robin() -> User:
    robin: User = UserFactory.create(username="robin", password=PASSWORD, email=ADDRESS)
    return robin


def told(to: str = ADDRESS) -> list[list[str]]:
    """Of each mail the lines that say what has changed, to what and by whom; all to one mailbox, and it leads to a new
    password where there is an account that one would be mailed to."""
    mail.send_due(clock.now())
    said = [str(each.body) for each in post.outbox]
    assert [each.to for each in post.outbox] == [[to]] * len(said)
    assert all('your account "' in each for each in said)
    has_account = User.objects.filter(email=to, is_active=True).exists()
    assert all(("/accounts/reset/" in each) is has_account for each in said)
    post.outbox.clear()
    parts = [each.split("\n\n")[1].splitlines() for each in said]
    return [[what.rpartition(" (")[0], *more] for what, *more in parts]


def test_who_changes_the_password_and_deletes_the_account_keeps_its_owner_from_neither_mail(
    client: Client, robin: User
) -> None:
    sign_in(client, "robin")
    client.post("/accounts/password/", {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW})

    client.post("/account/delete/", {})

    assert not User.objects.exists()
    assert told() == [["The password was changed.", OWNER], ["The account was deleted.", OWNER]]


def test_the_end_of_an_account_whose_row_stays_is_told_by_its_name_of_then(robin: User) -> None:
    kind = ContentType.objects.get_for_model(User)
    LogEntry.objects.create(user=robin, action_flag=1, content_type=kind, object_id="1")

    delete_account(robin, "keep", clock.now())
    mail.send_due(clock.now())

    assert User.objects.get().username == f"deleted-{robin.pk}"
    assert 'your account "robin"' in str(post.outbox[0].body)


def test_the_end_is_told_in_the_language_that_the_erased_player_asked_for(robin: User) -> None:
    Preference.objects.create(player=PlayerFactory.create(user=robin), language="ko")

    delete_account(robin, "erase", clock.now())

    assert not Preference.objects.exists()
    assert AccountMail.objects.get().language == "ko"


@pytest.mark.parametrize("way", ["page", "list"])
def test_staff_who_delete_an_account_are_told_of(admin_client: Client, robin: User, way: str) -> None:
    if way == "page":
        admin_client.post(f"/admin/auth/user/{robin.pk}/delete/", {"post": "yes"})
    else:
        chosen = {"action": "delete_selected", "_selected_action": [robin.pk], "post": "yes"}
        admin_client.post("/admin/auth/user/", chosen)

    assert not User.objects.filter(pk=robin.pk).exists()
    assert told() == [["The account was deleted.", SITE]]


def test_staff_who_close_an_account_and_open_it_again_are_told_of(admin_client: Client, robin: User) -> None:
    form = {**TYPED, "email": ADDRESS}
    admin_client.post(f"/admin/auth/user/{robin.pk}/change/", form)
    assert told() == [["The account was deactivated: nobody can sign in to it.", SITE]]

    admin_client.post(f"/admin/auth/user/{robin.pk}/change/", {**form, "is_active": "on"})
    assert told() == [["The account is active again.", SITE]]

    admin_client.post(f"/admin/auth/user/{robin.pk}/change/", {**form, "is_active": "on"})
    assert told() == []


def test_rights_that_staff_give_and_take_are_told_one_by_one(admin_client: Client, robin: User) -> None:
    group = Group.objects.create(name="stewards")
    form = {**TYPED, "email": ADDRESS, "is_active": "on"}

    admin_client.post(
        f"/admin/auth/user/{robin.pk}/change/",
        {**form, "is_staff": "on", "is_superuser": "on", "groups": [group.pk]},
    )
    given = told()
    admin_client.post(f"/admin/auth/user/{robin.pk}/change/", {**form, "is_staff": "on"})

    what = "What the account may do on the site was changed."
    assert given == [[what, "- groups: stewards", "- staff status: yes", "- superuser status: yes", SITE]]
    assert told() == [[what, "- groups: –", "- superuser status: no", SITE]]


def test_an_address_that_staff_take_away_has_a_sentence_of_its_own_and_all_goes_to_it(
    admin_client: Client, robin: User
) -> None:
    admin_client.post(f"/admin/auth/user/{robin.pk}/change/", {**TYPED, "email": ""})

    assert told() == [
        ["The e-mail address was taken away. No more mails about the account are sent.", SITE],
        ["The account was deactivated: nobody can sign in to it.", SITE],
    ]


def test_a_player_given_or_taken_by_hand_is_told_to_both_accounts(robin: User) -> None:
    other = UserFactory.create(username="marian", email="marian@example.org")
    ann = PlayerFactory.create(external_id="ann", name="Ann\nof\nMany lines", user=robin)

    link_by_hand(ann, other, "theirs", clock.now(), None)
    mail.send_due(clock.now())

    said = {each.to[0]: str(each.body) for each in post.outbox}
    assert "A player was taken away from the account by hand." in said[ADDRESS]
    assert "A player was linked to the account by hand." in said["marian@example.org"]
    assert all("\n- Ann of Many lines\n" in each for each in said.values())
    assert Player.objects.get().user == other


def test_a_notice_is_tried_for_a_week_ever_less_often_and_giving_it_up_is_a_line_of_the_log(
    robin: User, caplog: pytest.LogCaptureFixture
) -> None:
    at = clock.now()
    owner_notices.notify_owner(MailKind.PASSWORD_CHANGED, robin, at, by=None)
    tries: list[Any] = []

    def away(_: object) -> None:
        tries.append(now)
        raise OSError

    with patch("django.core.mail.EmailMessage.send", away):
        while (now := AccountMail.objects.get().next_try_at) < at + timedelta(days=7):
            assert mail.send_due(now) == 0
    assert 100 < len(tries) < 300
    assert max(after - before for before, after in pairwise(tries)) <= timedelta(minutes=61)

    with caplog.at_level(logging.ERROR):
        caplog.clear()
        assert mail.send_due(at + timedelta(days=7)) == 0
    assert not AccountMail.objects.exists()
    assert f"(password) about account {robin.pk} was not sent for days and is given up" in caplog.text
    assert ADDRESS not in caplog.text


@pytest.mark.parametrize(
    ("page", "named"),
    [
        ("", "Sunwi <sunwi@localhost>"),
        ("/privacy-of-ours/", "http://localhost:8000/privacy-of-ours/"),
        ("https://example.org/us", "https://example.org/us"),
    ],
)
def test_it_names_whom_to_tell(robin: User, settings: LazySettings, page: str, named: str) -> None:
    settings.PRIVACY_URL = page
    owner_notices.notify_owner(MailKind.PASSWORD_CHANGED, robin, clock.now(), by=None)

    mail.send_due(clock.now())

    assert str(post.outbox[0].body).rstrip().endswith(f"And tell those who run the site:\n{named}")


def test_one_that_cannot_be_sent_keeps_no_other_waiting(robin: User) -> None:
    at = clock.now()
    owner_notices.notify_owner(
        MailKind.PASSWORD_CHANGED, robin, at, by=None, to=["robin@example.org\nBcc: x@example.org"]
    )
    owner_notices.notify_owner(MailKind.PASSWORD_CHANGED, robin, at, by=None)

    assert mail.send_due(at) == 1
    assert [each.to for each in post.outbox] == [[ADDRESS]]


def test_the_command_that_changes_a_password_is_in_the_log_and_told(robin: User) -> None:
    with patch("getpass.getpass", return_value=NEW):
        call_command("changepassword", "robin")

    robin.refresh_from_db()
    entry = AuditEntry.objects.get()
    assert robin.check_password(NEW)
    assert (entry.act, entry.by, entry.note) == ("account.password_changed", None, {"command": "changepassword"})
    assert entry.keys("account") == [str(robin.pk)]
    assert told() == [["The password was changed.", SITE]]


def test_the_command_that_makes_a_superuser_is_in_the_log_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", NEW)

    call_command("createsuperuser", "--noinput", username="root", email="root@example.org", verbosity=0)

    entry, root = AuditEntry.objects.get(), User.objects.get()
    assert (entry.act, entry.by, entry.note) == ("account.added", None, {"command": "createsuperuser"})
    assert entry.keys("account") == [str(root.pk)]
    assert entry.after == {"username": "root", "is_staff": True, "is_superuser": True}
    assert told("root@example.org") == [
        ["The account was made.", "- staff status: yes", "- superuser status: yes", SITE]
    ]
    root.save()  # only what the commands save is theirs
    assert AuditEntry.objects.count() == 1


def test_a_process_of_the_release_before_asks_for_mails_between_migrate_and_its_restart() -> None:
    known = 'INSERT INTO accounts_accountmail (kind, "to", language, created_at, next_try_at)'
    with connection.cursor() as cursor:
        cursor.execute(f"{known} VALUES (%s, %s, %s, %s, %s)", ["reset", ADDRESS, "en", clock.now(), clock.now()])

    row = AccountMail.objects.get()
    assert (row.name, row.by_owner, row.note) == ("", None, {})


def test_an_account_that_the_projects_own_rows_need_stays_as_an_empty_row(
    robin: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def protected(self: User) -> None:
        raise ProtectedError("An order needs it.", {self})

    monkeypatch.setattr(User, "delete", protected)

    delete_account(robin, "keep", clock.now())

    robin.refresh_from_db()
    assert (robin.username, robin.is_active, robin.email) == (f"deleted-{robin.pk}", False, "")
