"""Pages of teams and divisions: the tables, the viewer's own, choosing and changing a team, and the final podium."""

import re
from typing import Any

import pytest
from django.test import Client

from competitions.selectors.standings.group_standings import clear_group_standings
from competitions.services.lifecycle.finish import finish
from competitions.services.participants.disqualify import disqualify
from foundation import clock
from leaderboards.models import Player
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from tests.competitions.factories import DAY, END, HOUR, START, DivisionFactory, TeamFactory
from tests.competitions.grouping import in_division, members, team_called, team_race
from tests.competitions.site import joined, make_board, open_competition, player, race, reloaded
from tests.competitions.views.conftest import SetClock, home
from tests.leaderboards.services.restricting import EVERY_WAY, keep_out
from tests.leaderboards.views.pages import text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

TEAMS: Any = {"Owls": {"ann": 9, "bob": 2}, "<b>Foxes": {"cleo": 8, "dan": None}, "Bears": {"eve": None}}
COMING: dict[str, Any] = {"starts_at": START + DAY, "ends_at": START + 2 * DAY, "team_score": "sum"}


def test_teams_stand_beside_the_players_and_the_viewers_own_is_marked(ann: Client, client: Client) -> None:
    competition = team_race(TEAMS)
    in_division(competition, "Juniors", "bob")

    page, everybody = ann.get(home(competition)).content.decode(), text(client.get(home(competition)))

    assert "All players Teams Juniors" in everybody
    assert "1 Owls 2 11 points" in everybody
    assert "Your team" not in everybody
    own = page.partition('data-part="teams"')[2].partition("</section>")[0]
    assert own.count('class="is-me"') == 1
    assert "Your team" in own.partition('class="is-me"')[2].partition("</tr>")[0]
    assert "&lt;b&gt;Foxes" in own


def test_a_competition_without_teams_shows_nothing_of_them(client: Client) -> None:
    competition = race({"ann": 5})

    page = client.get(home(competition)).content.decode()

    assert "Teams" not in page
    assert "All players" not in page
    for rest in ("teams/", "teams/1/", "divisions/1/"):
        assert client.get(home(competition, rest)).status_code == 404


def test_the_page_of_teams_moves_by_itself_and_is_not_sent_twice(client: Client) -> None:
    competition = team_race(TEAMS)
    address = home(competition, "teams/?fragment=1")

    first = client.get(address)
    page = text(client.get(home(competition, "teams/")))

    assert "1–3 of 3 teams Rank Team Members Sum 1 Owls 2 11 points 2 <b>Foxes 2 8 points – Bears 1 not started" in page
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
    disqualify(competition, player("ann"), "Two accounts.", clock.now(), None)
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 200
    assert client.get(home(competition, "teams/?page=2")).status_code == 200


def test_a_teams_page_has_its_members_and_says_who_counts(client: Client) -> None:
    competition = team_race(TEAMS, team_counts=1)

    owls = text(client.get(home(competition, f"teams/{team_called(competition, 'Owls').pk}/")))
    bears = text(client.get(home(competition, f"teams/{team_called(competition, 'Bears').pk}/")))

    assert "Owls 1st place 9 points" in owls
    assert "2 members · the best 1 counts Overall Player Result 1 ann 9 points 3 bob does not count 2 points" in owls
    assert "Nobody has scored for this team yet." in bears
    assert "– eve not started" in bears


def test_a_team_whose_members_are_all_disqualified_is_called_so_and_one_that_was_left_has_nobody(
    client: Client,
) -> None:
    competition = team_race({"Owls": {"ann": 9}, "Foxes": {"bob": 7, "cleo": None}, "Bears": {"dan": None}, "Cats": {}})
    for name in ("ann", "bob"):
        disqualify(competition, player(name), "Two accounts.", clock.now(), None)

    listed = text(client.get(home(competition, "teams/")))
    owls, foxes, cats = (
        text(client.get(home(competition, f"teams/{team_called(competition, name).pk}/")))
        for name in ("Owls", "Foxes", "Cats")
    )

    assert "– Bears 1 not started – Cats 0 nobody takes part – Foxes 1 not started – Owls 0 disqualified" in listed
    assert "This team was disqualified" in owls
    assert "Nobody is in this team yet." not in owls
    assert "Nobody has scored for this team yet." in foxes
    assert "Nobody takes part for this team." in cats


