"""The activity page: for staff who may see it, linked from the index, with the error of its estimates stated."""

import pytest
from django.test import Client

from foundation import clock
from likes.admin import CHART_HEIGHT, bars
from likes.core.activity import day_of
from likes.selectors.activity import DayCounts
from likes.services.flush import keep_days
from tests.leaderboards.factories import UserFactory
from tests.leaderboards.views.pages import text
from tests.likes.counting import DAY, MINUTE, flush_all, visits
from tests.likes.kept import redis_away

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("activity")]

ADDRESS = "/admin/likes/activityday/"


def test_it_shows_visitors_players_and_pages(admin_client: Client) -> None:
    now = clock.now()
    visits(7, "board:3", now)
    visits(9, "home", now - DAY)
    flush_all(now)
    keep_days(now)

    html = admin_client.get(ADDRESS).content.decode()
    page = text(admin_client.get(ADDRESS))

    assert f'href="{ADDRESS}"' in admin_client.get("/admin/").content.decode()
    assert "Visitors today 7 Players attending today 7 Visitors of the last 7 days 9" in page
    assert "standard error is 0.81 %" in page
    assert f"{day_of(now - DAY)} 9 9" in page
    assert "home 0 9 board:3 7 7" in page
    assert " style=" not in html  # nothing inline
    assert "<style" not in html


def test_while_redis_is_away_it_shows_what_sql_has(admin_client: Client) -> None:
    visits(7, "home", clock.now())
    keep_days(clock.now() + MINUTE)

    with redis_away():
        page = text(admin_client.get(ADDRESS))

    assert "Visitors today 7" in page
    assert "Redis is away" in page


def test_staff_without_the_permission_do_not_see_it(client: Client) -> None:
    client.force_login(UserFactory.create(is_staff=True))

    assert client.get(ADDRESS).status_code == 403


def test_the_highest_bar_fills_the_drawing_and_none_vanishes(admin_client: Client) -> None:
    today = day_of(clock.now())

    drawn = bars([DayCounts(today, 0, 0), DayCounts(today, 1, 1), DayCounts(today, 10_000, 5_000)])

    assert [bar.height for bar in drawn] == [0, 1, CHART_HEIGHT]
    assert drawn[2].players_height == CHART_HEIGHT // 2
    assert "at most 0 visitors a day" in text(admin_client.get(ADDRESS))
