"""An undo from the log never overrules what somebody decided since, and what several have void stays void."""

from datetime import timedelta

import pytest

from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from leaderboards.models import Board, Player, PurgedSubmission, Restriction, RestrictionKind, Submission
from leaderboards.services.boards import save_board
from leaderboards.services.moderation.ban import ban, unban
from leaderboards.services.moderation.remove import remove_player
from leaderboards.services.moderation.restrict import RestrictionScope, lift_restrictions, restrict
from leaderboards.services.moderation.set_standing import StandingChange, set_standing, standing_in_redis
from leaderboards.services.moderation.unvoid import unvoid_by_hand
from leaderboards.services.moderation.void import void_by_hand
from leaderboards.services.periods.retention import compact_submissions
from leaderboards.services.players.profiles import set_profile
from tests.leaderboards.factories import PlayerFactory
from tests.leaderboards.services.purging import HOUR, of, purge, send, undo_it
from tests.leaderboards.services.site import DAY, KEEPING, NOON, crowd, make_board, period_of, points, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]
MINUTE = timedelta(minutes=1)


def refused(act: str, why: str, nth: int = 0) -> None:
    """The nth entry of the act cannot be undone, and says why."""
    entry = AuditEntry.objects.filter(act=act).order_by("pk")[nth]
    with pytest.raises(NotUndoable, match=why):
        undo(entry.pk, "A click on an old line.", NOON + 9 * HOUR, None)


def current(row: Submission) -> Submission:
    return Submission.objects.select_related("period__board", "player", "board").get(pk=row.pk)


@KEEPING
def test_an_old_voiding_or_restoring_is_not_undone_over_a_newer_one(storage: str) -> None:
    board = make_board(storage, period="all_time")
    row = send(board, "ann", 50)
    void_by_hand(current(row), "A suspicion.", NOON + MINUTE, None)
    unvoid_by_hand(current(row), "Unfounded.", NOON + 2 * MINUTE, None)
    void_by_hand(current(row), "A proved cheat.", NOON + 3 * MINUTE, None)

    refused("score.voided", "does not stand")
    unvoid_by_hand(current(row), "The proof was forged.", NOON + 4 * MINUTE, None)
    refused("score.restored", "does not stand")

    assert points(board) == {"ann": 50}


@KEEPING
def test_an_old_voiding_is_not_undone_over_a_purge(storage: str) -> None:
    board = make_board(storage, period="all_time")
    row = send(board, "ann", 50)
    void_by_hand(current(row), "A suspicion.", NOON + MINUTE, None)
    unvoid_by_hand(current(row), "Unfounded.", NOON + 2 * MINUTE, None)
    purge(of("ann"))

    refused("score.voided", "does not stand")

    assert points(board) == {}


def test_an_old_end_of_a_ban_is_not_undone_over_a_newer_one() -> None:
    ann = PlayerFactory.create(external_id="ann")
    for nth in range(2):
        ban([ann.pk], "A bot.", NOON + 2 * nth * MINUTE, None)
        unban([ann.pk], "A person.", NOON + (2 * nth + 1) * MINUTE, None)

    refused("player.unbanned", "does not stand")

    assert Player.objects.get().banned_at is None


@pytest.mark.parametrize("on_board", [True, False])
def test_an_old_end_of_a_restriction_is_not_undone_over_a_newer_one_and_others_do_not_count(on_board: bool) -> None:
    ann, board = PlayerFactory.create(external_id="ann"), make_board("sql")
    what = RestrictionScope(RestrictionKind.HIDDEN, board if on_board else None)
    for nth in range(2):
        restrict([ann.pk], what, "Asked for it.", NOON + 2 * nth * MINUTE, None)
        running = Restriction.objects.get(lifted_at=None)
        lift_restrictions([running.pk], "Asked for it.", NOON + (2 * nth + 1) * MINUTE, None)
    restrict([ann.pk], RestrictionScope(RestrictionKind.SHADOWED, what.board), "A bot farm.", NOON + HOUR, None)

    refused("player.restriction_lifted", "does not stand")
    undo(AuditEntry.objects.filter(act="player.restriction_lifted").latest("pk").pk, "A slip.", NOON + HOUR, None)

    assert set(Restriction.objects.filter(lifted_at=None).values_list("kind", flat=True)) == {"hidden", "shadowed"}


@KEEPING
@pytest.mark.parametrize("first", [0, 1])
def test_what_two_purges_are_about_comes_back_when_neither_stands(storage: str, first: int) -> None:
    board = make_board(storage, period="all_time")
    send(board, "bob", 3)
    send(board, "ann", 9, service="leaked")
    purges = [
        purge(of(board=board.seq), NOON + 2 * HOUR),
        purge(of(service="leaked"), NOON + 2 * HOUR + MINUTE),
    ]

    undo_it(purges[first])
    between = points(board)
    undo_it(purges[1 - first], NOON + 4 * HOUR)

    assert between == ({"bob": 3} if first == 0 else {})
    assert points(board) == {"bob": 3, "ann": 9}
    assert not PurgedSubmission.objects.exists()
    for made in purges:
        made.refresh_from_db()
    restored = [made.restored for made in purges]
    assert restored == ([1, 1] if first == 0 else [2, 0])
    assert [made.lost for made in purges] == [0, 0]


