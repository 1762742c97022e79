"""The pages of series: totals with the points of each competition, and nothing that the visitor may not know of."""

from importlib import import_module

import pytest
from django.test import Client

from competitions.models import Series, SeriesEvent
from competitions.services.series.count_results import count_due_series
from leaderboards.models import Board
from tests.competitions.factories import SeriesFactory
from tests.competitions.services.series.test_count_results import OVER, final
from tests.competitions.site import draft, joined, make_board, open_competition
from tests.leaderboards.views.pages import text
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def page(client: Client, series: Series, query: str = "") -> str:
    response = client.get(f"/series/{series.pk}/{query}")
    assert response.status_code == 200
    return text(response)


def counted(**settings: object) -> Series:
    series = SeriesFactory.create(
        name="Summer",
        competitions=[
            final({"ann": 9, "bob": 7, "cleo": 5}, name="Opening"),
            final({"bob": 9, "ann": 7}, name="Rain cup"),
            open_competition(name="Last one"),
        ],
        **settings,
    )
    count_due_series(OVER)
    return series


def test_the_page_has_totals_points_of_each_competition_and_says_in_words_what_is_dropped(client: Client) -> None:
    series = counted(best=1, taking_part=2, description="Three cups.")

    seen = page(client, series)

    assert "Rank Player Total 1 Opening 2 Rain cup 3 Last one" in seen
    assert "= 1 ann 12 12 place 1 (8) dropped place 2 – no result" in seen
    assert "3 cleo 5 5 place 3 – no result – no result" in seen
    assert "Points by place, from the first on: 10, 6, 3." in seen
    assert "Everybody who is ranked has 2 points more." in seen
    assert "Results that count: each player’s best 1. What is dropped stands in brackets." in seen
    assert "Three cups." in seen
    assert seen.count("counted") == 2


def test_the_page_of_a_public_series_leads_to_the_file_and_that_of_a_private_one_does_not(
    client: Client, ann: Client
) -> None:
    series = counted()
    link = f'href="/api/v1/series/{series.pk}/standings.csv"'
    assert link in client.get(f"/series/{series.pk}/").content.decode()

    Board.objects.filter(pk=series.board_id).update(visibility="private")

    assert link not in ann.get(f"/series/{series.pk}/").content.decode()


def test_places_are_told_in_korean(client: Client) -> None:
    seen = text(client.get(f"/series/{counted().pk}/", headers={"accept-language": "ko"}))

    assert "ann 16 10 1위 6 2위" in seen
    assert "전체 순위와 점수 파일(CSV)" in seen


def test_the_own_row_is_marked_and_told_and_is_there_also_on_another_page(client: Client, ann: Client) -> None:
    series = counted()

    html = ann.get(f"/series/{series.pk}/").content.decode()
    far = page(client, series, "?page=2&player=cleo")

    assert html.count('class="is-me"') == 1
    assert "You are number 1 of 3 with 16 points." in page(ann, series)
    assert "cleo is number 3 of 3 with 3 points." in far
    assert "Nobody stands on this page any more." in far
    assert client.get(f"/series/{series.pk}/?page=0").status_code == 404


def test_a_viewer_who_shares_their_rank_in_the_series_is_told_so(client: Client, ann: Client) -> None:
    series = SeriesFactory.create(competitions=[final({"ann": 9, "bob": 7}), final({"bob": 9, "ann": 7})])
    count_due_series(OVER)

    told = page(ann, series).partition("You are number 1 of 2")[2].partition("Standings")[0]
    assert "2 share this rank" in told
    assert "share this rank" not in page(client, counted(), "?player=cleo")


def test_a_player_beyond_the_page_stands_below_it(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("competitions.views.series"), "ROWS", 1)
    series = counted()

    html = client.get(f"/series/{series.pk}/?player=cleo").content.decode()

    assert html.count("<tr") == 3
    assert html.index('class="is-me"') > html.index("<tbody>")


def test_before_anything_is_counted_the_page_says_when_something_will_be(client: Client) -> None:
    series = SeriesFactory.create(competitions=[open_competition(name="Opening")])

    seen = page(client, series)

    assert "Nobody has points yet." in seen
    assert "Opening" in seen
    assert "Results that count" not in seen


def test_it_says_while_totals_are_behind(client: Client) -> None:
    series = counted()
    assert "is being counted" not in page(client, series)
    series.totals.update(due=True)

    assert "is being counted" in page(client, series)


def test_the_lists_and_a_competition_s_page_lead_to_the_series(client: Client) -> None:
    assert "Series" not in text(client.get("/competitions/"))
    assert "There is no series yet." in text(client.get("/series/"))
    series = counted()
    competition = SeriesEvent.objects.filter(series=series).first().competition  # type: ignore[union-attr]  # the series has an event

    links = [client.get(address).content.decode() for address in ("/series/", f"/competitions/{competition.pk}/")]

    assert [f'href="/series/{series.pk}/"' in html for html in links] == [True, True]
    assert "3 competitions" in text(client.get("/series/"))
    assert '<a class="more-link" href="/series/">' in client.get("/competitions/").content.decode()  # as links look


def test_a_private_series_is_for_those_in_it_and_those_who_may_see_series(client: Client, ann: Client) -> None:
    secret = open_competition(make_board(name="Friends", visibility="private"), name="Secret cup")
    joined(secret, "ann")
    series = SeriesFactory.create(name="Secret series", visibility="private", competitions=[secret])

    visitors = (client, staff(), ann, staff("view_series"))

    assert [each.get(f"/series/{series.pk}/").status_code for each in visitors] == [404, 404, 200, 200]
    assert ["Secret" in text(each.get("/series/")) for each in visitors] == [False, False, True, True]
    assert ["Secret cup" in text(each.get(f"/series/{series.pk}/")) for each in visitors] == [False, False, True, False]


def test_drafts_and_competitions_that_became_private_are_not_shown(client: Client) -> None:
    public, later = final({"ann": 9}, name="Opening"), draft(name="Draft cup")
    series = SeriesFactory.create(competitions=[public, later])
    count_due_series(OVER)
    assert "Draft cup" not in page(client, series)

    Board.objects.filter(pk=public.board_id).update(visibility="private")

    assert "Opening" not in page(client, series)
    assert "None of its competitions is known yet." in page(client, series)


def test_an_unknown_series_is_404(client: Client) -> None:
    assert [client.get(f"/series/{number}/").status_code for number in (0, 1, 10**30)] == [404, 404, 404]
