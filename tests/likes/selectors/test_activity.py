"""What is read of people's days: attendance in one round trip, visitors of many days together, hits of pages."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.test import Client

from foundation import clock, redis
from leaderboards.models import Player
from leaderboards.services.players import ensure_player
from likes.core.activity import day_of
from likes.core.keys import DayKeys
from likes.selectors.activity import PageCounts, Totals, attendance_of, by_day, hits, totals
from likes.services.flush import keep_days
from likes.services.number import number_of
from likes.stores.activity import ActivityStore, Visit
from tests.likes.counting import DAY, NOON, client, flush_all, store, visits
from tests.playing import account

__all__ = ["store"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ann(store: ActivityStore) -> Player:
    """A player whose bit is not the first."""
    for name in ("bob", "ann"):
        number_of(ensure_player(name, NOON).pk)
    return Player.objects.get(external_id="ann")


def attend(store: ActivityStore, *days_ago: int, number: int = 1, now: datetime = NOON) -> None:
    for days in days_ago:
        store.visit(Visit("home", f"visitor {number}", number), now - days * DAY)


def away(*_: object) -> None:
    raise redis.RedisAway("Redis is away.")


class TestAttendance:
    def test_it_says_how_many_days_and_how_many_in_a_row(self, store: ActivityStore, ann: Player) -> None:
        attend(store, 1, 2, 10, 11, 12, 13, 69, 70)

        found = attendance_of(ann, NOON)

        assert (found.present, found.current, found.longest) == (8, 3, 4)
        assert found.days[0] == ((NOON - 69 * DAY).date(), True)

    def test_it_is_one_round_trip(self, store: ActivityStore, ann: Player, monkeypatch: pytest.MonkeyPatch) -> None:
        attend(store, 1)
        keep_days(NOON)
        attendance_of(ann, NOON)
        sent: list[object] = []
        exchange: Callable[..., list[object]] = redis.Link._exchange

        def note(link: redis.Link, commands: list[list[object]]) -> list[object]:
            sent.extend(command[0] for command in commands)
            return exchange(link, commands)

        monkeypatch.setattr(redis.Link, "_exchange", note)

        attendance_of(ann, NOON)

        assert sent == ["EVALSHA"]

    def test_while_redis_is_away_sql_answers_the_same(
        self, store: ActivityStore, ann: Player, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        attend(store, 0, 1, 5)
        attend(store, 1, 4, number=0)
        for days in (0, 1, 4, 5):
            keep_days(NOON - days * DAY)
        live = attendance_of(ann, NOON)

        monkeypatch.setattr(redis.Link, "run", away)

        assert attendance_of(ann, NOON) == live
        assert live.present == 3

    def test_a_day_that_redis_lost_is_read_from_sql(self, store: ActivityStore, ann: Player) -> None:
        attend(store, 1, 2)
        keep_days(NOON - DAY)
        client().delete(*(DayKeys(day_of(NOON - days * DAY)).attendance for days in (1, 2)))

        assert attendance_of(ann, NOON).current == 3

    def test_who_comes_for_the_first_time_is_there_today(self, store: ActivityStore) -> None:
        found = attendance_of(ensure_player("new", NOON), NOON)

        assert (found.present, found.current) == (1, 1)

    def test_the_account_page_says_it_and_draws_it(self, store: ActivityStore, client: Client) -> None:
        user = account("ann", "ann")
        number = number_of(Player.objects.get(user=user).pk)
        assert number is not None
        attend(store, 1, 2, 9, number=number, now=clock.now())
        client.force_login(user)

        page = client.get("/account/").content.decode()

        assert "4 of the last 70 days, 3 in a row" in page
        assert page.count("attendance-day") == 70
        assert page.count("is-present") == 4


class TestTotals:
    def test_a_visitor_of_many_days_counts_once(self, store: ActivityStore) -> None:
        for days in (0, 3, 6, 7, 18, 19, 49):  # NOON is the 19th
            attend(store, days, number=1)
            store.visit(Visit("home", f"guest of {days}"), NOON - days * DAY)

        assert totals(NOON) == Totals(week=4, month=6, last_month=3)

    def test_days_cannot_be_joined_without_redis(self, store: ActivityStore, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(redis.Link, "call", away)

        assert totals(NOON) == Totals(None, None, None)

    def test_each_day_stands_alone(self, store: ActivityStore) -> None:
        visits(store, 3)
        visits(store, 2, at=NOON - DAY)
        keep_days(NOON)

        rows = by_day(NOON)

        assert len(rows) == 30
        assert [(row.visitors, row.players) for row in rows[-3:]] == [(0, 0), (2, 2), (3, 3)]


def test_hits_are_of_today_and_of_seven_days(store: ActivityStore) -> None:
    for page, days in (("home", 0), ("home", 6), ("board:1", 3), ("home", 7)):
        visits(store, 2, page, NOON - days * DAY)
    flush_all(NOON)

    assert hits(NOON + timedelta(hours=1)) == [PageCounts("home", 2, 4), PageCounts("board:1", 0, 2)]
