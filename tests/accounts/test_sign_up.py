"""Making an account: off, by invitation or by mail; a new password by mail; and no page tells who has an account."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core import mail as post
from django.core.exceptions import ValidationError
from django.test import Client

from accounts.checks import signing_up_has_its_mails
from accounts.models import AccountMail, Invitation, MailKind, ProvenEmail
from accounts.services.mails import outbox as mail
from foundation import clock
from tests.accounts.people import PASSWORD, mailed, sign_in, who
from tests.leaderboards.factories import AdminFactory, UserFactory
from tests.mailing import use_backend
from tests.staff import chief

pytestmark = pytest.mark.django_db

RESET, SIGN_UP, EMAIL = "/accounts/reset/", "/accounts/sign-up/", "/accounts/email/"
NEW = {"username": "newcomer", "password1": PASSWORD, "password2": PASSWORD}
ADDRESS = "robin@example.org"


@pytest.fixture(autouse=True)
def _open(settings: LazySettings) -> None:
    settings.SIGN_UP = "open"


def invited(**typed: str) -> Any:
    """What an administrator sees after inviting somebody."""
    return chief().post("/admin/accounts/invitation/add/", {"email": "", "note": "", "days": "7", **typed})


def link_in(page: Any) -> str:
    """The path of an invitation's link, as its page shows it."""
    return str(page.context["link"]).removeprefix("http://localhost:8000")


def test_by_mail_an_account_is_made_once_and_its_address_is_proven(client: Client) -> None:
    asked = client.post(SIGN_UP, {"email": ADDRESS})
    link = mailed()

    made = client.post(link, NEW)

    assert "Look into your mailbox" in asked.content.decode()
    assert post.outbox[-1].to == [ADDRESS]
    assert made["Location"] == "/account/"
    assert who(client) == "newcomer"
    assert ProvenEmail.objects.get().email == User.objects.get().email == ADDRESS
    assert Client().post(link, NEW | {"username": "second"}).status_code == 404
    assert not AccountMail.objects.exists()


@pytest.mark.parametrize("path", [RESET, SIGN_UP])
def test_a_page_that_mails_answers_alike_whether_there_is_an_account(
    path: str, django_assert_num_queries: Any, client: Client
) -> None:
    UserFactory.create(username="robin", password=PASSWORD, email=ADDRESS)

    with django_assert_num_queries(1):
        known = client.post(path, {"email": ADDRESS})
    with django_assert_num_queries(1):
        unknown = client.post(path, {"email": "nobody@example.org"})

    assert known.content == unknown.content
    assert AccountMail.objects.count() == 2


def test_who_signs_up_again_is_told_so_by_mail_alone() -> None:
    UserFactory.create(username="robin", password=PASSWORD, email=ADDRESS.upper())
    Client().post(SIGN_UP, {"email": ADDRESS})

    assert mailed() == RESET
    assert "There is one already" in post.outbox[-1].body


def test_a_new_password_by_mail_is_set_once_ends_sessions_and_makes_the_device_known(client: Client) -> None:
    UserFactory.create(username="robin", password=PASSWORD, email=ADDRESS)
    other = Client()
    sign_in(other, "robin")
    client.post(RESET, {"email": ADDRESS})
    link = mailed()
    new = {"new_password1": "quite-another-1", "new_password2": "quite-another-1"}

    form = client.get(link)
    done = client.post(form["Location"], new, follow=True)

    assert "Your new password is set" in done.content.decode()
    assert "device" in client.cookies
    assert who(other) == who(client) == ""
    assert sign_in(client, "robin", "quite-another-1").status_code == 302
    assert "This link does not work" in Client().get(link, follow=True).content.decode()


def test_a_new_password_is_mailed_to_the_address_of_the_account_and_to_no_other_that_is_written_alike() -> None:
    UserFactory.create(username="robin", password=PASSWORD, email="Robin@example.org")
    UserFactory.create(username="gone", password=PASSWORD, email="gone@example.org", is_active=False)
    for address in (ADDRESS, "gone@example.org", "nobody@example.org"):
        Client().post(RESET, {"email": address})

    mail.send_due(clock.now())

    assert [each.to for each in post.outbox] == [["Robin@example.org"]]


def test_mails_to_one_address_and_from_one_visitor_are_few(settings: LazySettings) -> None:
    told = [Client().post(RESET, {"email": ADDRESS}).status_code for _ in range(4)]
    from_one = [Client().post(RESET, {"email": f"{nth}@example.org"}).status_code for nth in range(18)]

    assert told == [200] * 3 + [429]
    assert from_one == [200] * 17 + [429]


def test_a_mail_that_is_not_sent_is_tried_again_after_a_minute_and_given_up_after_hours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    mail.request_mail(MailKind.SIGN_UP, ADDRESS, "203.0.113.1", at)

    def away(_: object) -> None:
        raise OSError

    with monkeypatch.context() as broken:
        broken.setattr("django.core.mail.EmailMessage.send", away)
        assert mail.send_due(at) == 0
    assert mail.send_due(at + timedelta(seconds=59)) == 0
    assert mail.send_due(at + timedelta(seconds=60)) == 1
    mail.request_mail(MailKind.SIGN_UP, ADDRESS, "203.0.113.1", at)
    assert mail.send_due(at + timedelta(hours=6)) == 0
    assert not AccountMail.objects.exists()


