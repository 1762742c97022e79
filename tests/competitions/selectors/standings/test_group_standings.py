"""Team and division standings as the public may see them: freezes, bans, late knowledge, and what is remembered."""

from decimal import Decimal
from typing import Any

import pytest

from competitions.selectors.standings import group_standings as grouping
from competitions.selectors.standings.group_standings import division_page, group_standings
from competitions.services.lifecycle.finish import finish
from competitions.services.lifecycle.freeze import reveal
from competitions.services.participants.disqualify import disqualify
from competitions.services.participants.join import leave
from foundation import clock
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Player
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.submit.pipeline import submit
from leaderboards.stores.base import Page
from tests.competitions.factories import END, HOUR, MINUTE
from tests.competitions.grouping import in_division, team_called, team_race, team_ranks, team_rows
from tests.competitions.site import SOON, STORAGES, follow, joined, make_board, player, raced, reloaded, score

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

TEAMS: Any = {"Owls": {"ann": 9, "bob": 2}, "Foxes": {"cleo": 8, "dan": None}, "Bears": {"eve": None}}


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize(
    ("team_score", "expected"),
    [
        ("sum", [("Owls", 1, 11), ("Foxes", 2, 8), ("Bears", None, None)]),
        ("best", [("Owls", 1, 9), ("Foxes", 2, 8), ("Bears", None, None)]),
        ("average", [("Foxes", 1, 8), ("Owls", 2, Decimal("5.5")), ("Bears", None, None)]),
    ],
)
def test_teams_rank_by_what_their_members_have(storage: str, team_score: str, expected: Any) -> None:
    competition = team_race(TEAMS, make_board(storage), team_score=team_score)

    assert team_ranks(competition) == expected
    assert {row.name: row.members for row in team_rows(competition)} == {"Owls": 2, "Foxes": 2, "Bears": 1}


def test_only_the_best_members_count_where_the_competition_says_so() -> None:
    competition = team_race({"Owls": {"ann": 9, "bob": 2}, "Foxes": {"cleo": 8, "dan": 7, "eve": 6}}, team_counts=1)

    assert team_ranks(competition) == [("Owls", 1, 9), ("Foxes", 2, 8)]
    assert [row.counted for row in team_rows(competition)] == [1, 1]


def test_an_average_is_rounded_where_it_is_shown_and_decimals_stay_exact() -> None:
    board = make_board(name="Exact", decimals=2, maximum=100, total_maximum=100)
    teams: Any = {"Owls": {"ann": "1.01", "bob": "1.01", "cleo": "1.02"}, "Foxes": {"dan": "1.01"}}

    competition = team_race(teams, board, team_score="average")

    assert team_ranks(competition) == [("Owls", 1, Decimal("1.0133")), ("Foxes", 2, Decimal("1.01"))]


def test_teams_by_criteria_have_the_fields_of_their_best_member() -> None:
    board = make_board(name="Wins", criteria=[{"name": "wins", "order": "desc", "bits": 7}])
    competition = team_race({"Owls": {}, "Foxes": {}}, board, team_score="best")
    joined(competition, "ann")
    competition.participants.update(team=team_called(competition, "Foxes"))
    entry = {"competition": competition.pk, "player": "ann", "fields": {"wins": 3}}
    assert submit([read_entry(entry, 0)], Caller("tests"), SOON)[0].code is None

    best, last = team_rows(competition)
    assert (best.name, best.rank, best.points, best.fields) == ("Foxes", 1, None, {"wins": 3})
    assert (last.name, last.rank) == ("Owls", None)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_freeze_hides_what_teams_and_divisions_win_behind_it(storage: str) -> None:
    competition = team_race(TEAMS, make_board(storage), freeze_minutes=60)
    juniors = in_division(competition, "Juniors", "bob", "cleo")
    frozen, during = END - HOUR, END - 30 * MINUTE
    before = team_ranks(competition, frozen), _division(competition, juniors, frozen)

    score(competition, {"dan": 5000, "bob": 700}, during)
    follow(competition)

    assert (team_ranks(competition, during), _division(competition, juniors, during)) == before
    assert team_ranks(competition, during, full=True)[0] == ("Foxes", 1, 5008)
    assert group_standings(reloaded(competition), during)[0] == frozen
    finish(reloaded(competition), END + HOUR)
    assert team_ranks(competition, END + HOUR) == before[0]
    reveal(reloaded(competition), END + HOUR, None)
    assert team_ranks(competition, END + HOUR)[0] == ("Foxes", 1, 5008)
    assert _division(competition, juniors, END + HOUR) == [("bob", 1, 2), ("cleo", 2, 4)]


