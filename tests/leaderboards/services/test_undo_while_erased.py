"""The log undoes an act about a player who is being erased: one waits for the other, and neither breaks off."""

import threading
from importlib import import_module

import pytest
from django.db import connection

from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.models import Player
from leaderboards.services.moderation.ban import ban
from leaderboards.services.moderation.restrict import hidden_in_period, restrict
from leaderboards.services.players.erase import erase_player
from tests.at_once import at_once
from tests.leaderboards.services.site import crowd, make_board

undoing = import_module("foundation.audit.undo")  # the package has a function of this name
A_LITTLE, LONG = 0.01, 20.0


def somebody_waits() -> bool:
    """Whether a connection waits for what another one holds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        return bool(cursor.fetchone()[0])


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer: the erasure simply waits")
@pytest.mark.parametrize("what", ["banned", "hidden"])
def test_an_erasure_waits_for_an_undo_that_holds_its_entry(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    period = crowd(make_board("sql"), {"ann": 9, "bob": 7})
    ann = Player.objects.get(external_id="ann").pk
    if what == "banned":
        ban([ann], "False.", clock.now(), None)
    else:
        restrict([ann], hidden_in_period(period), "False.", clock.now(), None)
    entry = AuditEntry.objects.latest("pk")
    hold, is_held, erased = undoing._lock_entry, threading.Event(), threading.Event()

    def held_for_long(number: int) -> AuditEntry:
        found: AuditEntry = hold(number)
        is_held.set()
        asked = 0.0
        while not (somebody_waits() or erased.wait(A_LITTLE)) and asked < LONG:
            asked += A_LITTLE
        return found

    def erase() -> str:
        assert is_held.wait(LONG)
        try:
            return erase_player("ann", clock.now()).player
        finally:
            erased.set()

    monkeypatch.setattr(undoing, "_lock_entry", held_for_long)

    told, name = at_once([lambda: str(undoing.undo(entry.pk, "A mistake.", clock.now(), None).undoes_id), erase])

    assert (told, name) == (str(entry.pk), f"erased-{ann}")
    assert Player.objects.get(pk=ann).banned_at is None