def test_places_that_are_shared_overall_are_marked_in_divisions_and_teams(client: Client) -> None:
    shared = make_board(ties="shared")
    competition = team_race({"Owls": {"ann": 9}, "Foxes": {"bob": 9}, "Bears": {"cleo": 5}}, shared)
    juniors = in_division(competition, "Juniors", "bob", "cleo")

    division = text(client.get(home(competition, f"divisions/{juniors}/")))
    owls, bears = (
        text(client.get(home(competition, f"teams/{team_called(competition, name).pk}/"))) for name in ("Owls", "Bears")
    )

    assert "1 bob =1 9" in division
    assert "2 cleo 3 5" in division
    assert "= 1st place" in owls
    assert "= 1 ann 9 points" in owls
    assert "3rd place" in bears
    assert "=" not in bears


def test_the_list_of_teams_is_sent_anew_once_a_team_without_members_is_disqualified(client: Client) -> None:
    competition = team_race({"Owls": {"ann": 9}})
    Player.objects.filter(external_id="ann").update(banned_at=clock.now())
    clear_hidden_cache()
    clear_group_standings()
    address = home(competition, "teams/?fragment=1")
    first = client.get(address)

    disqualify(competition, player("ann"), "Two accounts.", clock.now(), None)

    assert "nobody takes part" in text(first)
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_a_division_has_places_of_its_own_beside_those_overall(client: Client) -> None:
    competition = team_race(TEAMS)
    juniors, empty = in_division(competition, "Juniors", "bob", "cleo"), in_division(competition, "Seniors")

    page = text(client.get(home(competition, f"divisions/{juniors}/")))

    assert "Rank Player Overall Points" in page
    assert "1 cleo 2 8" in page
    assert "2 bob 3 2" in page
    assert "ann" not in page
    assert "Nobody of this division has scored yet." in text(client.get(home(competition, f"divisions/{empty}/")))


def test_who_joins_chooses_a_division_and_a_team_with_a_place(ann: Client, bob: Client) -> None:
    competition = open_competition(**COMING, team_size=1)
    owls = TeamFactory.create(competition=competition, name="Owls")
    juniors = DivisionFactory.create(competition=competition, name="Juniors")

    page = text(ann.get(home(competition)))
    assert "Juniors" in page
    assert "Owls (0/1)" in page
    assert "Or found a team" not in page
    done = text(ann.post(home(competition), {"team": owls.pk, "division": juniors.pk}, follow=True))

    assert "You take part. Your team: Owls Change teams" in done
    assert competition.participants.get().division == juniors
    assert "Owls (" not in text(bob.get(home(competition)))
    assert "All places of this team are taken." in text(bob.post(home(competition), {"team": owls.pk}))
    assert "There is no such team any more." in text(bob.post(home(competition), {"team": "x"}))
    assert members(owls) == {"ann"}


def test_until_the_start_a_participant_founds_a_team_changes_and_leaves_it(ann: Client, set_clock: SetClock) -> None:
    competition = open_competition(**COMING, team_founding=True, team_size=1)
    foxes = TeamFactory.create(competition=competition, name="Foxes")
    joined(competition, "ann")
    address = home(competition, "team/")

    assert "You are in no team." in text(ann.get(address))
    ann.post(address, {"found": "Owls", "team": foxes.pk})
    page = text(ann.get(address))
    assert "You are in Owls" in page
    assert "Owls (1/1)" in page  # full, and still the one that is chosen
    assert "A team has this name already" in text(ann.post(address, {"found": "foxes"}))
    ann.post(address, {"team": foxes.pk})
    assert members(foxes) == {"ann"}
    assert competition.teams.count() == 1
    ann.post(address, {"team": ""})
    assert members(foxes) == set()

    set_clock(START + DAY + HOUR)
    page = text(ann.get(address))
    assert "The competition has started: teams do not change any more." in page
    assert "Save" not in page
    assert "teams do not change any more" in text(ann.post(address, {"team": foxes.pk}))
    assert members(foxes) == set()