def _division(competition: Any, division: int, at: Any) -> list[tuple[str, int, int | None]]:
    """Player, place within the division and overall."""
    _, rows = division_page(reloaded(competition), division, at, Page(0, 10))
    return [(each.row.player, each.rank, each.row.rank) for each in rows]


def test_a_ban_and_a_disqualification_take_their_points_from_the_team() -> None:
    competition = team_race({"Owls": {"ann": 9, "bob": 2}, "Foxes": {"cleo": 8}})
    juniors = in_division(competition, "Juniors", "ann", "bob")

    disqualify(competition, player("ann"), "Two accounts.", SOON, None)
    assert team_ranks(competition) == [("Foxes", 1, 8), ("Owls", 2, 2)]
    assert _division(competition, juniors, SOON) == [("bob", 1, 2)]

    Player.objects.filter(external_id="bob").update(banned_at=clock.now())
    clear_hidden_cache()
    assert team_ranks(competition) == [("Foxes", 1, 8), ("Owls", None, None)]
    assert {row.name: row.members for row in team_rows(competition)} == {"Foxes": 1, "Owls": 0}


def test_who_leaves_takes_their_points_along() -> None:
    competition = team_race({"Owls": {"ann": 9, "bob": 2}})

    leave(competition, player("ann"), SOON)

    assert team_ranks(competition) == [("Owls", 1, 2)]
    assert team_rows(competition)[0].members == 1


@pytest.mark.parametrize(
    ("ties", "places"),
    [
        ("shared", [("bob", 1, 2, 2), ("cleo", 1, 2, 2), ("dan", 3, 4, 1)]),
        ("dense", [("bob", 1, 2, 2), ("cleo", 1, 2, 2), ("dan", 2, 3, 1)]),
        ("first_come", [("bob", 1, 2, 1), ("cleo", 2, 3, 1), ("dan", 3, 4, 1)]),
    ],
)
def test_a_division_ranks_by_the_boards_ties_and_says_the_place_overall(ties: str, places: Any) -> None:
    competition = team_race({}, make_board(name=ties, ties=ties))
    raced(competition, {"ann": 9, "bob": 5})
    raced(competition, {"cleo": 5, "dan": 1}, SOON + MINUTE)
    juniors = in_division(competition, "Juniors", "bob", "cleo", "dan")

    head, rows = division_page(reloaded(competition), juniors, SOON + HOUR, Page(0, 10))

    assert head.total == 3
    assert sorted((each.row.player, each.rank, each.row.rank, each.tied) for each in rows) == places
    assert [each.row.player for each in division_page(competition, juniors, SOON + HOUR, Page(2, 1))[1]] == ["dan"]


@pytest.mark.django_db(transaction=True)
def test_joining_forgets_the_groups_of_its_competition_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = team_race(TEAMS), team_race(TEAMS, make_board(name="Other"))
    made, load = [], grouping._compute

    def loading(of: Any, label: str) -> Any:
        made.append(of.pk)
        return load(of, label)

    monkeypatch.setattr(grouping, "_compute", loading)
    monkeypatch.setattr(clock, "monotonic", lambda: 100.0)
    group_standings(one, SOON), group_standings(other, SOON)

    joined(one, "zoe")
    group_standings(one, SOON), group_standings(other, SOON)

    assert made == [one.pk, other.pk, one.pk]
