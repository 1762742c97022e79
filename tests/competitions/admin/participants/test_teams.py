"""Teams and divisions in the admin: typed in forms, found by filters, and participants moved with a reason."""

from typing import Any

import pytest
from django.test import Client

from competitions.models import Change, Competition, Division, Participant, Team
from competitions.services.lifecycle.finish import finish_due
from tests.competitions.admin.test_others import PARTICIPANTS, said
from tests.competitions.admin.typed import ADD, change, page, recorded, refusals, typed
from tests.competitions.factories import END, MINUTE, DivisionFactory
from tests.competitions.grouping import in_division, team_called, team_race, team_ranks
from tests.competitions.site import joined, make_board, open_competition
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

TEAMS = "/admin/competitions/team/"


def of_divisions(*names: str, initial: int = 0) -> dict[str, Any]:
    """The inline as a browser sends it."""
    rows = {f"divisions-{nth}-{key}": each for nth, name in enumerate(names) for key, each in
            {"name": name, "position": str(nth), "id": ""}.items()}  # fmt: skip  # two loops
    return rows | {"divisions-TOTAL_FORMS": str(len(names)), "divisions-INITIAL_FORMS": str(initial)}


def of_kept(number: int, name: str, position: str) -> dict[str, Any]:
    """The inline with one division that there is already."""
    return of_divisions(name, initial=1) | {"divisions-0-id": str(number), "divisions-0-position": position}


def test_a_draft_gets_teams_and_divisions_in_its_form(admin: Client) -> None:
    settings = {"team_score": "sum", "team_counts": "3", "team_size": "5", "team_founding": "on", "team_entry": "code"}

    answer = admin.post(ADD, typed(make_board(), **settings, **of_divisions("  Under   18", "Masters")))

    made = Competition.objects.get()
    assert answer.status_code == 302
    settled = (made.team_score, made.team_counts, made.team_size, made.team_founding, made.team_entry)
    assert settled == ("sum", 3, 5, True, "code")
    assert [each.name for each in made.divisions.all()] == ["Under 18", "Masters"]


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"team_score": "best", "team_counts": "2"}, "By its best member one counts alone"),
        ({"team_size": "2"}, "Choose what teams rank by"),
        ({"team_score": "sum", "team_entry": "code"}, "Codes are of teams that players found"),
        (of_divisions("Masters", "MASTERS"), "Two divisions have the same name"),
        (of_divisions("\u3164"), "Give a name that can be seen."),
    ],
)
def test_what_cannot_be_is_refused_at_its_field_and_nothing_is_saved(
    admin: Client, more: dict[str, Any], sentence: str
) -> None:
    answer = admin.post(ADD, typed(make_board(), **more))

    assert sentence in refusals(answer) + " ".join(answer.content.decode().split())
    assert not Competition.objects.exists()
    assert not Division.objects.exists()


def test_what_teams_rank_by_is_fixed_once_published(admin: Client) -> None:
    competition = open_competition(team_score="sum", team_counts=2)

    form = page(admin, change(competition))

    assert 'name="team_founding"' in form
    assert 'name="team_entry"' in form
    assert not [name for name in ("team_score", "team_counts", "team_size") if f'name="{name}"' in form]


def test_teams_are_made_and_renamed_by_a_name_that_no_other_has(admin: Client) -> None:
    competition, other = open_competition(team_score="sum"), open_competition(team_score="best")
    plain = open_competition()

    for where, name, works in (
        (competition, "Owls", True),
        (competition, "OWLS", False),
        (other, "owls", True),
        (plain, "Owls", False),
    ):
        answer = admin.post(f"{TEAMS}add/", {"competition": where.pk, "name": name})
        assert (answer.status_code == 302) is works, (where, name)
    owls = team_called(competition, "Owls")
    assert admin.post(f"{TEAMS}{owls.pk}/change/", {"name": "The Owls"}).status_code == 302
    owls.refresh_from_db()
    assert (owls.name, owls.competition) == ("The Owls", competition)


def test_members_are_counted_and_a_team_with_members_is_not_deleted(admin: Client) -> None:
    competition = team_race({"Owls": {"ann": 5, "bob": 3}, "Foxes": {}})
    owls, foxes = team_called(competition, "Owls"), team_called(competition, "Foxes")

    listed = page(admin, f"{TEAMS}?competition__id__exact={competition.pk}")
    for team in (owls, foxes):
        admin.post(f"{TEAMS}{team.pk}/delete/", {"post": "yes"})

    assert f'?competition__id__exact={competition.pk}&team={owls.pk}">2</a>' in listed
    assert list(Team.objects.all()) == [owls]


def test_who_may_delete_no_participant_is_told_that_the_members_protect_their_team() -> None:
    owls = team_called(team_race({"Owls": {"ann": 5}}), "Owls")
    client = staff(groups=["judge"])

    told = client.post(TEAMS, {"action": "delete_selected", "_selected_action": [owls.pk]}).content.decode()

    assert "protected" in told
    assert "permission to delete" not in told


