"""Whoever wants to read in the audit log what no page shows them, to undo what they may not do, or to do it unseen."""

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from foundation import clock
from foundation.audit import record
from foundation.audit.models import AuditEntry, AuditSubject
from foundation.audit.retention import retain
from foundation.security import sealing, service_keys
from foundation.tasks import retain_audit
from foundation.webhooks.endpoints import rotate
from leaderboards.services.moderation.ban import ban
from tests.foundation.factories import KeyFactory, WebhookEndpointFactory
from tests.leaderboards.factories import PlayerFactory
from tests.staff import staff

pytestmark = pytest.mark.django_db
LOG = "/admin/foundation/auditentry/"
AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


def read(client: Client, address: str = LOG) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer.status_code
    return answer.getvalue().decode() if answer.streaming else answer.content.decode()


@pytest.mark.parametrize(
    ("groups", "status"),
    [([], 403), (["viewer"], 403), (["moderator"], 200), (["judge"], 200), (["operator"], 200), (["admin"], 200)],
)
def test_the_log_is_for_those_who_act_and_not_for_whoever_only_looks(groups: list[str], status: int) -> None:
    entry = record("audit.undone", at=AT)
    client = staff(groups=groups)

    for address in (LOG, f"{LOG}{entry.pk}/change/", f"{LOG}export/"):
        assert client.get(address).status_code == status, address


def test_strangers_are_sent_to_the_login(client: Client) -> None:
    entry = record("audit.undone", at=AT)

    for address in (LOG, f"{LOG}{entry.pk}/change/", f"{LOG}export/", f"{LOG}{entry.pk}/undo/"):
        assert client.get(address).status_code == 302


def test_what_a_freeze_hides_is_not_in_the_log_of_who_may_not_see_the_competition() -> None:
    hidden = record(
        "competition.voided",
        at=AT,
        subjects=[("competition", 7), ("board", 1), ("submission", 5)],
        reason="alice had 30 points",
    )
    record("board.retired", at=AT, subjects=[("board", 1)], reason="an old one")
    may = ("foundation.view_auditentry", "leaderboards.view_board", "leaderboards.view_submission")
    outsider, insider = staff(*may), staff(*may, "competitions.view_competition")

    for address in (LOG, f"{LOG}?subject=board:1", f"{LOG}?q=alice", f"{LOG}export/", f"{LOG}?subject=competition:7"):
        assert "alice had 30" not in read(outsider, address), address
        assert ("alice had 30" in read(insider, address)) is True, address
    assert "an old one" in read(outsider)
    assert outsider.get(f"{LOG}{hidden.pk}/change/").status_code == 302  # as for one that does not exist
    assert outsider.get(f"{LOG}{hidden.pk}/undo/").status_code == 404


def test_accounts_and_keys_are_hidden_likewise() -> None:
    record("account.changed", at=AT, subjects=[("account", 1)], reason="the account of ann")
    record("service_key.made", at=AT, subjects=[("service_key", 1)], reason="the key of the shop")

    said = read(staff(groups=["moderator"]))

    assert "the account of ann" not in said
    assert "the key of the shop" not in said


def test_a_subject_that_nobody_knows_hides_its_entry_from_all_but_superusers(admin_client: Client) -> None:
    record("board.retired", at=AT, subjects=[("gone.model", 1)], reason="of an app that is gone")

    assert "of an app that is gone" not in read(staff(groups=["admin"]))
    assert "of an app that is gone" in read(admin_client)


@pytest.mark.parametrize("address", ["add/", "{}/change/", "{}/delete/"])
def test_nobody_adds_changes_or_deletes_entries(admin_client: Client, address: str) -> None:
    entry = record("audit.undone", at=AT, reason="as it was")

    answer = admin_client.post(f"{LOG}{address.format(entry.pk)}", {"reason": "forged", "post": "yes"})
    admin_client.post(LOG, {"action": "delete_selected", "_selected_action": [entry.pk], "post": "yes"})

    assert answer.status_code == 403
    assert AuditEntry.objects.get().reason == "as it was"


def test_who_may_read_undoes_nothing_that_they_may_not_do() -> None:
    ann = PlayerFactory.create()
    ban([ann.pk], "A bot.", clock.now(), None)
    entry = AuditEntry.objects.get()
    reader = staff("foundation.view_auditentry", "leaderboards.view_player")
    doer = staff("leaderboards.change_player", "leaderboards.view_player")

    answers = [client.post(f"{LOG}{entry.pk}/undo/", {"reason": "Mine."}).status_code for client in (reader, doer)]

    assert answers == [403, 403]
    assert f"{LOG}{entry.pk}/undo/" not in read(reader, f"{LOG}{entry.pk}/change/")
    ann.refresh_from_db()
    assert ann.banned_at is not None


def test_an_undo_by_a_foreign_page_is_refused(admin_user: User) -> None:
    ban([PlayerFactory.create().pk], "A bot.", clock.now(), None)
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin_user)

    answer = client.post(f"{LOG}{AuditEntry.objects.get().pk}/undo/", {"reason": "Mine."})

    assert answer.status_code == 403
    assert AuditEntry.objects.count() == 1


def test_no_secret_is_in_the_log() -> None:
    text = KeyFactory.create(name="game")
    endpoint = WebhookEndpointFactory.create()
    secret = rotate(endpoint, clock.now())
    service_keys.revoke(service_keys.authenticate(f"Bearer {text}"), clock.now())

    said = str(list(AuditEntry.objects.values()))

    assert {"service_key.made", "webhook.rotated", "service_key.revoked"} == set(
        AuditEntry.objects.values_list("act", flat=True)
    )
    assert text.rpartition("_")[2] not in said
    assert secret not in said
    assert sealing.FORM not in said


def test_a_reason_is_text_and_no_markup(admin_client: Client) -> None:
    entry = record(
        "board.changed", at=AT, subjects=[("board", "<b>1")], reason="<script>1", after={"<i>unit": "<script>2"}
    )

    for address in (LOG, f"{LOG}{entry.pk}/change/", f"{LOG}{entry.pk}/undo/", f"{LOG}?subject=board:<script>3"):
        said = read(admin_client, address)
        for markup in ("<script>1", "<script>2", "<script>3", "<b>1", "<i>unit"):
            assert markup not in said, (address, markup)


def test_entries_go_when_they_were_kept_long_enough_and_not_before(settings: LazySettings) -> None:
    settings.AUDIT_KEEP_DAYS = 30
    old = record("board.made", at=AT - timedelta(days=31), subjects=[("board", 1)])
    record("board.changed", at=AT - timedelta(days=29), subjects=[("board", 1)], undoes=old)

    gone = retain(AT)

    assert gone == 1
    assert AuditEntry.objects.get().undoes is None
    assert AuditSubject.objects.count() == 1
    assert retain(AT) == 0


def test_the_schedule_lets_them_go() -> None:
    record("board.made", at=AT - timedelta(days=10_000))

    assert retain_audit() == 1
