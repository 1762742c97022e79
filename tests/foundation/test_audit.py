"""The audit log itself: what an entry keeps, who it says it was, and that what is undone is undone once."""

from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from unittest.mock import patch

import pytest
from django.apps import apps
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from foundation.audit import acting, record, register_action
from foundation.audit import actions as registry
from foundation.audit.actions import UnknownAction
from foundation.audit.actor import identify
from foundation.audit.middleware import AuditMiddleware
from foundation.audit.models import AuditEntry
from foundation.audit.retention import forget_addresses
from foundation.audit.undo import NotUndoable, undo
from foundation.errors import Conflict, Invalid, NotFound
from foundation.models import ServiceKey

pytestmark = pytest.mark.django_db
AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def undone() -> Iterator[list[str]]:
    """A lamp that is switched on, which can be undone, or painted, which can not; the reasons of what was undone."""
    reasons: list[str] = []

    def switch_off(_entry: AuditEntry, *, reason: str, **_: object) -> None:
        reasons.append(reason)

    with patch.dict(registry._actions):
        register_action("lamp.on", "switched on", switch_off)
        register_action("lamp.painted", "painted")
        yield reasons


def test_an_entry_keeps_who_did_what_to_what_and_why() -> None:
    anna = User.objects.create_user("anna")

    record(
        "lamp.painted", at=AT, by=anna, subjects=[("lamp", 3), ("room", "x")], reason="It was grey.", after={"a": AT}
    )

    entry = AuditEntry.objects.get()
    assert (entry.at, entry.act, entry.by, entry.by_name, entry.reason) == (
        AT,
        "lamp.painted",
        anna,
        "anna",
        "It was grey.",
    )
    assert entry.after == {"a": "2026-03-02T09:00:00Z"}
    assert set(entry.subjects.values_list("kind", "key")) == {("lamp", "3"), ("room", "x")}


def test_a_name_stays_when_its_account_goes() -> None:
    anna = User.objects.create_user("anna")
    record("lamp.on", at=AT, by=anna)

    anna.delete()

    entry = AuditEntry.objects.get()
    assert entry.by is None
    assert entry.by_name == "anna"


def test_who_acts_in_this_thread_did_it_and_a_command_leaves_its_name() -> None:
    anna = User.objects.create_user("anna")

    with acting(lambda: anna):
        record("lamp.on", at=AT)
    with acting(command="lamps"):
        record("lamp.on", at=AT, note={"lamp": 1})
    record("lamp.on", at=AT)

    found = AuditEntry.objects.order_by("pk").values_list("by_name", "note")
    assert list(found) == [("anna", {}), ("", {"command": "lamps", "lamp": 1}), ("", {})]


def test_a_request_of_a_key_is_nobodys_account() -> None:
    anna = User.objects.create_user("anna")

    with acting(lambda: anna):
        identify(ServiceKey(name="game"))
        record("lamp.on", at=AT)

    entry = AuditEntry.objects.get()
    assert entry.by is None
    assert entry.key_name == "game"


def test_an_entry_keeps_the_address_also_where_somebody_else_acts_within_the_request() -> None:
    anna = User.objects.create_user("anna")

    with acting(lambda: None, lambda: "192.0.2.7"):
        record("lamp.on", at=AT)
        with acting(lambda: anna):
            record("lamp.on", at=AT)
    with acting(command="lamps"):
        record("lamp.on", at=AT)

    assert list(AuditEntry.objects.order_by("pk").values_list("address", flat=True)) == ["192.0.2.7", "192.0.2.7", ""]


