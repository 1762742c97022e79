"""Teams: founding and choosing, places that are exact, who may change what and until when, and the record of it."""

from functools import partial
from typing import Any

import pytest

from competitions import errors
from competitions.models import Change, Competition, Participant, Team
from competitions.services.lifecycle.publish import check
from competitions.services.participants.join import join, leave
from competitions.services.participants.teams import MoveTarget, TeamChoice, choose_team, make_team, move_participant
from tests.at_once import at_once
from tests.competitions.factories import DAY, END, HOUR, START, DivisionFactory, TeamFactory
from tests.competitions.grouping import in_division, members, outcome, participant, team_called, team_race, team_ranks
from tests.competitions.site import SOON, draft, joined, make_board, open_competition, player, score

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
BEFORE = START - HOUR
FOUNDING: dict[str, Any] = {"team_score": "sum", "team_founding": True}
CRITERIA = [{"name": "wins", "order": "desc", "bits": 7}, {"name": "losses", "order": "asc", "bits": 7}]


@pytest.mark.django_db(transaction=True)
def test_a_team_never_has_more_members_than_it_may_however_many_come_at_once() -> None:
    competition = open_competition(team_score="sum", team_size=3)
    team = TeamFactory.create(competition=competition)
    waiting = joined(competition, *(f"in-{nth}" for nth in range(4)))
    new = [player(f"new-{nth}") for nth in range(4)]
    Competition.objects.filter(pk=competition.pk).update(starts_at=START + 2 * HOUR)

    wish = TeamChoice(team=team.pk)
    actions = [partial(outcome, partial(join, competition, each, START, "", wish)) for each in new]
    actions += [partial(outcome, partial(choose_team, competition, each, wish, START)) for each in waiting]
    found = at_once(actions)

    assert sorted(found) == ["done"] * 3 + ["team_full"] * 5
    assert len(members(team)) == 3
    assert competition.participants.count() == 4 + found[:4].count("done")


@pytest.mark.django_db(transaction=True)
def test_one_name_is_founded_once_however_many_want_it() -> None:
    competition = open_competition(**FOUNDING)
    players = [player(f"p{nth}") for nth in range(4)]

    found = at_once(
        [
            partial(outcome, partial(join, competition, each, BEFORE, "", TeamChoice(found=name)))
            for each, name in zip(players, ("Owls", "OWLS", "owls ", "Ｏｗｌｓ"), strict=True)
        ]
    )

    assert sorted(found) == ["done", "name_taken", "name_taken", "name_taken"]
    assert competition.teams.count() == competition.participants.count() == 1


def test_until_the_start_members_come_and_go_and_an_empty_team_that_a_player_founded_goes_too() -> None:
    competition = open_competition(**FOUNDING)
    ann, bob = player("ann"), player("bob")
    owls = join(competition, ann, BEFORE, choice=TeamChoice(found="  The   Owls ")).team
    assert owls is not None
    assert (owls.name, owls.founder) == ("The Owls", ann)
    join(competition, bob, BEFORE, choice=TeamChoice(team=owls.pk))

    choose_team(competition, ann, TeamChoice(found="Foxes"), BEFORE)
    assert members(owls) == {"bob"}
    leave(competition, bob, BEFORE)
    assert list(competition.teams.values_list("name", flat=True)) == ["Foxes"]

    made = make_team(competition, "Bears", BEFORE)
    choose_team(competition, ann, TeamChoice(team=made.pk), BEFORE)
    choose_team(competition, ann, TeamChoice(), BEFORE)
    assert list(competition.teams.values_list("name", flat=True)) == ["Bears"]
    assert participant(competition, "ann").team is None


def test_from_the_start_on_only_those_who_run_it_move_somebody() -> None:
    competition = team_race({"Owls": {"ann": 5}, "Foxes": {"bob": 3}})
    foxes = team_called(competition, "Foxes")

    for wish in (TeamChoice(team=foxes.pk), TeamChoice(), TeamChoice(found="Bears")):
        with pytest.raises(errors.TeamsFixed):
            choose_team(competition, player("ann"), wish, START)
    move_participant(participant(competition, "ann"), MoveTarget(foxes.pk, None), "Wrong list.", SOON, None)

    assert team_ranks(competition) == [("Foxes", 1, 8), ("Owls", None, None)]
    change = Change.objects.get(kind="moved")
    assert (change.reason, change.details) == (
        "Wrong list.",
        {"player": "ann", "team_before": "Owls", "team": "Foxes"},
    )


