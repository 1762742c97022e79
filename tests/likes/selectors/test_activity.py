"""What is read of people's days: attendance in one round trip, visitors of many days together, hits of pages."""

from datetime import datetime, timedelta
from unittest.mock import patch

import pytest
from django.test import Client

from foundation import clock, redis
from leaderboards.models import Player
from likes.core.activity import day_of
from likes.core.keys import DayKeys
from likes.selectors.activity import PageCounts, Totals, attendance_of, by_day, hits, totals
from likes.services.flush import keep_days
from likes.services.number import number_of
from tests.leaderboards.factories import PlayerFactory, UserFactory
from tests.likes.counting import DAY, NOON, client, flush_all, visit, visits
from tests.likes.kept import redis_away

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("activity")]


@pytest.fixture
def ann() -> Player:
    """A player whose bit is not the first."""
    for name in ("bob", "ann"):
        number_of(PlayerFactory.create(external_id=name).pk)
    return Player.objects.get(external_id="ann")


def attend(*days_ago: int, number: int = 1, now: datetime = NOON) -> None:
    for days in days_ago:
        visit("home", f"visitor {number}", number, at=now - days * DAY)


class TestAttendance:
    def test_it_says_how_many_days_and_how_many_in_a_row(self, ann: Player) -> None:
        attend(1, 2, 10, 11, 12, 13, 69, 70)

        found = attendance_of(ann, NOON)

        assert (found.present, found.current, found.longest) == (8, 3, 4)
        assert found.days[0] == ((NOON - 69 * DAY).date(), True)

    def test_it_is_one_round_trip(self, ann: Player) -> None:
        attend(1)
        keep_days(NOON)
        attendance_of(ann, NOON)

        with patch.object(redis.Link, "_exchange", autospec=True, side_effect=redis.Link._exchange) as exchange:
            attendance_of(ann, NOON)

        assert [command[0] for call in exchange.call_args_list for command in call.args[1]] == ["EVALSHA"]

    def test_while_redis_is_away_sql_answers_the_same(self, ann: Player) -> None:
        attend(0, 1, 5)
        attend(1, 4, number=0)
        for days in (0, 1, 4, 5):
            keep_days(NOON - days * DAY)
        live = attendance_of(ann, NOON)

        with redis_away():
            kept = attendance_of(ann, NOON)

        assert kept == live
        assert live.present == 3

    def test_a_day_that_redis_lost_is_read_from_sql(self, ann: Player) -> None:
        attend(1, 2)
        keep_days(NOON - DAY)
        client().delete(*(DayKeys(day_of(NOON - days * DAY)).attendance for days in (1, 2)))

        assert attendance_of(ann, NOON).current == 3

    def test_who_comes_for_the_first_time_is_there_today(self) -> None:
        found = attendance_of(PlayerFactory.create(), NOON)

        assert (found.present, found.current) == (1, 1)

    def test_the_account_page_says_it_and_draws_it(self, client: Client) -> None:
        user = UserFactory.create(player="ann")
        assert number_of(Player.objects.get(user=user).pk) == 0
        attend(1, 2, 9, number=0, now=clock.now())
        client.force_login(user)

        page = client.get("/account/").content.decode()

        assert "4 of the last 70 days, 3 in a row" in page
        assert page.count("attendance-day") == 70
        assert page.count("is-present") == 4


class TestTotals:
    def test_a_visitor_of_many_days_counts_once(self) -> None:
        for days in (0, 3, 6, 7, 18, 19, 49):  # NOON is the 19th
            attend(days, number=1)
            visit("home", f"guest of {days}", at=NOON - days * DAY)

        assert totals(NOON) == Totals(week=4, month=6, last_month=3)

    def test_days_cannot_be_joined_without_redis(self) -> None:
        with redis_away():
            assert totals(NOON) == Totals(None, None, None)

    def test_each_day_stands_alone(self) -> None:
        visits(3)
        visits(2, at=NOON - DAY)
        keep_days(NOON)

        rows = by_day(NOON)

        assert len(rows) == 30
        assert [(row.visitors, row.players) for row in rows[-3:]] == [(0, 0), (2, 2), (3, 3)]


def test_hits_are_of_today_and_of_seven_days() -> None:
    for page, days in (("home", 0), ("home", 6), ("board:1", 3), ("home", 7)):
        visits(2, page, NOON - days * DAY)
    flush_all(NOON)

    assert hits(NOON + timedelta(hours=1)) == [PageCounts("home", 2, 4), PageCounts("board:1", 0, 2)]
