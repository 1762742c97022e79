"""Each page of the site leads those who may to its page in the admin, and nobody else."""

import pytest
from django.test import Client

from competitions.models import Competition
from leaderboards.models import Player
from tests.competitions.factories import CompetitionFactory, DivisionFactory, SeriesFactory, TeamFactory
from tests.competitions.site import make_board, raced
from tests.competitions.talking import say
from tests.leaderboards.views.pages import signed_in
from tests.playing import make_board as make_calendar_board
from tests.playing import score

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def test_every_page_leads_to_its_page_in_the_admin(client: Client) -> None:
    board, weekly = make_board(), make_calendar_board(name="Weekly")
    cup: Competition = CompetitionFactory.create(board=board, team_score="best")
    team, division = TeamFactory.create(competition=cup), DivisionFactory.create(competition=cup)
    raced(cup, {"ann": 9, "bob": 5})
    comment, series = say(cup, "bob", "Hello."), SeriesFactory.create(competitions=[cup])
    own = f"/admin/competitions/competition/{cup.pk}/change/"
    of_comment = f"/admin/competitions/comment/{comment.pk}/change/"
    home, said = f"/competitions/{cup.pk}/", f"/competitions/{cup.pk}/comments/{comment.pk}/"
    chief = signed_in(Client(), "chief", "ann", is_staff=True, is_superuser=True)
    bare = signed_in(Client(), "bare", is_staff=True)

    for page, admin in {
        "/": "/admin/leaderboards/board/",
        "/boards/": "/admin/leaderboards/board/",
        f"/boards/{board.seq}/": f"/admin/leaderboards/board/{board.seq}/change/",
        f"/boards/{weekly}/periods/": f"/admin/leaderboards/board/{weekly}/change/",
        "/competitions/": "/admin/competitions/competition/",
        home: own,
        f"{home}teams/": own,
        f"{home}teams/{team.pk}/": f"/admin/competitions/team/{team.pk}/change/",
        f"{home}divisions/{division.pk}/": own,
        f"{home}comments/": own,
        f"{home}leave/": own,
        f"{said}hide/": of_comment,
        f"{said}report/": of_comment,
        f"{said}dismiss/": of_comment,
        f"{said}likes/": of_comment,
        "/series/": "/admin/competitions/series/",
        f"/series/{series.pk}/": f"/admin/competitions/series/{series.pk}/change/",
        "/inbox/": "/admin/competitions/notice/",
    }.items():
        link = f'<a class="tab" href="{admin}">'
        answer = chief.get(page)
        assert answer.status_code == 200, page
        assert link in answer.content.decode(), page
        assert chief.get(admin).status_code == 200, admin
        for other in (bare, client):
            assert ">Manage<" not in other.get(page).content.decode(), page


def test_the_menu_of_a_row_leads_staff_to_its_player(client: Client) -> None:
    weekly = make_calendar_board(name="Weekly")
    score(weekly, {"ann": 9})
    chief = signed_in(Client(), "chief", "bob", is_staff=True, is_superuser=True)
    bare = signed_in(Client(), "bare", is_staff=True)
    menu = f"/players/ann/menu/?board={weekly}"

    ways = [each.get(menu).content.decode() for each in (chief, bare, client)]

    number = Player.objects.get(external_id="ann").pk
    assert [f'href="/admin/leaderboards/player/{number}/change/"' in way for way in ways] == [True, False, False]
