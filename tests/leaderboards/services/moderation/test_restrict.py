"""Restrictions: whom they concern, what stands on record, that all of it is there or nothing, and what they refuse."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import IntegrityError, transaction

from foundation import clock
from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from foundation.reasons import BadReason
from leaderboards import selectors
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Outcome
from leaderboards.models import Board, Player, Restriction, RestrictionKind
from leaderboards.services.moderation import restrict as service
from leaderboards.services.moderation.restrict import RestrictionScope, lift_restrictions, restrict
from leaderboards.services.players.erase import erase_player
from leaderboards.services.submit import decide_redis
from leaderboards.services.submit.pipeline import submit
from tests.competitions.services.mishaps import dying_at
from tests.leaderboards.factories import AdminFactory, BoardFactory, PeriodFactory, PlayerFactory
from tests.leaderboards.services.restricting import keep_out, let_back
from tests.playing import GAME

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

HIDDEN = RestrictionScope(RestrictionKind.HIDDEN)


def sent(board: Board, points: dict[str, int]) -> list[Outcome]:
    """What the caller is answered, one outcome a player, each of whom SQL knows."""
    rows = [{"board": board.seq, "player": name, "points": number} for name, number in points.items()]
    for name in points:
        PlayerFactory.create(external_id=name)
    return submit([read_entry(row, place) for place, row in enumerate(rows)], GAME, clock.now(), ranks=True)


def codes(board: Board, points: dict[str, int]) -> list[str | None]:
    return [each.code for each in sent(board, points)]


def test_who_is_restricted_already_stays_so_and_the_rows_say_who_did_what_when_and_why() -> None:
    ann, bob = (PlayerFactory.create(external_id=name) for name in ("ann", "bob"))
    judge, at = AdminFactory.create(), clock.now()
    later = at + timedelta(minutes=1)

    first = restrict([ann.pk], HIDDEN, " Asked for it. ", at, judge)
    second = restrict([ann.pk, bob.pk], HIDDEN, "Both.", later, None)
    lifted = lift_restrictions([Restriction.objects.get(player=ann).pk], "Asked again.", later, judge)
    again = lift_restrictions([row.pk for row in lifted], "Twice.", later, judge)

    assert (first, second, [row.player for row in lifted], again) == ([ann], [bob], [ann], [])
    rows = Restriction.objects.order_by("pk").values_list("player", "since", "by", "reason", "lifted_at", "lift_reason")
    assert list(rows) == [
        (ann.pk, at, judge.pk, "Asked for it.", later, "Asked again."),
        (bob.pk, later, None, "Both.", None, ""),
    ]
    assert restrict([ann.pk], HIDDEN, "Anew.", later, judge) == [ann]


def test_each_kind_and_board_is_a_restriction_of_its_own_and_sql_takes_none_twice() -> None:
    ann, at = PlayerFactory.create(), clock.now()
    boards = [BoardFactory.create(), BoardFactory.create(), None]

    for kind in RestrictionKind:
        for board in boards:
            assert restrict([ann.pk], RestrictionScope(kind, board), "Each.", at, None) == [ann]

    assert Restriction.objects.count() == 8
    ann.refresh_from_db()
    assert ann.banned_at == at  # the ban from all boards is no row here
    for board in boards[1:]:
        with pytest.raises(IntegrityError), transaction.atomic():
            Restriction.objects.create(player=ann, board=board, kind="hidden", since=at)
    with pytest.raises(IntegrityError), transaction.atomic():
        Restriction.objects.create(player=PlayerFactory.create(), kind="banned", since=at)


@pytest.mark.parametrize("reason", ["", "  ", "x" * 301])
def test_without_a_reason_nothing_is_done_nor_undone(reason: str) -> None:
    ann, at = PlayerFactory.create(), clock.now()
    with pytest.raises(BadReason, match="1 to 300"):
        restrict([ann.pk], HIDDEN, reason, at, None)
    assert not Restriction.objects.exists()
    restrict([ann.pk], HIDDEN, "One.", at, None)

    with pytest.raises(BadReason, match="1 to 300"):
        lift_restrictions([Restriction.objects.get().pk], reason, at, None)

    assert Restriction.objects.get().lifted_at is None


def test_what_dies_midway_leaves_nothing() -> None:
    several, at = [PlayerFactory.create().pk for _ in range(2)], clock.now()

    with dying_at(service, "restrict.before_commit"):
        restrict(several, HIDDEN, "Both.", at, None)
    assert not Restriction.objects.exists()
    restrict(several, HIDDEN, "Both.", at, None)
    with dying_at(service, "restrict.before_commit"):
        lift_restrictions(Restriction.objects.values_list("pk", flat=True), "Both.", at, None)

    assert Restriction.objects.filter(lifted_at=None).count() == 2


def test_an_erasure_empties_the_reasons_and_ends_nothing() -> None:
    ann, at = PlayerFactory.create(external_id="ann"), clock.now()
    restrict([ann.pk], HIDDEN, "ann asked.", at, None)

    erase_player("ann", at + timedelta(minutes=1))

    assert Restriction.objects.values_list("reason", "lift_reason", "lifted_at").get() == ("", "", None)


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
def test_a_ban_from_a_board_refuses_there_alone_and_others_nothing(storage: str) -> None:
    board, other = (BoardFactory.create(name=name, storage=storage) for name in ("One", "Two"))
    assert codes(board, {"ann": 1, "bob": 1}) == [None, None]

    keep_out("banned", board, "ann")
    refused = codes(board, {"ann": 5, "bob": 5}), codes(other, {"ann": 5})
    let_back()

    assert refused == (["banned", None], [None])
    assert codes(board, {"ann": 7}) == [None]
    assert selectors.player_row(board, "ann").row.rank == 1


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
@pytest.mark.parametrize("how", ["hidden", "shadowed", "hidden everywhere", "shadowed everywhere"])
def test_the_hidden_and_the_shadowed_are_answered_as_always_and_keep_what_they_score(storage: str, how: str) -> None:
    board = BoardFactory.create(storage=storage)
    sent(board, {"ann": 1, "bob": 2})
    keep_out(how, board, "ann")

    answered = sent(board, {"ann": 5})
    let_back()

    rank = 1 if how.startswith("shadowed") else None
    assert [(each.status, each.code, each.rank) for each in answered] == [("updated", None, rank)]
    assert selectors.player_row(board, "ann").row.points == 5


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
def test_another_process_refuses_the_banned_within_a_second(storage: str) -> None:
    """What this process does not tell itself is what another process has to find out."""
    board = BoardFactory.create(storage=storage)
    assert codes(board, {"ann": 1}) == [None]
    number = Player.objects.get(external_id="ann").pk

    with patch.object(service, "forget_bans"):
        restrict([number], RestrictionScope(RestrictionKind.BANNED, board), "A bot.", clock.now(), None)
    now = clock.monotonic() + 1.001  # more than a second, however coarse the clock
    with patch.object(clock, "monotonic", lambda: now):
        assert codes(board, {"ann": 5}) == ["banned"]
        with patch.object(service, "forget_bans"):
            lift_restrictions([Restriction.objects.get().pk], "No bot.", clock.now(), None)
    later = now + 1.0
    with patch.object(clock, "monotonic", lambda: later):
        assert codes(board, {"ann": 5}) == [None]


def test_a_ban_from_everything_reaches_other_processes_within_a_second_too() -> None:
    board = BoardFactory.create(storage="redis")
    assert codes(board, {"ann": 1}) == [None]

    Player.objects.update(banned_at=clock.now())  # as another process does it: nothing is told to this one
    now = clock.monotonic() + 1.001  # more than a second, however coarse the clock
    with patch.object(clock, "monotonic", lambda: now):
        assert codes(board, {"ann": 5}) == ["banned"]
    decide_redis.forget_bans()


@pytest.mark.parametrize("how", ["hidden", "shadowed everywhere", "banned", "hidden standing"])
def test_the_log_undoes_a_restriction_and_the_end_of_one_each_once(how: str) -> None:
    board, judge = BoardFactory.create(), AdminFactory.create()
    PlayerFactory.create(external_id="ann")
    PeriodFactory.create(board=board)
    keep_out(how, board, "ann")
    entry = AuditEntry.objects.get(act__startswith="player.")
    row = Restriction.objects.get()
    assert set(entry.subjects.values_list("kind", "key")) == {
        ("player", str(row.player_id)),
        *({("board", str(board.seq))} if row.board else ()),
    }

    lifted = undo(entry.pk, "A mistake.", clock.now(), judge)
    row.refresh_from_db()
    again = undo(lifted.pk, "No mistake.", clock.now(), judge)

    assert (row.lift_reason, row.lifted_by, lifted.undoes) == ("A mistake.", judge, entry)
    assert again.undoes == lifted
    new = Restriction.objects.get(lifted_at=None)
    assert (new.kind, new.board, new.period, new.reason) == (row.kind, row.board, row.period, "No mistake.")
    for done in (entry, lifted):
        with pytest.raises(NotUndoable):
            undo(done.pk, "Twice.", clock.now(), judge)
    let_back()
    with pytest.raises(NotUndoable, match="lifted before"):
        undo(again.pk, "It is over.", clock.now(), judge)
