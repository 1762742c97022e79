"""Teams of players who leave, are removed or disqualified: whose place is kept, and what they come back to."""

from functools import partial
from typing import Any

import pytest

from competitions import errors
from competitions.models import Change, Team
from competitions.services.erasure.anonymize import anonymize_player
from competitions.services.participants.disqualify import disqualify, reinstate, remove
from competitions.services.participants.join import join, leave
from competitions.services.participants.teams import MoveTarget, TeamChoice, move_participant
from tests.competitions.factories import HOUR, MINUTE, START
from tests.competitions.grouping import in_division, outcome, participant, team_called, team_race, team_ranks
from tests.competitions.site import SOON, open_competition, player

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
BEFORE = START - HOUR
FOUNDING: dict[str, Any] = {"team_score": "sum", "team_founding": True}


def test_who_comes_back_has_the_team_and_division_of_before_and_no_others() -> None:
    competition = team_race({"Owls": {"ann": 5}, "Foxes": {"bob": 3}})
    owls, foxes = team_called(competition, "Owls"), team_called(competition, "Foxes")
    juniors, seniors = in_division(competition, "Juniors", "ann"), in_division(competition, "Seniors")
    ann = player("ann")
    leave(competition, ann, SOON)

    with pytest.raises(errors.TeamsFixed):
        join(competition, ann, SOON, choice=TeamChoice(team=foxes.pk))
    with pytest.raises(errors.DivisionFixed):
        join(competition, ann, SOON, choice=TeamChoice(division=seniors))
    back = join(competition, ann, SOON)

    assert (back.team_id, back.division_id) == (owls.pk, juniors)


def test_a_place_that_was_given_away_is_not_kept_for_who_comes_back() -> None:
    competition = team_race({"Owls": {"ann": 5}}, team_size=1)
    owls = team_called(competition, "Owls")
    leave(competition, player("ann"), SOON)
    join(competition, player("bob"), SOON, choice=TeamChoice(team=owls.pk))

    with pytest.raises(errors.TeamFull):
        join(competition, player("ann"), SOON, choice=TeamChoice(team=owls.pk))

    assert join(competition, player("ann"), SOON).team is None


def test_who_comes_back_without_a_place_is_in_no_other_team_however_often_they_leave() -> None:
    competition = team_race({"Owls": {"ann": 5}, "Foxes": {"cleo": 3}}, team_size=1, team_founding=True)
    owls, ann = team_called(competition, "Owls"), player("ann")
    leave(competition, ann, SOON)
    join(competition, player("bob"), SOON, choice=TeamChoice(team=owls.pk))
    leave(competition, player("cleo"), SOON)
    join(competition, ann, SOON)
    leave(competition, ann, SOON)

    wishes = [TeamChoice(team=team_called(competition, "Foxes").pk), TeamChoice(found="Bears")]
    refused = [outcome(partial(join, competition, ann, SOON, "", each)) for each in wishes]

    assert refused == ["teams_fixed", "teams_fixed"]
    assert join(competition, ann, SOON).team is None


def test_who_left_before_the_start_chooses_when_they_come_back_after_it() -> None:
    competition = team_race({"Owls": {}, "Foxes": {"cleo": 3}})
    ann = player("ann")
    join(competition, ann, BEFORE, choice=TeamChoice(team=team_called(competition, "Owls").pk))
    leave(competition, ann, BEFORE)

    back = join(competition, ann, SOON, choice=TeamChoice(team=team_called(competition, "Foxes").pk))

    assert str(back.team) == "Foxes"


def test_the_disqualified_keep_their_place_so_that_nobody_is_one_too_many() -> None:
    competition = team_race({"Owls": {"ann": 5}}, team_size=1)
    owls, ann = team_called(competition, "Owls"), player("ann")
    disqualify(competition, ann, "Two accounts.", SOON, None)

    with pytest.raises(errors.TeamFull):
        join(competition, player("bob"), SOON, choice=TeamChoice(team=owls.pk))

    reinstate(competition, ann, "One is a sister's.", SOON, None)
    assert team_ranks(competition) == [("Owls", 1, 5)]


def test_an_erased_players_move_is_forgotten_with_its_reason() -> None:
    competition = team_race({"Owls": {"ann": 5}})
    move_participant(participant(competition, "ann"), MoveTarget(None, None), "Ann asked for it.", SOON, None)

    anonymize_player(player("ann"), SOON + MINUTE)

    change = Change.objects.get(kind="moved")
    assert (change.reason, change.details) == ("", {})


def test_a_team_whose_founder_is_removed_before_the_start_goes_and_its_name_is_free() -> None:
    competition = open_competition(**FOUNDING, starts_at=START + 2 * HOUR)
    ann, bob = player("ann"), player("bob")
    join(competition, ann, START, "", TeamChoice(found="The Owls"))

    remove(competition, ann, "Two accounts.", START, None)
    join(competition, bob, START, "", TeamChoice(found="The Owls"))

    [owls] = Team.objects.all()
    assert (owls.founder, participant(competition, "ann").team) == (bob, None)


def test_who_is_removed_after_the_start_is_in_the_team_of_before_on_coming_back() -> None:
    competition = open_competition(**FOUNDING, starts_at=START)
    ann = player("ann")
    join(competition, ann, START - MINUTE, "", TeamChoice(found="The Owls"))

    remove(competition, ann, "Two accounts.", SOON, None)
    join(competition, ann, SOON + MINUTE)

    assert participant(competition, "ann").team == Team.objects.get()
