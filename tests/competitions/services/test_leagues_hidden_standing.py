"""A standing that is hidden in one period counts for nothing in the league there, and in the next one as always."""

from unittest.mock import patch

import pytest

from competitions.services.leagues.promotion import turn_due
from competitions.services.leagues.seasons import begin_due, place_due
from leaderboards.models import Period, Player
from leaderboards.selectors.visibility.hidden import hidden_in
from leaderboards.services.moderation import restrict as restricting
from leaderboards.services.moderation.restrict import hidden_in_period, lift_from, restrict
from leaderboards.services.periods.close import close_due
from tests.competitions.services.leagues.test_seasons import groups, league, moved, play, turned
from tests.leaderboards.services.site import DAY, NOON, period_of, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def numbers(*players: str) -> list[int]:
    return list(Player.objects.filter(external_id__in=players).values_list("pk", flat=True))


def hide(period: Period, *players: str) -> None:
    assert len(restrict(numbers(*players), hidden_in_period(period), "False.", NOON, None)) == len(players)


def test_who_is_hidden_in_the_period_enters_once_that_is_lifted_and_the_next_one_all_the_same() -> None:
    board = league()
    period = period_of(board)
    begin_due(NOON)
    score(board, {"a": 9, "b": 7})
    hide(period, "a")
    place_due(NOON)
    assert groups() == {"Bronze 1": ["b"]}

    play(board, {"a": 9, "c": 7}, NOON + DAY)

    assert groups(NOON + DAY) == {"Bronze 1": ["a", "c"]}
    lift_from(numbers("a"), hidden_in_period(period), "Over.", NOON, None)
    close_due(NOON + DAY)
    turn_due(NOON + DAY)
    assert moved() == [("a", 1, "promoted"), ("b", 2, "stayed")]


def test_a_latecomer_is_held_against_those_who_are_left_where_the_group_before_is_hidden() -> None:
    board = league(group_size=2, promoted=1, demoted=1)
    for name, points in {"a": 100, "b": 90, "c": 80, "d": 70, "late": 1}.items():
        play(board, {name: points})
    hide(period_of(board), "c", "d")

    turned(board, {})

    assert [(player, outcome) for player, _, outcome in moved() if outcome != "stayed"] == [("a", "promoted")]


def test_the_turn_goes_by_who_is_hidden_now_whatever_this_process_remembers() -> None:
    board = league()
    begin_due(NOON)
    score(board, {"a": 9, "b": 7, "c": 5})
    place_due(NOON)
    close_due(NOON + DAY)
    period = period_of(board)
    assert not hidden_in(period)
    with patch.object(restricting, "forget_bans"):  # another process hides
        hide(period, "a")

    turn_due(NOON + DAY)

    assert moved() == [("b", 1, "promoted"), ("c", 2, "stayed"), ("a", None, "stayed")]
