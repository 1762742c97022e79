"""Who comes late to a league: the last group of a tier is held against the one before it."""

import pytest

from competitions.models import LeagueSeason
from competitions.selectors.leagues import league_standing_of
from foundation import clock
from leaderboards.models import Player
from tests.competitions.services.leagues.test_seasons import groups, league, moved, outcome_of, play, turned
from tests.leaderboards.services.site import NOON

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.mark.parametrize(
    ("late", "outcome"),
    [
        ({"e": 8}, "promoted"),
        ({"e": 6}, "stayed"),
        ({"e": 8, "f": 6}, "promoted stayed"),
        ({"e": 3, "f": 2, "g": 0}, "stayed stayed stayed"),
        ({"e": 8, "f": 7, "g": 0}, "promoted stayed stayed"),
        ({"e": 3, "f": 2, "g": 1, "h": 0}, "promoted promoted stayed stayed"),  # full: a group like any other
    ],
)
def test_a_group_with_room_moves_as_if_it_were_in_the_one_before_whose_players_lose_nothing_by_it(
    monkeypatch: pytest.MonkeyPatch, late: dict[str, int], outcome: str
) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)
    board = league(group_size=4, promoted=2, demoted=1)
    first = {"a": 9, "b": 7, "c": 3, "d": 1}
    play(board, first)

    play(board, late)
    as_things_stand = [outcome_of(board, name) for name in (*first, *late)]
    turned(board, {})

    assert groups() == {"Bronze 1": ["a", "b", "c", "d"], "Bronze 2": list(late)}
    assert [outcome for _, _, outcome in moved()] == ["promoted", "promoted", "stayed", "stayed", *outcome.split()]
    assert [place for _, place, _ in moved()] == [1, 2, 3, 4, *range(1, len(late) + 1)]
    assert [outcome for _, _, outcome in moved()] == as_things_stand


def test_a_latecomer_is_held_against_those_who_are_left_where_the_group_before_is_banned() -> None:
    board = league(group_size=2, promoted=1, demoted=1)
    for name, points in {"a": 100, "b": 90, "c": 80, "d": 70, "late": 1}.items():
        play(board, {name: points})
    Player.objects.filter(external_id__in=("c", "d")).update(banned_at=NOON)

    turned(board, {})

    assert [(player, outcome) for player, _, outcome in moved() if outcome != "stayed"] == [("a", "promoted")]


def test_no_number_of_latecomers_promotes_one_whom_a_better_player_who_stays_would_have_beaten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)
    board = league(group_size=8, promoted=3, demoted=2)
    play(board, {f"early{nth}": 100 - nth for nth in range(8)})
    for nth in range(7):
        play(board, {f"late{nth}": 1 + nth})

        season = LeagueSeason.objects.get()
        late = league_standing_of(board, season, "late0").rows
        early = league_standing_of(board, season, "early0").rows

        assert [row.outcome for row in late] == ["stayed"] * (nth + 1)
        assert [row.outcome for row in early] == ["promoted"] * 3 + ["stayed"] * 5

    turned(board, {})

    assert [player for player, _, outcome in moved() if outcome == "promoted"] == ["early0", "early1", "early2"]
