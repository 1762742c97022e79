"""The activity page: for staff who may see it, linked from the index, with the error of its estimates stated."""

import pytest
from django.test import Client

from foundation import clock, redis
from likes.admin import CHART_HEIGHT, bars
from likes.core.activity import day_of
from likes.selectors.activity import DayCounts
from likes.services.flush import keep_days
from likes.stores.activity import ActivityStore
from tests.leaderboards.views.pages import text
from tests.likes.counting import DAY, MINUTE, flush_all, store, visits

__all__ = ["store"]
pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "/admin/likes/activityday/"


def test_the_index_leads_to_it(admin_client: Client) -> None:
    assert f'href="{ADDRESS}"' in admin_client.get("/admin/").content.decode()


def test_it_shows_visitors_players_and_pages(store: ActivityStore, admin_client: Client) -> None:
    now = clock.now()
    visits(store, 7, "board:3", now)
    visits(store, 9, "home", now - DAY)
    flush_all(now)
    keep_days(now)

    page = text(admin_client.get(ADDRESS))

    assert "Visitors today 7 Players attending today 7 Visitors of the last 7 days 9" in page
    assert "standard error is 0.81 %" in page
    assert f"{day_of(now - DAY)} 9 9" in page
    assert "home 0 9 board:3 7 7" in page


def test_while_redis_is_away_it_shows_what_sql_has(
    store: ActivityStore, admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    visits(store, 7, "home", clock.now())
    keep_days(clock.now() + MINUTE)

    def away(*_: object) -> None:
        raise redis.RedisAway("Redis is away.")

    monkeypatch.setattr(redis.Link, "_exchange", away)

    page = text(admin_client.get(ADDRESS))

    assert "Visitors today 7" in page
    assert "Redis is away" in page


def test_it_has_nothing_inline(admin_client: Client) -> None:
    page = admin_client.get(ADDRESS).content.decode()

    assert " style=" not in page
    assert "<style" not in page


def test_staff_without_the_permission_do_not_see_it(client: Client, django_user_model: type) -> None:
    client.force_login(django_user_model.objects.create_user("helper", is_staff=True))  # type: ignore[attr-defined]  # a manager of users, whichever model that is

    assert client.get(ADDRESS).status_code == 403


def test_the_highest_bar_fills_the_drawing_and_none_vanishes() -> None:
    today = day_of(clock.now())

    drawn = bars([DayCounts(today, 0, 0), DayCounts(today, 1, 1), DayCounts(today, 10_000, 5_000)])

    assert [bar.height for bar in drawn] == [0, 1, CHART_HEIGHT]
    assert drawn[2].players_height == CHART_HEIGHT // 2


def test_without_anybody_there_is_nothing_to_draw(admin_client: Client) -> None:
    assert "at most 0 visitors a day" in text(admin_client.get(ADDRESS))
