"""Teams and divisions in a published result: named in each row, ranked behind the rows, and revised by a move."""

import hashlib
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from competitions import errors
from competitions.models import Change, Competition, Participant
from competitions.services.lifecycle.finish import finish_due
from competitions.services.participants import teams
from competitions.services.participants.disqualify import disqualify
from competitions.services.participants.teams import MoveTarget, move_participant
from competitions.services.results import revisions as revising
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.services.players.erase import erase_player
from leaderboards.services.submit.pipeline import submit
from tests.competitions.factories import END, MINUTE
from tests.competitions.grouping import in_division, team_called, team_race, team_ranks
from tests.competitions.published import document, revisions, told
from tests.competitions.services.mishaps import dying_at
from tests.competitions.site import SOON, joined, make_board, player, race, raced, reloaded

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

OVER = END + MINUTE
TEAMS: dict[str, dict[str, int | None]] = {"Owls": {"ann": 50, "bob": 20}, "Cats": {"cleo": 40, "dan": 30}}
CRITERIA = [{"name": "wins", "order": "desc", "bits": 7}, {"name": "losses", "order": "asc", "bits": 7}]


def final(competition: Competition) -> Competition:
    assert finish_due(OVER) == 1
    return reloaded(competition)


def moved(competition: Competition, name: str, goal: MoveTarget, reason: str = "Signed up for the wrong team.") -> None:
    move_participant(competition.participants.get(player__external_id=name), goal, reason, OVER, None)


def ranked(found: dict[str, Any]) -> list[tuple[int | None, str, object, int, int]]:
    """Of each team: rank, name, points, members, and how many of them count."""
    return [(each["rank"], each["name"], each["points"], each["members"], each["counted"]) for each in found["teams"]]


def test_each_row_names_team_and_division_and_the_teams_stand_behind_them() -> None:
    competition = team_race(TEAMS | {"Bears": {"eve": None}}, team_counts=1)
    raced(competition, {"fay": 10})
    in_division(competition, "Juniors", "bob", "fay")
    final(competition)

    (revision,) = revisions(competition)
    found, content = told(revision), document(revision)

    assert [(row["player"], row["team"], row["division"]) for row in found["rows"]] == [
        ("ann", "Owls", None),
        ("cleo", "Cats", None),
        ("dan", "Cats", None),
        ("bob", "Owls", "Juniors"),
        ("fay", None, "Juniors"),
    ]
    assert ranked(found) == [(1, "Owls", 50, 2, 1), (2, "Cats", 40, 2, 1), (None, "Bears", None, 1, 0)]
    assert [each["team"] for each in found["teams"][:2]] == [
        team_called(competition, name).pk for name in ("Owls", "Cats")
    ]
    assert hashlib.sha256(content[:17] + content[81:]).hexdigest() == revision.content_hash


def test_without_teams_or_divisions_a_result_says_nothing_of_them() -> None:
    plain, grouped = race({"ann": 9}), race({"ann": 9})
    in_division(grouped, "Juniors", "ann")
    assert finish_due(OVER) == 2

    (of_plain,), (of_grouped,) = revisions(plain), revisions(grouped)

    assert {"team", "division"} & set(told(of_plain)["rows"][0]) == set()
    assert ("teams" in told(of_plain), "teams" in told(of_grouped)) == (False, False)
    assert ("team" in told(of_grouped)["rows"][0], told(of_grouped)["rows"][0]["division"]) == (False, "Juniors")


@pytest.mark.parametrize(
    ("board", "settings"),
    [
        ({}, {"team_score": "average"}),
        ({}, {"team_score": "sum", "team_counts": 2}),
        ({"order": "asc"}, {"team_score": "sum", "team_counts": 2}),
        ({"ties": "shared"}, {"team_score": "best"}),
    ],
)
def test_the_teams_of_a_result_are_those_that_everybody_is_shown(
    board: dict[str, Any], settings: dict[str, Any]
) -> None:
    drawn: dict[str, dict[str, int | None]] = {
        "A": {"a1": 7, "a2": 4, "a3": 4}, "B": {"b1": 7, "b2": 4}, "C": {"c1": 9, "c2": None}, "D": {"d1": None},
    }  # fmt: skip  # as a table
    competition = final(team_race(drawn, make_board(**board), **settings))

    published = [(each["name"], each["rank"], each["points"]) for each in told(revisions(competition)[0])["teams"]]

    shown = [
        (name, rank, points if points is None else float(str(points)))
        for name, rank, points in team_ranks(competition, OVER)
    ]
    assert published == shown


