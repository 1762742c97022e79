"""One standing is hidden in its period alone, running or final: others close up there, and all else stays."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import IntegrityError, transaction

from foundation import clock
from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from leaderboards import selectors
from leaderboards.errors import NotHideable, NotRanked
from leaderboards.models import Board, Period, Player, Restriction, RestrictionKind
from leaderboards.selectors.history.career import career_of
from leaderboards.selectors.history.final_ranks import ranks_before
from leaderboards.selectors.previews.exclusion import preview_exclusion
from leaderboards.selectors.visibility.hidden import hidden_now
from leaderboards.services.moderation import restrict as service
from leaderboards.services.moderation.restrict import (
    RestrictionScope,
    hidden_in_period,
    hide_standings,
    lift_from,
    restrict,
)
from leaderboards.services.periods.close import close_period
from tests.leaderboards.factories import AdminFactory, BoardFactory, PlayerFactory
from tests.leaderboards.services.restricting import keep_out, let_back
from tests.leaderboards.services.site import DAY, NOON, follow, make_board, period_of, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

STORAGES = pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
SCORES = {"ann": 9, "bob": 7, "cid": 5}
ALL_THREE = [("ann", 1), ("bob", 2), ("cid", 3)]
CLOSED_UP = [("bob", 1), ("cid", 2)]


@pytest.fixture(autouse=True)
def _the_next_day() -> Iterator[None]:
    with patch.object(clock, "now", lambda: NOON + DAY):
        yield


def two_days(storage: str) -> tuple[Board, Period, Period]:
    """A board whose first day is final while the second one runs, with the same scores."""
    board = make_board(storage)
    score(board, SCORES, NOON)
    first = period_of(board, NOON)
    follow(first)
    assert close_period(first, NOON + DAY).final
    score(board, SCORES, NOON + DAY)
    second = period_of(board, NOON + DAY)
    follow(second)
    first.refresh_from_db()
    return board, first, second


def hide(player: str, period: Period) -> None:
    assert restrict([number(player)], hidden_in_period(period), "False.", clock.now(), None)


def number(player: str) -> int:
    return Player.objects.get(external_id=player).pk


def listed(period: Period) -> list[tuple[str, int | None]]:
    return [(row.player, row.rank) for row in selectors.standings(period.board, period.label, 0, 50).rows]


def exported(period: Period) -> list[tuple[str, int | None]]:
    return [(row.player, row.rank) for row in selectors.export_rows(period.board, period.label)[1]]


@STORAGES
@pytest.mark.parametrize("where", ["running", "final"])
def test_others_close_up_in_that_period_alone_until_it_is_lifted(storage: str, where: str) -> None:
    board, first, second = two_days(storage)
    here, there = (second, first) if where == "running" else (first, second)
    hashed = selectors.content_hash_of(first)

    hide("ann", here)

    assert listed(here) == exported(here) == CLOSED_UP
    assert listed(there) == exported(there) == ALL_THREE
    assert [row.player for row in selectors.around(board, "bob", 1, here.label).rows] == ["bob", "cid"]
    assert selectors.standings(board, here.label, 0, 1).total == 2
    with pytest.raises(NotRanked):
        selectors.player_row(board, "ann", here.label)
    assert selectors.player_row(board, "ann", there.label).row.rank == 1
    assert (selectors.content_hash_of(first) == hashed) is (where == "running")
    assert list(hidden_now(here).values()) == ["ann"]
    assert hidden_now(there) == {}
    let_back()
    assert listed(here) == listed(there) == ALL_THREE
    assert selectors.content_hash_of(first) == hashed


@STORAGES
def test_who_is_hidden_in_a_running_period_goes_on_scoring_and_stays_hidden_once_it_is_final(storage: str) -> None:
    board, _, second = two_days(storage)
    hide("cid", second)

    answered = score(board, {"cid": 50}, NOON + DAY)
    follow(second)

    assert [each.status.is_accepted for each in answered] == [True]
    assert listed(second) == [("ann", 1), ("bob", 2)]
    with patch.object(clock, "now", lambda: NOON + 2 * DAY):
        assert close_period(second, NOON + 2 * DAY).final
        second.refresh_from_db()
        assert listed(second) == [("ann", 1), ("bob", 2)]
        let_back()
        assert listed(second) == [("cid", 1), ("ann", 2), ("bob", 3)]


def test_past_ranks_records_and_winners_are_without_the_hidden_standing() -> None:
    board, first, _ = two_days("hybrid")
    ann = Player.objects.get(external_id="ann")
    assert [each.rank for each in selectors.past_ranks(board, "ann")] == [1]

    hide("ann", first)

    assert selectors.past_ranks(board, "ann") == []
    assert career_of(ann).records == ()
    assert selectors.final_places(ann, 0, 9) == ([], 0)
    won = selectors.winners(board, [first.label], 3)[first.label]
    assert [(place.player, place.rank) for place in won] == [("bob", 1)]
    let_back()
    assert [each.best.rank for each in career_of(ann).records] == [1]


@pytest.mark.parametrize("ties", ["first_come", "shared", "dense"])
@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
def test_the_next_day_tells_no_place_of_the_hidden_one_and_those_of_the_others_among_themselves(
    storage: str, ties: str
) -> None:
    board = make_board(storage, ties=ties)
    score(board, {"ann": 9, "bob": 9, "cid": 5, "dan": 5, "eve": 4}, NOON)
    first = period_of(board, NOON)
    follow(first)
    assert close_period(first, NOON + DAY).final
    for name in ("ann", "cid", "dan"):
        hide(name, first)

    told = ranks_before(board, first.ends_at, ["ann", "bob", "cid", "dan", "eve"])

    assert told == dict(listed(first)) == {"bob": 1, "eve": 2}


@STORAGES
def test_another_process_hides_it_within_a_second(storage: str) -> None:
    _, _, second = two_days(storage)
    assert listed(second) == ALL_THREE

    with patch.object(service, "forget_bans"):
        hide("ann", second)
    later = clock.monotonic() + 1.001  # more than a second, however coarse the clock
    with patch.object(clock, "monotonic", lambda: later):
        assert listed(second) == CLOSED_UP


def test_it_stands_beside_hiding_on_the_board_and_each_is_lifted_by_itself() -> None:
    board, first, second = two_days("hybrid")
    ann, at = number("ann"), clock.now()
    hide("ann", first)
    keep_out("hidden", board, "ann")
    assert (listed(first), listed(second)) == (CLOSED_UP, CLOSED_UP)
    assert preview_exclusion([ann], board.seq, banned=False).finals == 0  # the final one stays without them

    lift_from([ann], RestrictionScope(RestrictionKind.HIDDEN, board), "Over.", at, None)

    assert (listed(first), listed(second)) == (CLOSED_UP, ALL_THREE)
    assert preview_exclusion([ann], board.seq, first.pk, banned=False).moved_finals.ranks == 3
    lift_from([ann], hidden_in_period(first), "Over.", at, None)
    assert listed(first) == ALL_THREE


def test_what_was_decided_on_the_board_since_does_not_keep_it_from_being_undone() -> None:
    board, first, second = two_days("hybrid")
    judge, later = AdminFactory.create(), clock.now() + timedelta(minutes=1)
    hide("ann", first)
    hidden = AuditEntry.objects.get(act="player.standing_hidden")
    lifted = undo(hidden.pk, "A mistake.", later, judge)
    keep_out("hidden", board, "ann")
    hide("ann", second)

    undo(lifted.pk, "No mistake.", later, judge)

    held = Restriction.objects.filter(Restriction.RUNNING).order_by("pk")
    assert list(held.values_list("period", flat=True)) == [None, second.pk, first.pk]
    with pytest.raises(NotUndoable):
        undo(hidden.pk, "Twice.", later, judge)


def test_sql_takes_it_once_for_hiding_alone_and_with_its_board() -> None:
    board, first, _ = two_days("sql")
    ann, at = Player.objects.get(external_id="ann"), clock.now()
    hide("ann", first)
    assert restrict([ann.pk], hidden_in_period(first), "Again.", at, None) == []

    wrong: list[dict[str, Any]] = [
        {"kind": "hidden", "board": board},
        {"kind": "shadowed", "board": board},
        {"kind": "hidden"},
    ]
    for player, each in zip([ann, PlayerFactory.create(), PlayerFactory.create()], wrong, strict=True):
        with pytest.raises(IntegrityError), transaction.atomic():
            Restriction.objects.create(player=player, period=first, since=at, **each)


def test_a_standing_of_a_competition_is_refused_with_what_is_done_there() -> None:
    period = Period(board=BoardFactory.create(period="event"), label="c1")

    with pytest.raises(NotHideable, match="disqualify the participant there"):
        hidden_in_period(period)


def test_several_are_hidden_all_or_none() -> None:
    """In a competition nobody is hidden like this: then nobody is in the periods named before it either."""
    _board, first, second = two_days("sql")
    ann, bob = (Player.objects.get(external_id=name).pk for name in ("ann", "bob"))
    event = Period(pk=second.pk + 1, board=BoardFactory.create(storage="sql", period="event"), label="c1")

    with pytest.raises(NotHideable):
        hide_standings({first: [ann, bob], event: [ann]}, "A bot.", clock.now(), None)
    assert not Restriction.objects.exists()

    assert hide_standings({first: [ann, bob], second: [ann]}, "A bot.", clock.now(), None) == 3
    assert hide_standings({first: [ann], second: [ann, bob]}, "A bot.", clock.now(), None) == 1
