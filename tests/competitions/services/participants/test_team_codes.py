"""Codes of teams that players founded: whom they let in, who sees and renews them, and what they are not asked for."""

from functools import partial
from typing import Any

import pytest

from competitions import errors
from competitions.models import Competition, Team
from competitions.services.erasure.anonymize import anonymize_player
from competitions.services.lifecycle.publish import check
from competitions.services.participants.join import join, leave
from competitions.services.participants.team_codes import founded_by, renew_code
from competitions.services.participants.teams import MoveTarget, TeamChoice, choose_team, make_team, move_participant
from foundation.errors import RateLimited
from foundation.throttling.limits import Limit
from tests.at_once import at_once
from tests.competitions.factories import END, HOUR, START
from tests.competitions.grouping import members, outcome, participant
from tests.competitions.site import SOON, draft, joined, open_competition, player

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

BEFORE = START - HOUR
CODES: dict[str, Any] = {"team_score": "sum", "team_founding": True, "team_entry": "code"}


def owls_of(competition: Competition) -> Team:
    """A team that ann founded."""
    team = join(competition, player("ann"), BEFORE, choice=TeamChoice(found="Owls")).team
    assert team is not None
    return team


def test_a_founded_team_is_entered_with_its_code_alone_and_a_refusal_leaves_nobody_half_joined() -> None:
    competition = open_competition(**CODES)
    owls = owls_of(competition)
    bob, cleo = player("bob"), player("cleo")

    for code in ("", owls.code[:-1], "ABCDEFGH" if owls.code != "ABCDEFGH" else "HGFEDCBA", "\ud800"):
        assert (
            outcome(partial(join, competition, bob, BEFORE, "", TeamChoice(team=owls.pk, code=code)))
            == "wrong_team_code"
        )
    assert not competition.participants.filter(player=bob).exists()
    join(competition, bob, BEFORE, choice=TeamChoice(team=owls.pk, code=f" {owls.code.lower()} "))

    joined(competition, "cleo")
    assert outcome(partial(choose_team, competition, cleo, TeamChoice(team=owls.pk), BEFORE)) == "wrong_team_code"
    choose_team(competition, cleo, TeamChoice(team=owls.pk, code=owls.code), BEFORE)
    assert members(owls) == {"ann", "bob", "cleo"}


def test_a_code_alone_finds_its_team_and_one_that_opens_none_does_nothing() -> None:
    competition = open_competition(**CODES)
    owls, bob = owls_of(competition), player("bob")
    bears = join(competition, player("cleo"), BEFORE, choice=TeamChoice(found="Bears")).team

    with pytest.raises(errors.WrongTeamCode, match="This code opens no team"):
        join(competition, bob, BEFORE, choice=TeamChoice(code="WRONG"))
    assert not competition.participants.filter(player=bob).exists()
    assert join(competition, bob, BEFORE, choice=TeamChoice(code=f" {owls.code.lower()} ")).team == owls

    assert bears is not None
    for wish in (
        TeamChoice(code="WRONG"),
        TeamChoice(team=owls.pk, code=bears.code),
    ):  # their own team stands chosen in the form
        assert outcome(partial(choose_team, competition, bob, wish, BEFORE)) == "wrong_team_code"
    assert members(owls) == {"ann", "bob"}
    choose_team(competition, bob, TeamChoice(code=bears.code), BEFORE)
    assert (members(owls), members(bears)) == ({"ann"}, {"bob", "cleo"})


def test_where_entry_is_open_nobody_is_asked_for_a_code() -> None:
    competition = open_competition(**CODES | {"team_entry": "open"})
    owls = owls_of(competition)

    join(competition, player("bob"), BEFORE, choice=TeamChoice(team=owls.pk))

    assert owls.code
    assert members(owls) == {"ann", "bob"}


def test_a_new_code_ends_the_old_one_and_members_stay() -> None:
    competition = open_competition(**CODES)
    owls = owls_of(competition)
    join(competition, player("bob"), BEFORE, choice=TeamChoice(team=owls.pk, code=owls.code))

    renewed = renew_code(competition, player("ann"), SOON)

    late = partial(join, competition, player("cleo"), SOON, "")
    assert outcome(partial(late, TeamChoice(team=owls.pk, code=owls.code))) == "wrong_team_code"
    assert outcome(partial(late, TeamChoice(team=owls.pk, code=renewed.code))) == "done"
    choose_team(competition, player("bob"), TeamChoice(team=owls.pk), BEFORE)  # who is in it needs none
    assert members(owls) == {"ann", "bob", "cleo"}


