"""Placing and turning at once, again, and after a run that died: nobody is moved twice or left out."""

import pytest

from competitions.models import LeagueGroup, LeagueMember, LeagueSeason
from competitions.services.leagues import promotion as league_turn
from competitions.services.leagues import seasons as leagues
from competitions.services.leagues.promotion import turn_due
from competitions.services.leagues.seasons import begin_due, place_due
from leaderboards.services.periods.close import close_due
from tests.at_once import at_once
from tests.competitions.factories import HOUR
from tests.competitions.services.leagues.test_seasons import groups, league, moved, play
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.telling import hooks, listening
from tests.leaderboards.services.site import DAY, NOON, period_of, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.mark.parametrize("times", [1, 3])
def test_placing_at_once_in_small_portions_fills_groups_to_their_size_and_puts_nobody_in_two(
    monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    monkeypatch.setattr(leagues, "PLACED_AT_ONCE", times)
    board = league()
    period_of(board)
    score(board, {f"p{number}": number for number in range(10)})
    at_once([lambda: begin_due(NOON)] * 4)

    placed = at_once([lambda: place_due(NOON)] * 4)

    assert sum(placed) == 10
    assert LeagueSeason.objects.count() == 1
    assert sorted(len(each) for each in groups().values()) == [2, 4, 4]
    assert sorted(name for each in groups().values() for name in each) == sorted(f"p{number}" for number in range(10))


@pytest.mark.parametrize("step", ["leagues.moved", "leagues.turned"])
def test_turning_again_or_at_once_or_after_one_that_died_moves_nobody_twice(
    monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(league_turn, "GROUPS_AT_ONCE", 1)
    listening()
    board = league()
    play(board, {f"p{number}": 10 - number for number in range(8)})
    close_due(NOON + DAY)
    with dying_at(league_turn, step):
        turn_due(NOON + DAY)
    assert (hooks(), LeagueMember.objects.exclude(outcome="").count()) == ([], 0)

    done = at_once([lambda: turn_due(NOON + DAY)] * 4)

    assert (sum(done), turn_due(NOON + DAY + HOUR)) == (1, 0)
    assert [(name, outcome) for name, _, outcome in moved() if outcome != "stayed"] == [
        ("p0", "promoted"),
        ("p4", "promoted"),
    ]
    assert len(hooks()) == 2


def test_placing_that_dies_leaves_nothing_half_done() -> None:
    board = league()
    period_of(board)
    begin_due(NOON)
    score(board, {"a": 9})
    with dying_at(leagues, "leagues.placed"):
        place_due(NOON)
    assert (LeagueGroup.objects.count(), LeagueMember.objects.count()) == (0, 0)

    place_due(NOON)

    assert groups() == {"Bronze 1": ["a"]}