def test_a_move_needs_a_reason_and_a_place_and_one_that_changes_nothing_writes_nothing() -> None:
    competition = team_race({"Owls": {"ann": 5}, "Foxes": {"bob": 3}}, team_size=1)
    owls, foxes = team_called(competition, "Owls"), team_called(competition, "Foxes")
    juniors = in_division(competition, "Juniors")
    ann = participant(competition, "ann")
    elsewhere = TeamFactory.create()

    for goal, reason, refusal in (
        (MoveTarget(owls.pk, juniors), " ", errors.BadCompetition),
        (MoveTarget(foxes.pk, juniors), "Why not.", errors.TeamFull),
        (MoveTarget(elsewhere.pk, juniors), "Why not.", errors.UnknownTeam),
        (MoveTarget(owls.pk, 2**63), "Why not.", errors.UnknownDivision),
    ):
        with pytest.raises(refusal):
            move_participant(ann, goal, reason, SOON, None)
    move_participant(ann, MoveTarget(owls.pk, None), "Nothing to do.", SOON, None)
    ann.refresh_from_db()
    assert (ann.team_id, ann.division_id, Change.objects.filter(kind="moved").count()) == (owls.pk, None, 0)

    move_participant(ann, MoveTarget(None, juniors), "By age.", SOON, None)
    ann.refresh_from_db()
    assert (ann.team_id, ann.division_id) == (None, juniors)


def test_a_refused_wish_leaves_nobody_half_joined() -> None:
    competition = open_competition(**FOUNDING, team_size=1)
    full = TeamFactory.create(competition=competition, name="Full")
    join(competition, player("bob"), BEFORE, choice=TeamChoice(team=full.pk))
    closed, plain = open_competition(team_score="sum"), open_competition()

    for where, wish, code in (
        (competition, TeamChoice(team=full.pk), "team_full"),
        (competition, TeamChoice(team=full.pk + 1000), "unknown_team"),
        (competition, TeamChoice(found="full"), "name_taken"),
        (competition, TeamChoice(found="New", division=5), "unknown_division"),
        (competition, TeamChoice(found="x" * 61), "bad_name"),
        (competition, TeamChoice(found="\u202eowls"), "bad_name"),
        (competition, TeamChoice(found="\u3164"), "bad_name"),
        (closed, TeamChoice(found="Owls"), "founding_closed"),
        (plain, TeamChoice(found="Owls"), "no_teams"),
        (plain, TeamChoice(team=full.pk), "no_teams"),
    ):
        assert outcome(partial(join, where, player("ann"), BEFORE, "", wish)) == code
    assert not Participant.objects.filter(player__external_id="ann").exists()
    assert Team.objects.count() == 1


def test_nothing_of_teams_changes_once_it_is_over() -> None:
    competition = open_competition(**FOUNDING)
    joined(competition, "ann")

    for at, where in ((END, competition), (END + DAY, competition)):
        assert outcome(partial(make_team, where, "Owls", at)) == "competition_over"
        assert outcome(partial(choose_team, where, player("ann"), TeamChoice(), at)) == "competition_over"
    assert outcome(partial(choose_team, competition, player("bob"), TeamChoice(), BEFORE)) == "not_joined"


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"team_size": 3}, "team_score"),
        ({"team_founding": True}, "team_score"),
        ({"team_score": "best", "team_counts": 2}, "team_counts"),
        ({"team_score": "sum", "team_counts": 4, "team_size": 3}, "team_counts"),
        ({"team_score": "total"}, "team_score"),
    ],
)
def test_settings_of_teams_that_cannot_work_are_refused(settings: dict[str, Any], field: str) -> None:
    with pytest.raises(errors.BadCompetition) as refused:
        check(draft(**settings), START)

    assert refused.value.field == field


def test_criteria_are_not_added_up_and_less_is_not_better_by_what_is_missing() -> None:
    criteria = make_board(name="Criteria", criteria=CRITERIA)
    times = make_board(name="Times", order="asc")

    for board, settings, works in (
        (criteria, {"team_score": "sum"}, False),
        (criteria, {"team_score": "average"}, False),
        (criteria, {"team_score": "best"}, True),
        (times, {"team_score": "sum"}, False),
        (times, {"team_score": "sum", "team_counts": 2}, True),
        (times, {"team_score": "average"}, True),
    ):
        refusal = outcome(partial(check, draft(board, **settings), START))
        assert refusal == ("done" if works else "bad_competition"), settings


def test_a_division_is_chosen_on_joining() -> None:
    competition = open_competition()
    division = DivisionFactory.create(competition=competition)
    elsewhere = DivisionFactory.create()

    assert join(competition, player("ann"), SOON, choice=TeamChoice(division=division.pk)).division == division
    assert (
        outcome(partial(join, competition, player("bob"), SOON, "", TeamChoice(division=elsewhere.pk)))
        == "unknown_division"
    )
    assert score(competition, {"ann": 4})[0].code is None
