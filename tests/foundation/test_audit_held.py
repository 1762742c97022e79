"""An undo holds its entry before it does anything: what it does may be kept apart by no row of its own."""

from datetime import UTC, datetime
from unittest.mock import patch

import pytest
from django.db import OperationalError

from foundation.audit import actions as registry
from foundation.audit import record, register_action
from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from tests.locked import locked, only_postgresql

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


@only_postgresql
@pytest.mark.django_db(transaction=True)
def test_while_somebody_else_holds_the_entry_its_act_is_not_undone_and_then_once() -> None:
    done: list[str] = []

    with patch.dict(registry._actions):
        register_action("lamp.on", "switched on", lambda _entry, *, reason, **_: done.append(reason))
        record("lamp.on", at=AT, by=None, subjects=[("lamp", 3)])
        entry = AuditEntry.objects.get()
        with locked(AuditEntry.objects.filter(pk=entry.pk)):
            with pytest.raises(OperationalError) as waited:
                undo(entry.pk, "too early", AT, None)
            while_held = list(done)
        undo(entry.pk, "in turn", AT, None)
        with pytest.raises(NotUndoable):
            undo(entry.pk, "too late", AT, None)

    assert "lock timeout" in str(waited.value)
    assert while_held == []
    assert done == ["in turn"]
