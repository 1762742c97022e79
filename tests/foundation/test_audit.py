"""The audit log itself: what an entry keeps, who it says it was, and that what is undone is undone once."""

from collections.abc import Iterator
from datetime import UTC, datetime
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from foundation.audit import acting, record, register_act
from foundation.audit import acts as registry
from foundation.audit.actor import identify
from foundation.audit.acts import UnknownAct
from foundation.audit.models import AuditEntry
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

    with patch.dict(registry._acts):
        register_act("lamp.on", "switched on", switch_off)
        register_act("lamp.painted", "painted")
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


def test_an_act_that_nobody_registered_is_refused() -> None:
    with pytest.raises(UnknownAct):
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

    register_act("lamp.painted", "painted", repaint)
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

    register_act("lamp.on", "switched on", refuse)
    entry = record("lamp.on", at=AT)

    with pytest.raises(Conflict, match="gone"):
        undo(entry.pk, "Please.", AT, None)

    assert AuditEntry.objects.get() == entry
