"""What is read of people's days: attendance on the account page; visitors, players and hits on the admin's page."""

from datetime import datetime
from unittest.mock import patch

import pytest
from django.test import Client

from foundation import clock
from foundation.redis.connection import RedisConnection
from leaderboards.models import Player
from likes.core.activity import day_of
from likes.core.keys import DayKeys
from likes.selectors.activity import PageCounts, Totals, attendance_of, hits, totals
from likes.services.flush import merge_days
from likes.services.player_number import ensure_number
from tests.leaderboards.factories import PlayerFactory, UserFactory
from tests.leaderboards.views.pages import text
from tests.likes.counting import DAY, NOON, client, flush_all, visit, visits
from tests.likes.kept import redis_away
from tests.raw import ONE_SERVER
from tests.staff import staff

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("activity")]

ADMIN = "/admin/likes/activityday/"


@pytest.fixture
def ann() -> Player:
    """A player whose bit is not the first."""
    for name in ("bob", "ann"):
        ensure_number(PlayerFactory.create(external_id=name).pk)
    return Player.objects.get(external_id="ann")


def attend(*days_ago: int, number: int = 1, now: datetime = NOON) -> None:
    for days in days_ago:
        visit("home", f"visitor {number}", number, at=now - days * DAY)


class TestAttendance:
    @ONE_SERVER
    def test_it_is_ten_weeks_in_one_round_trip_and_who_asks_is_there_today(self, ann: Player) -> None:
        attend(1, 2, 10, 11, 12, 13, 69, 70)
        attendance_of(ann, NOON)  # the connection, and the script

        with patch.object(RedisConnection, "exchange", autospec=True, side_effect=RedisConnection.exchange) as trips:
            found = attendance_of(ann, NOON)
        newcomer = attendance_of(PlayerFactory.create(), NOON)

        assert trips.call_count == 1
        assert (found.present, found.current, found.longest) == (8, 3, 4)
        assert found.days[0] == ((NOON - 69 * DAY).date(), True)
        assert (newcomer.present, newcomer.current) == (1, 1)

    def test_what_redis_cannot_say_or_has_lost_is_read_from_sql(self, ann: Player) -> None:
        attend(0, 1, 2, 5)
        attend(1, 4, number=0)
        for days in (0, 1, 2, 4, 5):
            merge_days(NOON - days * DAY)
        live = attendance_of(ann, NOON)

        with redis_away():
            away = attendance_of(ann, NOON)
        client().delete(DayKeys(day_of(NOON - DAY)).attendance)

        assert attendance_of(ann, NOON) == away == live
        assert (live.present, live.current) == (4, 3)

    def test_the_account_page_says_it_and_draws_it(self, client: Client) -> None:
        user = UserFactory.create(player="ann")
        assert ensure_number(Player.objects.get(user=user).pk) == 0
        attend(1, 2, 9, number=0, now=clock.now())
        client.force_login(user)

        page = client.get("/account/").content.decode()

        assert "Here on 4 of the last 70 days. Days in a row up to now: 3." in page
        assert (page.count("attendance-day"), page.count("is-present")) == (70, 4)


def test_a_visitor_of_many_days_counts_once_and_days_cannot_be_joined_without_redis() -> None:
    for days in (0, 3, 6, 7, 18, 19, 49):  # NOON is the 19th
        attend(days, number=1)
        visit("home", f"guest of {days}", at=NOON - days * DAY)

    with redis_away():
        away = totals(NOON)

    assert (totals(NOON), away) == (Totals(week=4, month=6, last_month=3), Totals(None, None, None))


def test_hits_are_of_today_and_of_seven_days() -> None:
    for page, days in (("home", 0), ("home", 6), ("board:1", 3), ("home", 7)):
        visits(2, page, NOON - days * DAY)
    flush_all(NOON)

    assert hits(NOON) == [PageCounts("home", 2, 4), PageCounts("board:1", 0, 2)]


def test_the_admin_shows_staff_with_the_permission_visitors_players_and_pages(admin_client: Client) -> None:
    now = clock.now()
    assert "at most 0 visitors a day" in text(admin_client.get(ADMIN))
    visits(7, "board:3", now)
    visits(9, "home", now - DAY)
    flush_all(now)
    merge_days(now)

    live = text(admin_client.get(ADMIN))
    with redis_away():
        kept = text(admin_client.get(ADMIN))

    assert staff().get(ADMIN).status_code == 403
    assert f'href="{ADMIN}"' in admin_client.get("/admin/").content.decode()
    assert "Visitors today 7 Players attending today 7 Visitors of the last 7 days 9" in live
    for page in (live, kept):
        assert f"{day_of(now - DAY)} 9 9" in page
        assert "home 0 9 board:3 7 7" in page
        assert ("Redis does not answer" in page) == (page is kept)