def test_by_criteria_a_team_has_the_fields_of_its_best_member() -> None:
    board = make_board(criteria=CRITERIA)
    competition = team_race({"Owls": {}}, board, team_score="best")
    joined(competition, "ann", "bob")
    for name, fields in (("ann", {"wins": 3, "losses": 1}), ("bob", {"wins": 2, "losses": 0})):
        entry = {"competition": competition.pk, "player": name, "fields": fields}
        assert submit([read_entry(entry, 0)], Caller("tests"), SOON)[0].code is None
    competition.participants.update(team=team_called(competition, "Owls"))
    final(competition)

    (team,) = told(revisions(competition)[0])["teams"]

    assert (team["rank"], team["fields"], "points" in team) == (1, {"wins": 3, "losses": 1}, False)


def test_a_move_after_the_result_is_final_makes_the_next_revision_with_its_reason() -> None:
    competition = final(team_race(TEAMS))
    first = document(revisions(competition)[0])

    moved(competition, "ann", MoveTarget(team_called(competition, "Cats").pk, None))

    one, two = revisions(competition)
    assert document(one) == first
    assert ranked(told(one)) == [(1, "Owls", 70, 2, 2), (1, "Cats", 70, 2, 2)]
    assert ranked(told(two)) == [(1, "Cats", 120, 3, 3), (2, "Owls", 20, 1, 1)]
    assert (told(two)["reason"], two.previous_hash) == ("Signed up for the wrong team.", one.content_hash)
    assert two.change == Change.objects.get(kind="moved")


def test_a_move_to_another_division_makes_one_too_and_a_move_that_nothing_shows_makes_none() -> None:
    competition = team_race(TEAMS | {"Bears": {"eve": None}})
    juniors = in_division(competition, "Juniors")
    final(competition)

    moved(competition, "eve", MoveTarget(team_called(competition, "Bears").pk, juniors))  # has no row
    assert len(revisions(competition)) == 1
    moved(competition, "ann", MoveTarget(team_called(competition, "Owls").pk, juniors))

    assert told(revisions(competition)[1])["rows"][0]["division"] == "Juniors"


def test_a_move_before_the_result_is_final_publishes_nothing() -> None:
    competition = team_race(TEAMS)

    moved(competition, "ann", MoveTarget(team_called(competition, "Cats").pk, None))
    assert revisions(competition) == []
    final(competition)

    assert ranked(told(revisions(competition)[0])) == [(1, "Cats", 120, 3, 3), (2, "Owls", 20, 1, 1)]


def test_who_dies_between_a_move_and_its_revision_leaves_neither() -> None:
    competition = final(team_race(TEAMS))
    cats = MoveTarget(team_called(competition, "Cats").pk, None)

    for module, step in ((revising, "revise.before_hash"), (teams, "move.before_commit")):
        with dying_at(module, step):
            moved(competition, "ann", cats)

    ann = Participant.objects.get(player__external_id="ann")
    assert (str(ann.team), len(revisions(competition))) == ("Owls", 1)
    assert not Change.objects.filter(kind="moved").exists()


def test_who_is_disqualified_counts_in_no_team_of_the_next_revision() -> None:
    competition = final(team_race(TEAMS))

    disqualify(competition, player("ann"), "Two accounts.", OVER, None)

    assert ranked(told(revisions(competition)[1])) == [(1, "Cats", 70, 2, 2), (2, "Owls", 20, 1, 1)]


def test_an_erased_player_keeps_row_and_team_under_another_id_and_the_reason_of_their_move_goes() -> None:
    competition = final(team_race(TEAMS))
    moved(competition, "ann", MoveTarget(team_called(competition, "Cats").pk, None))
    was = [told(each)["teams"] for each in revisions(competition)]

    erase_player("ann", OVER)

    one, two = revisions(competition)
    assert [told(each)["teams"] for each in (one, two)] == was
    assert [told(each)["rows"][0]["team"] for each in (one, two)] == ["Owls", "Cats"]
    assert [b'"ann"' in document(each) for each in (one, two)] == [False, False]
    assert (told(two)["reason"], told(two)["previous_hash"]) == ("", one.content_hash)
    for each in (one, two):
        content = document(each)
        assert hashlib.sha256(content[:17] + content[81:]).hexdigest() == each.content_hash


def test_memberships_are_read_with_the_rows_some_at_a_time() -> None:
    competition = team_race({"Owls": {f"p{number}": number for number in range(1, 8)}})

    with patch.object(revising, "ROWS_A_PART", 3), CaptureQueriesContext(connection) as queries:
        final(competition)

    asked = [each["sql"] for each in queries if "competitions_participant" in each["sql"] and " IN ('p" in each["sql"]]
    assert [sql.count("'p") for sql in asked] == [3, 3, 1]
    assert ranked(told(revisions(competition)[0])) == [(1, "Owls", 28, 7, 7)]
    assert revisions(competition)[0].parts.count() == 1 + 3 + 2 + 1


def test_once_it_is_final_no_team_or_division_may_change() -> None:
    competition = team_race(TEAMS)
    with transaction.atomic():
        teams.refuse_final(competition)
    final(competition)

    with transaction.atomic(), pytest.raises(errors.GroupsFinal):
        teams.refuse_final(competition)