def test_only_the_founder_who_is_in_the_team_sees_and_renews_its_code() -> None:
    competition = open_competition(**CODES)
    owls = owls_of(competition)
    join(competition, player("bob"), BEFORE, choice=TeamChoice(team=owls.pk, code=owls.code))
    joined(competition, "cleo")

    assert founded_by(participant(competition, "ann")) == owls
    assert founded_by(participant(competition, "bob")) is founded_by(participant(competition, "cleo")) is None
    for name, code in (("bob", "not_founder"), ("cleo", "not_founder"), ("dan", "not_joined")):
        assert outcome(partial(renew_code, competition, player(name), BEFORE)) == code
    assert outcome(partial(renew_code, competition, player("ann"), END)) == "competition_over"
    leave(competition, player("ann"), BEFORE)
    assert outcome(partial(renew_code, competition, player("ann"), BEFORE)) == "not_founder"
    owls.refresh_from_db()
    assert outcome(partial(join, competition, player("ann"), BEFORE, "", TeamChoice(team=owls.pk))) == "done"


def test_the_organisers_teams_are_open_and_they_move_anybody_anywhere() -> None:
    competition = open_competition(**CODES)
    owls, bears = owls_of(competition), make_team(competition, "Bears", BEFORE)

    join(competition, player("bob"), BEFORE, choice=TeamChoice(team=bears.pk))
    move_participant(participant(competition, "bob"), MoveTarget(owls.pk, None), "Wrong list.", SOON, None)

    assert members(owls) == {"ann", "bob"}


def test_who_left_after_the_start_comes_back_without_a_code() -> None:
    competition = open_competition(**CODES)
    owls = owls_of(competition)
    join(competition, player("bob"), BEFORE, choice=TeamChoice(team=owls.pk, code=owls.code))

    leave(competition, player("bob"), SOON)
    join(competition, player("bob"), SOON)

    assert members(owls) == {"ann", "bob"}


def test_a_team_stays_closed_when_its_founder_is_erased() -> None:
    competition = open_competition(**CODES)
    owls = owls_of(competition)

    anonymize_player(player("ann"), BEFORE)

    assert outcome(partial(join, competition, player("bob"), BEFORE, "", TeamChoice(team=owls.pk))) == "wrong_team_code"


def test_a_team_of_before_there_were_codes_is_open_until_its_founder_makes_one() -> None:
    competition = open_competition(**CODES)
    owls = owls_of(competition)
    Team.objects.update(code="")

    assert outcome(partial(join, competition, player("bob"), BEFORE, "", TeamChoice(team=owls.pk))) == "done"
    renew_code(competition, player("ann"), BEFORE)
    assert (
        outcome(partial(join, competition, player("cleo"), BEFORE, "", TeamChoice(team=owls.pk))) == "wrong_team_code"
    )


@pytest.mark.parametrize("names_team", [True, False])
def test_tries_of_a_code_are_counted(settings: Any, names_team: bool) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"join": Limit(3, 60)}
    competition = open_competition(**CODES)
    owls = owls_of(competition)
    wish = TeamChoice(team=owls.pk if names_team else None, code="X")
    for _ in range(2):
        assert outcome(partial(join, competition, player("bob"), BEFORE, "", wish)) == "wrong_team_code"

    joined(competition, "bob")
    assert outcome(partial(choose_team, competition, player("bob"), wish, BEFORE)) == "wrong_team_code"
    with pytest.raises(RateLimited):
        choose_team(competition, player("bob"), wish, BEFORE)


@pytest.mark.django_db(transaction=True)
def test_of_two_new_codes_at_once_one_counts_and_it_is_the_one_that_is_kept() -> None:
    competition = open_competition(**CODES)
    owls = owls_of(competition)

    made = at_once([partial(renew_code, competition, player("ann"), BEFORE)] * 2)

    owls.refresh_from_db()
    assert owls.code in {team.code for team in made}
    assert len({team.code for team in made}) == 2


@pytest.mark.parametrize(
    ("changed", "field"), [({"team_founding": False}, "team_entry"), ({"team_score": ""}, "team_score")]
)
def test_codes_without_founded_teams_are_refused(changed: dict[str, Any], field: str) -> None:
    settings = CODES | {"team_founding": False} | changed

    with pytest.raises(errors.BadCompetition) as refused:
        check(draft(**settings), START)

    assert refused.value.field == field
    check(draft(**CODES), START)
