"""One name for where a competition stands, wherever it is written; and where the list puts it."""

from typing import Any

import pytest
from django.test import Client

from competitions.models import Competition
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import freeze_due
from competitions.services.participants.disqualify import disqualify
from leaderboards.views.http import micro_cache
from tests.competitions.factories import END, HOUR, MINUTE, SeriesFactory
from tests.competitions.grouping import in_division
from tests.competitions.published import revisions
from tests.competitions.site import make_board, open_competition, player, raced
from tests.competitions.views.conftest import SetClock, home
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

REVISED = "final · revision 2"


@pytest.fixture
def boss(db: None) -> Client:
    return signed_in(Client(), "boss", is_staff=True, is_superuser=True)


def revised(**settings: Any) -> Competition:
    """A final result whose second revision has come, since ann was disqualified."""
    competition = open_competition(name="Spring cup", **settings)
    raced(competition, {"ann": 9, "bob": 5})
    finish_due(END + MINUTE)
    disqualify(competition, player("ann"), "cheated", END + HOUR, None)
    assert [each.number for each in revisions(competition)] == [1, 2]
    return competition


def test_a_revised_result_is_called_so_everywhere(client: Client, boss: Client, set_clock: SetClock) -> None:
    competition = revised(team_score="sum")
    division = in_division(competition, "Masters", "bob")
    series = SeriesFactory.create(competitions=[competition])
    set_clock(END + 2 * HOUR)
    admin = "/admin/competitions/competition/"
    public = (home(competition), home(competition, "teams/"), home(competition, f"divisions/{division}/"))

    for address in (*public, "/competitions/", "/players/bob/", f"/series/{series.pk}/"):
        assert REVISED in text(client.get(address)), address
    for address in (admin, f"{admin}{competition.pk}/change/"):
        assert REVISED in text(boss.get(address)), address


def test_a_frozen_one_tells_nobody_of_its_revisions_but_those_who_run_it(
    client: Client, boss: Client, set_clock: SetClock
) -> None:
    competition = open_competition(name="Spring cup", freeze_minutes=60, team_score="sum")
    raced(competition, {"ann": 9, "bob": 5})
    freeze_due(END - HOUR)
    finish_due(END + MINUTE)
    disqualify(competition, player("ann"), "cheated", END + HOUR, None)
    set_clock(END + 2 * HOUR)

    for address in (home(competition), home(competition, "teams/"), "/competitions/", "/players/bob/"):
        assert "revision" not in text(client.get(address)), address
    assert REVISED in text(boss.get(f"/admin/competitions/competition/{competition.pk}/change/"))


def test_what_has_ended_is_past_while_its_result_is_awaited_or_hidden(client: Client, set_clock: SetClock) -> None:
    board = make_board()
    open_competition(board, name="Awaited")
    open_competition(board, name="Hidden", freeze_minutes=60)
    open_competition(board, name="Longer", ends_at=END + HOUR)
    set_clock(END - MINUTE)
    runs = text(client.get("/competitions/"))
    set_clock(END)

    ends, home_page = text(client.get("/competitions/")), text(client.get("/"))

    assert "Past" not in runs
    running, past = ends.split(" Past ")
    assert ("Longer" in running, "Awaited" in running, "Hidden" in running) == (True, False, False)
    assert ("Awaited being closed" in past, "Hidden frozen" in past) == (True, True)
    assert "Longer" in home_page
    assert "Hidden" not in home_page


def test_a_list_that_is_open_moves_a_frozen_one_at_its_end(client: Client, set_clock: SetClock) -> None:
    open_competition(name="Hidden", freeze_minutes=60)
    set_clock(END - MINUTE)
    etag = {"If-None-Match": client.get("/competitions/?fragment=1")["ETag"]}
    set_clock(END)

    ended = client.get("/competitions/?fragment=1", headers=etag)

    assert (ended.status_code, "Past Hidden frozen" in text(ended)) == (200, True)


def test_the_course_says_what_comes_next_only_where_something_does(boss: Client, set_clock: SetClock) -> None:
    competition = open_competition()
    page = f"/admin/competitions/competition/{competition.pk}/change/"
    set_clock(END - HOUR)

    runs = text(boss.get(page))
    finish_due(END + MINUTE)
    set_clock(END + HOUR)

    assert "Next: ends" in runs
    assert "Next:" not in text(boss.get(page))


def test_what_has_not_started_is_not_called_live(client: Client, set_clock: SetClock) -> None:
    competition = open_competition(name="Spring cup")
    set_clock(competition.starts_at - HOUR)
    before = client.get(home(competition)).content.decode()
    set_clock(competition.starts_at + MINUTE)
    micro_cache.forget()

    assert 'class="liveness-live"' not in before
    assert 'class="liveness-live"' in client.get(home(competition)).content.decode()
