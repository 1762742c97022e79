"""Who is brought back is in the team of before, if it is there and has a place."""

from datetime import datetime

import pytest

from competitions import errors
from competitions.models import Change, Competition, Participant
from competitions.services.participants.disqualify import remove
from competitions.services.participants.join import join, leave
from competitions.services.participants.teams import TeamChoice
from tests.competitions.factories import TeamFactory
from tests.competitions.services.bringing import back
from tests.competitions.site import HOUR, MINUTE, SOON, START, joined, open_competition, player

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def test_places_of_the_competition_and_of_the_team_are_not_given_twice() -> None:
    competition = open_competition(most_participants=2, team_score="sum", team_size=1)
    team = competition.teams.create(name="Blue", key="blue")
    for name in ("ann", "bob"):
        joined(competition, name)
    Participant.objects.filter(player__external_id="ann").update(team=team)
    leave(competition, player("ann"), SOON)
    joined(competition, "cleo")
    Participant.objects.filter(player__external_id="cleo").update(team=team)

    with pytest.raises(errors.CompetitionFull):
        back(competition, "ann")
    Competition.objects.update(most_participants=3)
    found = back(competition, "ann")

    assert (found.left_at, found.team) == (None, None)


@pytest.mark.parametrize("at", [START - MINUTE, SOON])
def test_who_was_removed_before_the_start_is_in_the_team_of_before_if_that_is_there(at: datetime) -> None:
    competition = open_competition(team_score="sum", team_founding=True, team_entry="code")
    club = TeamFactory.create(competition=competition, name="Club", code="SECRET")
    for name, wish in (("ann", TeamChoice(team=club.pk, code="SECRET")), ("bob", TeamChoice(found="Owls"))):
        join(competition, player(name), START - HOUR, choice=wish)
        remove(competition, player(name), "The wrong row.", START - HOUR, None)
    joined(competition, "cleo")
    leave(competition, player("cleo"), START - HOUR)

    teams = [back(competition, name, at).team for name in ("ann", "bob", "cleo")]

    assert teams == [club, None, None]
    assert [each.name for each in competition.teams.all()] == ["Club"]
    [removal, _other] = Change.objects.filter(kind="removed").order_by("pk")
    assert (removal.details["team_before"], removal.details["team"]) == ("Club", "")


def test_a_team_that_was_left_since_the_removal_is_not_the_one_of_before() -> None:
    competition = open_competition(team_score="sum", team_size=1)
    club = TeamFactory.create(competition=competition)
    join(competition, player("ann"), START - HOUR, choice=TeamChoice(team=club.pk))
    remove(competition, player("ann"), "The wrong row.", START - HOUR, None)
    join(competition, player("ann"), START - 2 * MINUTE)
    leave(competition, player("ann"), START - MINUTE)
    alone = back(competition, "ann").team
    join(competition, player("bob"), SOON, choice=TeamChoice(team=club.pk))
    remove(competition, player("bob"), "The wrong row.", SOON, None)

    assert (alone, back(competition, "bob").team) == (None, club)
