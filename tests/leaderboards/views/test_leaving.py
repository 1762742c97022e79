"""A person's own data as a file, and the end of their account: their player goes with it, or goes on."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.test import Client

from accounts.models import Invitation
from accounts.services import recovery
from foundation import clock
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Player
from leaderboards.services import leave as leaving
from tests.accounts.authenticator import Authenticator, add_passkey
from tests.accounts.people import SECRET, with_app
from tests.leaderboards.views.pages import signed_in
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)

EXPORT, DELETE = "/account/export/", "/account/delete/"


def with_player() -> Client:
    score(make_board(), {"robin": 10})
    return signed_in(Client(), "robin", "robin")


def test_the_file_holds_all_and_no_secret() -> None:
    client = with_player()
    user = User.objects.get(username="robin")
    with_app(user)
    codes = recovery.draw(user)
    add_passkey(client, Authenticator(), "my phone")

    response = client.get(EXPORT)

    told = json.loads(response.content)
    assert response["Content-Disposition"].startswith("attachment")
    assert told["account"]["username"] == "robin"
    assert told["player"]["player"]["external_id"] == "robin"
    assert told["player"]["standings"]
    assert told["passkeys"][0]["name"] == "my phone"
    assert told["recovery_codes_left"] == 10
    text = response.content.decode()
    assert not any(secret in text for secret in (SECRET, user.password, codes[0], "pbkdf2"))


def test_the_file_has_the_invitation_without_the_note_that_staff_alone_read() -> None:
    client, now = with_player(), clock.now()
    user = User.objects.get(username="robin")
    Invitation.objects.create(
        email="robin@example.org", note="Watch them.", created_at=now, expires_at=now, used_at=now, used_by=user
    )

    text = client.get(EXPORT).content.decode()

    assert json.loads(text)["invitations"][0]["email"] == "robin@example.org"
    assert "Watch them" not in text


def test_who_has_not_shown_lately_who_they_are_is_asked_first() -> None:
    client = with_player()

    with clock.stand_at(clock.now() + timedelta(minutes=20)):
        answers = [client.get(EXPORT), client.get(DELETE), client.post(DELETE, {"player": "erase"})]

    assert all(each["Location"].startswith("/accounts/confirm/") for each in answers)
    assert User.objects.filter(username="robin").exists()
    assert Client().get(EXPORT)["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize(("choice", "is_known"), [("erase", False), ("keep", True)])
def test_the_account_goes_and_the_player_as_it_was_chosen(choice: str, is_known: bool) -> None:
    client = with_player()

    done = client.post(DELETE, {"player": choice})

    assert "Your account is deleted" in done.content.decode()
    assert not User.objects.filter(username="robin").exists()
    assert Player.objects.filter(external_id="robin", user=None).exists() == is_known
    assert client.get("/account/").status_code == 302


def test_nothing_is_done_without_a_choice_and_none_is_asked_without_a_player() -> None:
    client = with_player()
    nobody = signed_in(Client(), "nobody")

    assert client.post(DELETE).status_code == 200
    nobody.post(DELETE)

    assert list(User.objects.values_list("username", flat=True)) == ["robin"]


def test_where_the_player_cannot_be_erased_now_the_account_stays_and_the_page_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = with_player()

    def away(*_: Any) -> None:
        raise StorageUnavailable("Redis does not have it.")

    monkeypatch.setattr(leaving, "erase_player", away)

    refused = client.post(DELETE, {"player": "erase"})

    assert "Redis does not have it." in refused.content.decode()
    assert User.objects.filter(username="robin").exists()


def test_staff_stay() -> None:
    staff = signed_in(Client(), "staff", is_staff=True)

    refused = staff.post(DELETE)

    assert "Staff do not delete their accounts" in refused.content.decode()
    assert DELETE not in staff.get("/account/").content.decode()
    assert User.objects.filter(username="staff").exists()


def test_of_somebody_who_was_staff_the_row_stays_empty_and_so_does_what_they_did() -> None:
    client = signed_in(Client(), "once", email="once@example.org")
    user = User.objects.get(username="once")
    kind = ContentType.objects.get_for_model(Player)
    LogEntry.objects.create(user=user, content_type=kind, object_id="1", object_repr="x", action_flag=2)

    client.post(DELETE)

    user.refresh_from_db()
    assert (user.username, user.email, user.is_active, user.has_usable_password()) == (
        f"deleted-{user.pk}",
        "",
        False,
        False,
    )
    assert LogEntry.objects.filter(user=user).exists()