def test_participants_are_found_by_team_and_division(admin: Client) -> None:
    competition = team_race({"Owls": {"ann": 5}, "Foxes": {"bob": 3}})
    owls, juniors = team_called(competition, "Owls"), in_division(competition, "Juniors", "bob")
    listed = f"{PARTICIPANTS}?competition__id__exact={competition.pk}"

    by_team, by_division = page(admin, f"{listed}&team={owls.pk}"), page(admin, f"{listed}&division={juniors}")

    assert "Foxes" in page(admin, listed)
    assert [name in by_team for name in (">ann<", ">bob<")] == [True, False]
    assert [name in by_division for name in (">ann<", ">bob<")] == [False, True]
    assert ">ann<" not in page(admin, f"{listed}&team=x")


def test_a_participant_is_moved_with_a_reason(admin: Client) -> None:
    competition = team_race({"Owls": {"ann": 5}, "Foxes": {"bob": 3}})
    foxes, juniors = team_called(competition, "Foxes"), in_division(competition, "Juniors", "ann")
    ann = Participant.objects.get(player__external_id="ann")

    asked = said(admin, PARTICIPANTS, "move", ann.pk)
    assert [word in asked for word in ("Foxes", "Juniors", "as it is", "Reason")] == [True] * 4
    assert "Give a reason" in said(admin, PARTICIPANTS, "move", ann.pk, confirmed="1", team=str(foxes.pk))
    assert "Select a valid choice" in said(
        admin, PARTICIPANTS, "move", ann.pk, confirmed="1", reason="Why not.", team="999999"
    )
    assert not Change.objects.filter(kind="moved").exists()

    done = said(admin, PARTICIPANTS, "move", ann.pk, confirmed="1", reason="Wrong list.", team=str(foxes.pk))
    ann.refresh_from_db()

    assert "Done: 1." in done
    assert (ann.team, ann.division_id) == (foxes, juniors)
    assert team_ranks(competition)[0] == ("Foxes", 1, 8)
    *_, about, why = recorded(admin, competition)
    assert ("team: Owls → Foxes" in about, why) == (True, "Wrong list.")


def test_participants_of_two_competitions_are_not_moved_together(admin: Client) -> None:
    one, other = team_race({"Owls": {"ann": 5}}), open_competition()
    joined(other, "bob")

    told = said(admin, PARTICIPANTS, "move", *Participant.objects.values_list("pk", flat=True))

    assert "Choose participants of one competition" in told
    assert one.participants.get().team is not None


@pytest.mark.parametrize(
    ("permission", "sees", "changes"),
    [("view_competition", 200, 403), ("change_competition", 200, 302), ("view_board", 403, 403)],
)
def test_whoever_may_change_competitions_changes_their_teams(permission: str, sees: int, changes: int) -> None:
    competition = open_competition(team_score="sum")
    client = staff(permission)

    assert client.get(TEAMS).status_code == sees
    assert client.post(f"{TEAMS}add/", {"competition": competition.pk, "name": "Owls"}).status_code == changes


def test_once_the_result_is_final_teams_and_divisions_stay_as_they_were_published(admin: Client) -> None:
    competition = team_race({"Owls": {"ann": 5}, "Foxes": {}})
    juniors = in_division(competition, "Juniors", "ann")
    assert finish_due(END + MINUTE) == 1
    owls, foxes = team_called(competition, "Owls"), team_called(competition, "Foxes")
    empty = DivisionFactory.create(competition=competition, name="Masters")
    refusal = "The result is final: its teams and divisions stay as they were published."

    for address, sent in (
        (f"{TEAMS}add/", {"competition": competition.pk, "name": "Cats"}),
        (f"{TEAMS}{owls.pk}/change/", {"name": "The Owls"}),
        (f"{TEAMS}{foxes.pk}/delete/", {"post": "yes"}),
        (TEAMS, {"action": "delete_selected", "_selected_action": str(foxes.pk), "post": "yes"}),
        (change(competition), of_kept(juniors, "Youth", "0")),
        (change(competition), of_kept(empty.pk, "Masters", "0") | {"divisions-0-DELETE": "on"}),
        (change(competition), of_divisions("Seniors")),
    ):
        answer = admin.post(address, sent if "division" not in str(sent) else typed(competition.board, **sent))
        assert (answer.status_code, refusal in answer.content.decode()) == (200, True), (address, sent)
    assert sorted(competition.teams.values_list("name", flat=True)) == ["Foxes", "Owls"]
    assert sorted(competition.divisions.values_list("name", flat=True)) == ["Juniors", "Masters"]

    order = admin.post(change(competition), typed(competition.board, **of_kept(juniors, "Juniors", "7")))
    assert (order.status_code, competition.divisions.get(pk=juniors).position) == (302, 7)