@pytest.mark.parametrize(
    ("proxies", "forwarded", "kept"),
    [
        (0, "203.0.113.9", "192.0.2.1"),
        (1, "198.51.100.6, 203.0.113.9", "203.0.113.9"),
        (1, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
    ],
)
def test_the_address_of_a_request_is_the_one_that_our_own_proxies_saw(
    settings: LazySettings, proxies: int, forwarded: str, kept: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR=forwarded)

    def act(_request: HttpRequest) -> HttpResponse:
        record("lamp.on", at=AT)
        return HttpResponse()

    AuditMiddleware(act)(request)

    assert AuditEntry.objects.get().address == kept


def test_the_addresses_of_an_account_go_with_it_and_of_no_other() -> None:
    anna, bob = User.objects.create_user("anna"), User.objects.create_user("bob")
    about_anna = [("account", anna.pk)]
    with acting(None, lambda: "192.0.2.7"):
        record("lamp.on", at=AT, by=anna)
        record("lamp.on", at=AT, subjects=about_anna)  # somebody who failed to sign in as anna
        record("lamp.on", at=AT, by=bob, subjects=about_anna)
        record("lamp.on", at=AT, key=ServiceKey(name="game"), subjects=about_anna)

    forget_addresses(anna.pk)

    left = AuditEntry.objects.order_by("pk").values_list("address", flat=True)
    assert list(left) == ["", "", "192.0.2.7", "192.0.2.7"]


def test_an_act_that_nobody_registered_is_refused() -> None:
    with pytest.raises(UnknownAction):
        record("lamp.eaten", at=AT)


def test_a_rollback_takes_the_entry_too() -> None:
    with transaction.atomic():
        record("lamp.on", at=AT, subjects=[("lamp", 1)])
        transaction.set_rollback(True)

    assert not AuditEntry.objects.exists()


def test_what_is_undone_is_told_by_an_entry_of_its_own(undone: list[str]) -> None:
    anna = User.objects.create_user("anna")
    entry = record("lamp.on", at=AT, subjects=[("lamp", 1)])

    told = undo(entry.pk, " By mistake. ", AT, anna)

    assert undone == ["By mistake."]
    assert (told.undoes, told.act, told.by, told.reason) == (entry, "audit.undone", anna, "By mistake.")
    assert list(told.subjects.values_list("kind", "key")) == [("lamp", "1")]
    assert entry.is_undone


def test_an_undo_that_records_its_own_entry_needs_no_other() -> None:
    def repaint(_entry: AuditEntry, *, at: datetime, reason: str, **_: object) -> None:
        record("lamp.painted", at=at, reason=reason)
        record("lamp.on", at=at)

    register_action("lamp.painted", "painted", repaint)
    entry = record("lamp.painted", at=AT)

    told = undo(entry.pk, "Too dark.", AT, None)

    assert (told.act, told.reason) == ("lamp.painted", "Too dark.")
    assert AuditEntry.objects.count() == 3
    assert AuditEntry.objects.filter(undoes__isnull=False).get() == told


def test_nothing_is_undone_twice(undone: list[str]) -> None:
    entry = record("lamp.on", at=AT)
    undo(entry.pk, "Once.", AT, None)

    with pytest.raises(NotUndoable, match="before"):
        undo(entry.pk, "Twice.", AT, None)

    assert undone == ["Once."]


def test_what_cannot_be_undone_is_refused_with_the_reason() -> None:
    entry = record("lamp.painted", at=AT)

    with pytest.raises(NotUndoable, match="kind"):
        undo(entry.pk, "No.", AT, None)
    with pytest.raises(NotFound):
        undo(entry.pk + 1, "No.", AT, None)


@pytest.mark.parametrize("reason", ["", "   ", "x" * 301])
def test_an_undo_needs_a_reason(reason: str, undone: list[str]) -> None:
    entry = record("lamp.on", at=AT)

    with pytest.raises(Invalid, match="1 to 300"):
        undo(entry.pk, reason, AT, None)

    assert not undone


def test_an_undo_that_is_refused_leaves_nothing_behind() -> None:
    def refuse(_entry: AuditEntry, *, at: datetime, **_: object) -> None:
        record("lamp.painted", at=at)
        raise Conflict("It is gone.")

    register_action("lamp.on", "switched on", refuse)
    entry = record("lamp.on", at=AT)

    with pytest.raises(Conflict, match="gone"):
        undo(entry.pk, "Please.", AT, None)

    assert AuditEntry.objects.get() == entry


def test_the_migration_takes_addresses_of_sign_ins_out_of_the_details() -> None:
    older = AuditEntry.objects.create(at=AT, act="account.signed_in", note={"address": "192.0.2.7", "way": "passkey"})
    other = AuditEntry.objects.create(at=AT, act="lamp.on", note={"address": "a lamp's own"})

    import_module("foundation.migrations.0010_where_from").out_of_details(apps, None)

    found = AuditEntry.objects.in_bulk([older.pk, other.pk])
    assert (found[older.pk].address, found[older.pk].note) == ("192.0.2.7", {"way": "passkey"})
    assert (found[other.pk].address, found[other.pk].note) == ("", {"address": "a lamp's own"})