def test_an_invitation_without_an_address_is_shown_once_and_used_once(client: Client, settings: LazySettings) -> None:
    settings.SIGN_UP = "invitation"
    link = link_in(invited(note="for Robin"))

    made = client.post(link, NEW)

    assert made["Location"] == "/account/"
    assert Invitation.objects.get().used_by == User.objects.get(username="newcomer")
    assert not ProvenEmail.objects.exists()
    assert Client().post(link, NEW | {"username": "second"}).status_code == 404
    assert not User.objects.filter(username="second").exists()
    assert client.get(SIGN_UP).status_code == 404


def test_one_with_an_address_is_mailed_and_shown_to_nobody(client: Client) -> None:
    page = invited(email=ADDRESS)
    link = mailed()

    assert page.status_code == 302
    client.post(link, NEW)
    assert ProvenEmail.objects.get().email == ADDRESS


@pytest.mark.parametrize("fault", ["expired", "revoked", "forged", "off"])
def test_an_invitation_that_does_not_count_makes_nothing(client: Client, settings: LazySettings, fault: str) -> None:
    link, at = link_in(invited()), clock.now()
    if fault == "expired":
        at += timedelta(days=7)
    if fault == "revoked":
        staff = Client()
        staff.force_login(AdminFactory.create(username="other"))
        chosen = [Invitation.objects.get().pk]
        staff.post("/admin/accounts/invitation/", {"action": "revoke", "_selected_action": chosen})
    if fault == "forged":
        link = link[:-3] + "AA/"
    if fault == "off":
        settings.SIGN_UP = "off"

    with clock.freeze_at(at):
        assert client.post(link, NEW).status_code == 404
    assert not User.objects.filter(username="newcomer").exists()


def test_a_name_that_is_taken_is_refused_beside_its_field_and_the_invitation_stays_good(client: Client) -> None:
    UserFactory.create(username="Newcomer")
    link = link_in(invited())

    refused = client.post(link, NEW)

    assert refused.status_code == 200
    assert "already exists" in refused.content.decode()
    assert client.post(link, NEW | {"username": "another"}).status_code == 302


@pytest.mark.parametrize(("backend", "is_told"), [("console", True), ("smtp", False)])
def test_where_mails_are_only_written_into_a_log_pages_say_so(
    client: Client, settings: LazySettings, backend: str, is_told: bool
) -> None:
    use_backend(settings, backend)
    said = "This site sends no e-mails: it writes them into the worker"

    asked = client.post(SIGN_UP, {"email": ADDRESS}).content.decode()
    staff = Client()
    staff.force_login(AdminFactory.create())
    typed = {"email": "marian@example.org", "note": "", "days": "7"}
    invitation = staff.post("/admin/accounts/invitation/add/", typed, follow=True).content.decode()

    assert (said in asked, said in invitation) == (is_told, is_told)
    assert "A mail with the link goes to marian@example.org within seconds." in invitation


def test_without_mails_nobody_is_offered_to_sign_up_and_the_check_says_why(
    client: Client, settings: LazySettings
) -> None:
    for backend, works in (("dummy", False), ("smtp", True)):
        use_backend(settings, backend)

        assert (SIGN_UP in client.get("/accounts/login/").content.decode()) is works
        assert [each.id for each in signing_up_has_its_mails()] == ([] if works else ["sunwi.W002"])


@pytest.mark.parametrize("mode", ["off", "invitation"])
def test_where_nobody_signs_up_by_themselves_there_is_no_page_for_it(
    client: Client, settings: LazySettings, mode: str
) -> None:
    client.post(SIGN_UP, {"email": ADDRESS})
    link = mailed()
    settings.SIGN_UP = mode

    assert [client.get(path).status_code for path in (SIGN_UP, link)] == [404, 404]
    assert SIGN_UP not in client.get("/accounts/login/").content.decode()


@pytest.mark.parametrize(
    ("password", "is_taken"),
    [
        ("eleven-char", False),
        ("twelve-chars", True),
        ("q1w2e3r4t5y6", False),
        ("ab-c" * 32, True),
        ("ab-c" * 32 + "d", False),
    ],
)
def test_a_password_has_12_to_128_characters_and_is_not_among_known_ones(password: str, is_taken: bool) -> None:
    try:
        validate_password(password)
    except ValidationError:
        assert not is_taken
    else:
        assert is_taken


def test_the_field_that_is_wrong_has_the_focus_and_none_that_is_right(client: Client) -> None:
    client.post(SIGN_UP, {"email": ADDRESS})
    link = mailed()

    first = client.get(link).content.decode()
    refused = client.post(link, {**NEW, "password2": "another long one"}).content.decode()

    assert re.findall(r'<input[^>]*name="(\w+)"[^>]* autofocus', first) == ["username"]
    assert re.findall(r'<input[^>]*name="(\w+)"[^>]* autofocus', refused) == ["password2"]