@KEEPING
def test_a_purge_that_was_overruled_by_hand_before_another_came_holds_nothing(storage: str) -> None:
    board = make_board(storage, period="all_time")
    row = send(board, "ann", 9, service="leaked")
    purge(of(service="leaked"), NOON + 2 * HOUR)
    unvoid_by_hand(current(row), "Not by the leaked key.", NOON + 3 * HOUR, None)
    second = purge(of(board=board.seq), NOON + 4 * HOUR)

    undo_it(second, NOON + 5 * HOUR)

    assert points(board) == {"ann": 9}


@KEEPING
def test_what_was_void_by_hand_before_a_purge_comes_back_when_neither_stands(storage: str) -> None:
    board = make_board(storage, period="all_time")
    row = send(board, "ann", 9)
    void_by_hand(current(row), "A bot.", NOON + MINUTE, None)
    made = purge(of("ann"))

    refused("score.voided", "A purge has this score void too")
    undo_it(made)
    assert points(board) == {}  # the moderator's word stands

    undo(AuditEntry.objects.get(act="score.voided").pk, "A person.", NOON + 4 * HOUR, None)
    assert points(board) == {"ann": 9}


def folded(storage: str) -> tuple[Board, Submission]:
    """A board where 40 and 50 were folded into one row, and the first of them as it was before."""
    board = make_board(storage, period="all_time", update="increment", keep_submissions_days=10)
    row = send(board, "ann", 40)
    send(board, "ann", 50)
    void_by_hand(current(row), "A suspicion.", NOON + MINUTE, None)
    unvoid_by_hand(current(row), "Unfounded.", NOON + 2 * MINUTE, None)
    before = current(row)
    compact_submissions(NOON + 20 * DAY)
    return board, before


@KEEPING
@pytest.mark.parametrize("act", ["score.voided", "score.restored"])
def test_what_was_folded_since_is_not_judged_by_a_line_about_one_of_it(storage: str, act: str) -> None:
    board, _ = folded(storage)

    refused(act, "sums up submissions")

    assert points(board) == {"ann": 90}


@KEEPING
def test_a_submission_that_was_folded_since_it_was_read_is_not_voided_and_the_sum_of_all_is_by_hand(
    storage: str,
) -> None:
    board, before = folded(storage)

    assert not void_by_hand(before, "A bot.", NOON + 20 * DAY, None)
    assert points(board) == {"ann": 90}

    assert void_by_hand(current(before), "A bot.", NOON + 20 * DAY, None)
    assert points(board) == {}


def renamed(*names: str) -> None:
    for name in names:
        set_profile("ann", {"name": name}, NOON)


def test_an_old_name_is_not_given_back_over_a_newer_decision_for_the_same_name_and_other_fields_do_not_count() -> None:
    renamed("Ann", "Cheat", "Ann", "Cheat")
    set_profile("ann", {"country": "KR"}, NOON)

    refused("player.changed", "changed again since", nth=1)
    assert Player.objects.get().name == "Cheat"

    undo(AuditEntry.objects.filter(after={"name": "Cheat"}).latest("pk").pk, "A nickname.", NOON, None)
    assert Player.objects.get().name == "Ann"


def test_a_change_whose_undo_was_undone_counts_as_newer() -> None:
    renamed("Ann", "Cheat", "Ann")
    for _ in range(2):
        undo(AuditEntry.objects.latest("pk").pk, "To and fro.", NOON, None)
    Player.objects.update(name="Cheat")

    refused("player.changed", "changed again since", nth=1)


def test_old_settings_are_not_given_back_over_a_newer_decision_for_the_same_and_the_latest_go_one_by_one() -> None:
    board = make_board("sql")
    for unit in ("metres", "points", "metres"):
        board.unit = unit
        save_board(board, NOON)

    refused("board.changed", "changed again since")
    assert Board.objects.get().unit == "metres"

    for unit in ("points", "metres", "points"):
        undo(
            AuditEntry.objects.filter(act="board.changed", undone_by=None, undoes=None).latest("pk").pk,
            "No.",
            NOON,
            None,
        )
        assert Board.objects.get().unit == unit


@pytest.mark.parametrize("is_set", [True, False])
def test_an_old_standing_is_not_given_back_over_a_newer_removal(is_set: bool) -> None:
    board = make_board("redis")
    crowd(board, {"zoe": 100})
    period, zoe = period_of(board), Player.objects.get()

    def gone() -> None:
        seen = standing_in_redis(period, "zoe").score
        assert set_standing(StandingChange(period.pk, zoe, None, seen), "A suspicion.", NOON, None)

    gone()
    score(board, {"zoe": 30})
    if is_set:
        gone()
    else:
        remove_player(board, "zoe", NOON)

    refused("standing.set", "changed again since")

    assert standing_in_redis(period, "zoe").state is None
