"""A person's own data as a file, and the end of their account: their player goes with it, or goes on."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.test import Client

from accounts.models import Invitation
from accounts.services.second_factors import recovery
from foundation import clock
from foundation.audit import acting, record
from foundation.audit.models import AuditEntry
from foundation.throttling import rate_limit
from foundation.throttling.limits import Limit
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Board, Period, PeriodState, Player
from leaderboards.selectors.player_data.account_export import account_export
from leaderboards.services.moderation.ban import ban
from leaderboards.services.players import delete_account as leaving
from tests.accounts.authenticator import Authenticator, add_passkey
from tests.accounts.people import SECRET, with_app
from tests.leaderboards.services.restricting import HIDDEN_STANDING, WAYS_ON_A_BOARD, keep_out
from tests.leaderboards.views.pages import signed_in
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)

EXPORT, DELETE = "/account/export/", "/account/delete/"


@pytest.fixture(autouse=True)
def _no_brakes_of_others() -> Iterator[None]:
    rate_limit.reset()
    yield
    rate_limit.reset()


def with_player() -> Client:
    score(make_board(), {"robin": 10})
    return signed_in(Client(), "robin", "robin")


def test_the_file_holds_all_and_no_secret() -> None:
    client = with_player()
    user = User.objects.get(username="robin")
    add_passkey(client, Authenticator(), "my phone")
    with_app(user)
    codes = recovery.draw(user, clock.now())

    response = client.get(EXPORT)

    told = json.loads(response.content)
    assert response["Content-Disposition"].startswith("attachment")
    assert told["account"]["username"] == "robin"
    assert told["player"]["player"]["external_id"] == "robin"
    assert told["player"]["standings"]
    assert told["passkeys"][0]["name"] == "my phone"
    assert [row["note"]["name"] for row in told["audit_log"] if "name" in row["note"]] == ["my phone"]
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


def test_who_asks_for_it_often_waits_and_so_does_everybody_while_many_files_are_made(settings: LazySettings) -> None:
    client, at_once = with_player(), settings.EXPORTS_AT_ONCE
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "own_data": Limit(2, 3600)}
    settings.EXPORTS_AT_ONCE = 0
    assert client.get(EXPORT).status_code == 503

    settings.EXPORTS_AT_ONCE = at_once
    told = [client.get(EXPORT) for _ in range(2)]

    assert [each.status_code for each in told] == [200, 429]
    assert int(told[1]["Retry-After"]) > 0


def test_who_has_not_shown_lately_who_they_are_is_asked_first() -> None:
    client = with_player()

    with clock.freeze_at(clock.now() + timedelta(minutes=20)):
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

    def away(*_: Any, **_unless: Any) -> None:
        raise StorageUnavailable("Redis does not have it.")

    monkeypatch.setattr(leaving, "erase_player", away)

    refused = client.post(DELETE, {"player": "erase"})

    assert "Redis does not have it." in refused.content.decode()
    assert User.objects.filter(username="robin").exists()


def test_the_audit_log_keeps_that_the_account_was_there_and_nothing_of_whose_it_was() -> None:
    client = with_player()
    add_passkey(client, Authenticator(), "my phone")

    client.post(DELETE, {"player": "keep"})

    rows = AuditEntry.objects.filter(subjects__kind="account").values("act", "by_name", "note", "before", "after")
    assert {"account.factor_added", "account.left"} <= {row["act"] for row in rows}
    assert "my phone" not in str(list(rows))
    assert "robin" not in str(list(rows))


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


@pytest.mark.parametrize("choice", ["erase", "keep"])
def test_the_log_says_that_an_account_went_and_not_whose(choice: str) -> None:
    client = with_player()
    number = User.objects.get(username="robin").pk

    client.post(DELETE, {"player": choice})

    entry = AuditEntry.objects.get(act="account.left")
    assert (entry.keys("account"), entry.by_id) == ([str(number)], None)
    assert not AuditEntry.objects.filter(by_name="robin").exists()


def test_what_somebody_did_to_others_keeps_their_name() -> None:
    client = with_player()
    other = Player.objects.create(external_id="cheat")
    ban([other.pk], "A test.", clock.now(), User.objects.get(username="robin"))

    client.post(DELETE, {"player": "keep"})

    assert not User.objects.filter(username="robin").exists()
    entry = AuditEntry.objects.get(act="player.banned")
    assert (entry.by_name, entry.by_id) == ("robin", None)


def test_where_somebody_acted_from_goes_with_their_account_and_they_are_told_it_before() -> None:
    client = with_player()
    robin, other = User.objects.get(username="robin"), User.objects.create(username="other")
    with acting(lambda: robin, lambda: "192.0.2.7"):
        record("account.password_changed", at=clock.now(), subjects=[("account", robin.pk)])
    with acting(lambda: other, lambda: "192.0.2.8"):
        record("account.changed", at=clock.now(), subjects=[("account", robin.pk)])

    told = account_export(robin, clock.now())["audit_log"]
    client.post(DELETE, {"player": "keep"})

    assert [entry.get("address") for entry in told[-2:]] == ["192.0.2.7", None]
    left = AuditEntry.objects.exclude(address="").values_list("address", flat=True)
    assert list(left) == ["192.0.2.8"]


@pytest.mark.parametrize("how", [each for each in WAYS_ON_A_BOARD if not each.startswith("shadowed")])
def test_whom_moderators_keep_out_does_not_erase_their_player_and_may_go_without_it(how: str) -> None:
    client = with_player()
    keep_out(how, Board.objects.get(), "robin")

    refused = client.post(DELETE, {"player": "erase"})

    assert "only they erase them" in refused.content.decode()
    assert Player.objects.filter(external_id="robin", user__username="robin").exists()
    client.post(DELETE, {"player": "keep"})
    assert Player.objects.filter(external_id="robin", user=None).exists()
    assert not User.objects.filter(username="robin").exists()


def test_a_standing_that_was_hidden_once_it_was_final_does_not_keep_a_player_from_being_erased() -> None:
    client = with_player()
    keep_out(HIDDEN_STANDING, Board.objects.get(), "robin")
    Period.objects.update(state=PeriodState.FINAL)

    client.post(DELETE, {"player": "erase"})

    assert not Player.objects.filter(external_id="robin").exists()


def test_a_refusal_does_not_tell_the_shadowed_that_they_are() -> None:
    client = with_player()
    keep_out("shadowed everywhere", Board.objects.get(), "robin")

    client.post(DELETE, {"player": "erase"})

    assert not Player.objects.filter(external_id="robin").exists()


def test_a_refusal_is_in_the_readers_language() -> None:
    staff = signed_in(Client(), "staff", is_staff=True)

    refused = staff.post(DELETE, headers={"accept-language": "ko"})

    assert "운영진 계정은 직접 삭제할 수 없습니다" in refused.content.decode()
