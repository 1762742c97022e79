"""Of the entries that are undone together, an act and what took it back end in what was before the earliest."""

from collections.abc import Callable

import pytest
from django.test import Client

from foundation import clock
from foundation.audit.cancelling_pairs import find_cancelled
from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from leaderboards.admin.undo import bulk as undo_several
from leaderboards.models import Board, Player, Restriction, Submission
from leaderboards.services.boards import save_board
from leaderboards.services.moderation.unvoid import unvoid_by_hand
from leaderboards.services.moderation.void import void_by_hand
from leaderboards.services.players.link import link_by_hand
from leaderboards.services.players.profiles import set_profile
from tests.leaderboards.admin.moderation.test_ban_pages import scored
from tests.leaderboards.admin.typed import act, make_board
from tests.leaderboards.factories import UserFactory
from tests.leaderboards.services.restricting import HIDDEN_STANDING, WAYS_ON_A_BOARD, keep_out, let_back_from

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

LOG = "/admin/foundation/auditentry/"
EVERY_WAY = pytest.mark.parametrize("how", WAYS_ON_A_BOARD)


@pytest.fixture
def board(db: None) -> Board:
    made = make_board(name="One", period="week")
    scored(made, {"ann": 9, "bob": 7, "cleo": 5})
    AuditEntry.objects.all().delete()
    return made


def done(how: str, board: Board, *steps: bool) -> list[AuditEntry]:
    """ann is kept out (True) and let back (False), in this way; the entries of it, the earliest first."""
    for is_out in steps:
        if is_out:
            keep_out(how, board, "ann")
        else:
            let_back_from(how, board, "ann", at=clock.now())
    return list(AuditEntry.objects.order_by("pk"))


def undone(admin: Client, *entries: AuditEntry) -> str:
    return act(admin, LOG, "undo_selected", *entries, confirmed="1", reason="A rogue.")


def is_out() -> bool:
    banned = Player.objects.get(external_id="ann").banned_at is not None
    return banned or Restriction.objects.filter(lifted_at=None).exists()


@EVERY_WAY
def test_who_was_kept_out_and_let_back_is_neither_afterwards(admin: Client, board: Board, how: str) -> None:
    entries = done(how, board, True, False)

    told = undone(admin, *entries)

    assert "2 of the selected take each other back, such as a ban and its lifting" in told
    assert not is_out()
    assert AuditEntry.objects.count() == 2


@EVERY_WAY
def test_who_was_let_back_and_kept_out_again_stays_out(admin: Client, board: Board, how: str) -> None:
    entries = done(how, board, True, False, True)

    undone(admin, *entries[1:])

    assert is_out()


def test_the_look_before_and_the_list_after_say_which_stay_as_they_are(admin: Client, board: Board) -> None:
    keep_out("banned everywhere", board, "bob")
    entries = done("hidden", board, True, False, True)

    asked = act(admin, LOG, "undo_selected", *entries)
    told = undone(admin, *entries)

    assert "player hidden: 1" in asked
    assert "player banned: 1" in asked
    assert "restriction of a player lifted: " not in asked
    assert "2 of the selected take each other back" in asked
    assert "left out" not in asked
    assert "Undone: 2. Refused: 0." in told
    assert told.count("Left as it is: ") == 2
    assert not is_out()
    assert not Player.objects.exclude(banned_at=None).exists()


def test_two_things_in_any_order_end_as_they_began(admin: Client, board: Board) -> None:
    for how, out in [
        (HIDDEN_STANDING, True), ("hidden", True), (HIDDEN_STANDING, False),
        (HIDDEN_STANDING, True), ("hidden", False), (HIDDEN_STANDING, False),
    ]:  # fmt: skip  # as a table
        done(how, board, out)

    told = undone(admin, *AuditEntry.objects.all())

    assert "6 of the selected take each other back" in told
    assert not is_out()


def test_what_was_undone_and_its_undoing_end_as_they_began(admin: Client, board: Board) -> None:
    [hidden] = done("hidden", board, True)
    lifted = undo(hidden.pk, "No.", clock.now(), None)

    undone(admin, hidden, lifted)

    assert not is_out()


def test_an_act_and_the_end_of_another_like_it_are_no_pair(admin: Client, board: Board) -> None:
    entries = done("hidden", board, True, False, True, False)

    told = undone(admin, entries[0], entries[3])

    assert "take each other back" not in told
    assert "Undone: 1. Refused: 1." in told
    assert "This restriction was lifted before, and another like it was imposed since: lift that one." in told
    assert is_out()  # by the third, which was not selected


def test_a_score_that_was_voided_and_restored_counts(admin: Client, board: Board) -> None:
    def sent() -> Submission:
        return Submission.objects.select_related("period__board", "player", "board").get(player__external_id="ann")

    void_by_hand(sent(), "A bot.", clock.now(), None)
    unvoid_by_hand(sent(), "A person.", clock.now(), None)

    undone(admin, *AuditEntry.objects.all())

    assert sent().voided_at is None


def profile(*names: str) -> None:
    for name in names:
        set_profile("ann", {"name": name}, clock.now())


def there_and_back(board: Board) -> None:
    for unit in ("metres", "points"):
        board.unit = unit
        save_board(board, clock.now())


def handed(_board: Board) -> None:
    for account in (UserFactory.create(username="rogue"), None):
        link_by_hand(Player.objects.get(external_id="ann"), account, "Theirs.", clock.now(), None)


@pytest.mark.parametrize("action", [there_and_back, handed])
def test_what_was_changed_there_and_back_stays_as_it_was(
    admin: Client, board: Board, action: Callable[[Board], None]
) -> None:
    board.unit = "points"
    save_board(board, clock.now())
    AuditEntry.objects.all().delete()
    action(board)

    told = undone(admin, *AuditEntry.objects.all())

    assert "2 of the selected take each other back" in told
    assert Board.objects.get().unit == "points"
    assert Player.objects.get(external_id="ann").user is None
    assert AuditEntry.objects.count() == 2


def test_pairs_begin_with_the_earliest_and_what_is_not_of_one_thing_is_none(board: Board) -> None:
    keep_out("hidden", board, "bob")
    first, second, third, fourth = done("hidden", board, True, False, True)

    assert find_cancelled([fourth, third, second, first]) == {second.pk, third.pk}
    assert find_cancelled([third, first]) == set()
    assert find_cancelled([]) == set()


def test_entries_that_an_erasure_emptied_are_no_pairs(board: Board) -> None:
    done("hidden", board, True, False)
    handed(board)
    AuditEntry.objects.update(before={}, after={}, note={})

    assert find_cancelled(AuditEntry.objects.all()) == set()


def test_more_than_may_be_undone_at_once_are_refused_together(
    admin: Client, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = done("hidden", board, True, False, True)
    monkeypatch.setattr(undo_several, "MOST_AT_ONCE", 2)

    told = undone(admin, *entries)

    assert "More than 2 are selected: choose fewer." in told
    assert is_out()


def test_one_by_one_a_refusal_says_what_stands_instead(board: Board) -> None:
    hidden, lifted = done("hidden", board, True, False)
    undo(lifted.pk, "A rogue.", clock.now(), None)

    with pytest.raises(NotUndoable, match="another like it was imposed since"):
        undo(hidden.pk, "A rogue.", clock.now(), None)
