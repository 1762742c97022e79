"""Several chosen entries of the audit log are undone with one reason, each by itself, and what is refused is told."""

import pytest
from django.db import OperationalError
from django.test import Client

from foundation import clock
from foundation.audit import record
from foundation.audit.models import AuditEntry
from foundation.audit.undo import undo
from leaderboards.admin.undo import bulk as undo_several
from leaderboards.models import Board, Player, Restriction
from leaderboards.services.moderation.ban import ban, unban
from leaderboards.services.players.profiles import set_profile
from tests.leaderboards.admin.moderation.test_ban_pages import scored
from tests.leaderboards.admin.moderation.test_quarantine_admin import member_of
from tests.leaderboards.admin.test_proof import LATE
from tests.leaderboards.admin.typed import act, make_board, page
from tests.leaderboards.services.restricting import keep_out

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

LOG = "/admin/foundation/auditentry/"


@pytest.fixture
def board(db: None) -> Board:
    made = make_board(name="One")
    scored(made, {"ann": 9, "bob": 7, "cleo": 5})
    return made


def player(name: str) -> Player:
    return Player.objects.get(external_id=name)


def banned() -> set[str]:
    return set(Player.objects.filter(banned_at__isnull=False).values_list("external_id", flat=True))


def test_what_is_chosen_is_undone_after_a_look_and_what_is_refused_is_told_with_the_reason(
    admin: Client, board: Board
) -> None:
    ban([player(name).pk for name in ("ann", "bob", "cleo")], "A ring.", clock.now(), None)
    unban([player("cleo").pk], "By hand.", clock.now(), None)
    entries = list(AuditEntry.objects.filter(act="player.banned"))  # the latest first: cleo's

    asked = act(admin, LOG, "undo_selected", *entries)
    missing = act(admin, LOG, "undo_selected", *entries, confirmed="1", reason=" ")
    still = banned()
    done = act(admin, LOG, "undo_selected", *entries, confirmed="1", reason="No ring.")
    again = act(admin, LOG, "undo_selected", *entries[1:], confirmed="1", reason="No ring.")

    assert "player banned: 3" in asked
    assert "On 1 running board they hold places 1 and 1 again." in asked
    assert "Give a reason of 1 to 300 characters." in missing
    assert still == {"ann", "bob"}
    assert "Undone: 2. Refused: 1." in done
    assert "This ban does not stand any more" in done
    assert "cleo" in done
    assert banned() == set()
    undone = AuditEntry.objects.exclude(undoes=None)
    assert sorted(undone.values_list("reason", "by_name")) == [("No ring.", "admin")] * 2
    assert "None of the selected can be undone: nothing was done." in again


def test_what_somebody_else_undid_since_the_look_is_listed_too(admin: Client, board: Board) -> None:
    for name in ("ann", "bob"):
        ban([player(name).pk], "A ring.", clock.now(), None)
    entries = list(AuditEntry.objects.filter(act="player.banned"))
    undo(entries[0].pk, "By another.", clock.now(), None)

    done = act(admin, LOG, "undo_selected", *entries, confirmed="1", reason="No ring.")

    assert "Undone: 1. Refused: 1." in done
    assert "This was undone before." in done
    assert banned() == set()


def test_an_error_of_sql_at_one_keeps_no_other_and_is_listed(
    admin: Client, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ann", "bob", "cleo"):
        ban([player(name).pk], "A ring.", clock.now(), None)
    entries = list(AuditEntry.objects.filter(act="player.banned"))

    def deadlocked(number: int, *args: object) -> object:
        if number == entries[1].pk:
            raise OperationalError("deadlock detected")
        return undo(number, *args)  # type: ignore[arg-type]  # the arguments are passed on unchanged

    monkeypatch.setattr(undo_several, "undo", deadlocked)

    done = act(admin, LOG, "undo_selected", *entries, confirmed="1", reason="No ring.")

    assert "Undone: 2. Refused: 1." in done
    assert "The database was busy, or away" in done
    assert banned() == {"bob"}


def test_the_latest_of_several_changes_is_undone_first(admin: Client, board: Board) -> None:
    set_profile("ann", {"name": "First"}, clock.now())
    set_profile("ann", {"name": "Second"}, clock.now())
    entries = AuditEntry.objects.filter(act="player.changed")

    done = act(admin, LOG, "undo_selected", *entries, confirmed="1", reason="Neither.")

    assert "Undone: 2. Refused: 0." in done
    assert player("ann").name == ""


def test_what_the_reader_may_not_undo_and_what_nobody_can_is_left_out(board: Board) -> None:
    keep_out("hidden", board, "ann")
    record("board.retired", at=clock.now(), subjects=[("board", board.pk)])
    entries = list(AuditEntry.objects.filter(act__in=["player.hidden", "board.retired"]))

    asked = act(member_of("moderator"), LOG, "undo_selected", *entries)
    operator = member_of("operator")
    act(operator, LOG, "undo_selected", *entries, confirmed="1", reason="Mine.")

    assert "player hidden: 1" in asked
    assert "1 of the selected is left out" in asked
    assert "1 first place moves" in asked
    assert Restriction.objects.get().lifted_at is None
    assert not AuditEntry.objects.exclude(undoes=None).exists()


def test_more_than_twenty_at_once_ask_for_a_proof(board: Board) -> None:
    scored(board, {f"p{number}": 1 for number in range(21)})
    ban(Player.objects.filter(external_id__startswith="p").values_list("pk", flat=True), "A ring.", clock.now(), None)
    numbers = list(AuditEntry.objects.filter(act="player.banned").values_list("pk", flat=True))
    sent = {"action": "undo_selected", "_selected_action": numbers, "confirmed": "1", "reason": "No ring."}
    moderator = member_of("moderator")

    with clock.freeze_at(clock.now() + LATE):
        onward = moderator.post(LOG, sent)["Location"]
    kept = len(banned())
    moderator.post(LOG, sent)

    assert onward.startswith("/accounts/confirm/")
    assert kept == 21
    assert banned() == set()


def test_the_list_offers_it_to_who_may_undo_anything(board: Board) -> None:
    record("board.retired", at=clock.now(), subjects=[("board", board.pk)])

    assert "Undo the selected entries" in page(member_of("moderator"), LOG)