def test_a_founder_sees_the_code_of_their_team_and_renews_it_and_who_has_it_gets_in(
    ann: Client, bob: Client, set_clock: SetClock
) -> None:
    competition = open_competition(**COMING, team_founding=True, team_entry="code")
    joined(competition, "ann")
    address = home(competition, "team/")
    ann.post(address, {"found": "Owls"})
    owls = team_called(competition, "Owls")
    wish = {"team": owls.pk, "team_code": owls.code}

    assert f"Your team's code {owls.code}" in text(ann.get(address))
    assert ann.post(address, {"renew": "1"}).headers["Location"] == address
    assert "This code does not open the team: ask its founder" in text(bob.post(home(competition), wish))
    owls.refresh_from_db()
    assert "Your team: Owls" in text(bob.post(home(competition), wish | {"team_code": owls.code}, follow=True))
    assert "Your team's code" not in text(bob.get(address))
    assert "Only who founded a team" in text(bob.post(address, {"renew": "1"}))

    set_clock(START + DAY + HOUR)
    assert "Your team's code" in text(ann.get(home(competition)))
    assert owls.code in text(ann.get(address))
    assert "Your team's code" not in text(bob.get(home(competition)))
    set_clock(START + 3 * DAY)
    assert owls.code not in text(ann.get(address))


@pytest.mark.parametrize("how", EVERY_WAY)
def test_who_is_hidden_or_shadowed_has_a_team_as_before_and_who_is_banned_has_none(how: str, ann: Client) -> None:
    competition = open_competition(**COMING, team_founding=True, team_entry="code")
    foxes = TeamFactory.create(competition=competition, name="Foxes")
    joined(competition, "ann")
    address = home(competition, "team/")
    ann.post(address, {"found": "Owls"})
    keep_out(how, competition.board, "ann")

    page = ann.get(address)
    ann.post(address, {"team": foxes.pk})

    if how.startswith("banned"):
        assert (page.status_code, members(foxes)) == (404, set())
    else:
        assert "You are in Owls" in text(page)
        assert "Your team's code" in text(page)
        assert members(foxes) == {"ann"}


def test_a_wrong_code_without_a_team_of_the_list_joins_nobody_and_no_code_is_asked_for_while_none_opens_anything(
    ann: Client, bob: Client
) -> None:
    competition = open_competition(**COMING, team_founding=True, team_entry="code")
    assert 'name="team_code"' not in bob.get(home(competition)).content.decode()
    ann.post(home(competition), {"found": "Owls"})
    assert 'name="team_code"' in bob.get(home(competition)).content.decode()
    assert 'name="team_code"' not in ann.get(home(competition, "team/")).content.decode()

    said = text(bob.post(home(competition), {"team": "", "team_code": "WRONG"}))

    assert "This code opens no team: ask the founder of yours" in said
    assert not competition.participants.filter(player__external_id="bob").exists()
    code = competition.teams.get().code
    assert "Your team: Owls" in text(bob.post(home(competition), {"team": "", "team_code": code}, follow=True))


def test_no_code_is_asked_for_where_entry_is_open(ann: Client, bob: Client) -> None:
    competition = open_competition(**COMING, team_founding=True)
    joined(competition, "ann")
    ann.post(home(competition, "team/"), {"found": "Owls"})

    for page in (text(ann.get(home(competition, "team/"))), text(bob.get(home(competition)))):
        assert "code" not in page


def test_only_participants_of_a_team_competition_have_a_team(client: Client, ann: Client) -> None:
    competition, plain = open_competition(**COMING), open_competition()
    joined(plain, "ann")

    assert client.get(home(competition, "team/")).status_code == 302
    assert ann.get(home(competition, "team/")).status_code == 404
    assert ann.get(home(plain, "team/")).status_code == 404


def test_the_final_podiums_are_of_teams_and_of_players_each_under_its_name(client: Client, set_clock: SetClock) -> None:
    competition = team_race({"Owls": {"ann": 9}, "Foxes": {"bob": 8, "cleo": 3}, "Bears": {"dan": None}})
    finish(reloaded(competition), END + HOUR)
    set_clock(END + HOUR)

    page = client.get(home(competition)).content.decode()

    podiums = re.findall(r'<h3 class="podium-of">(\w+)</h3>\s*<ol class="podium(.*?)</ol>', page, re.DOTALL)
    names = {title: re.findall(r'<bdi class="podium-name">(\w+)</bdi>', podium) for title, podium in podiums}
    assert names == {"Teams": ["Foxes", "Owls"], "Players": ["ann", "bob", "cleo"]}
    assert "11 points" in dict(podiums)["Teams"]
