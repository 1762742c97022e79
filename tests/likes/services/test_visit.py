"""Visits: who counts as one visitor, whose attendance it is, and what happens while a server is away."""

from datetime import timedelta

import pytest

from foundation import redis
from foundation.sql import SqlAway
from likes.core.keys import DayKeys
from likes.models import PlayerNumber
from likes.services import visit
from likes.services.visit import guest, note_guest, note_user
from likes.stores.activity import ActivityStore
from tests.likes.counting import DAY, NOON, client, store
from tests.playing import account

__all__ = ["store"]
pytestmark = pytest.mark.django_db(transaction=True)

TODAY = NOON.date()
KEYS = DayKeys(TODAY)


def test_a_guest_is_one_visitor_however_often_he_comes(store: ActivityStore) -> None:
    for address, browser in (("192.0.2.1", "A"), ("192.0.2.1", "A"), ("192.0.2.1", "B"), ("192.0.2.2", "A")):
        note_guest("home", address, browser, NOON)

    assert store.visitors([TODAY]) == 3
    assert client().hgetall(KEYS.hits) == {b"home": b"4"}


def test_a_guest_is_the_same_within_a_month_and_another_in_the_next() -> None:
    first, later, next_month = (guest("192.0.2.1", "A", NOON + days * DAY) for days in (0, 12, 13))

    assert first == later != next_month
    assert "192.0.2.1" not in first


def test_a_user_is_one_visitor_from_wherever_he_comes(store: ActivityStore) -> None:
    user = account("ann")

    note_user("home", user.pk, NOON)
    note_user("board:1", user.pk, NOON + DAY)

    assert store.visitors([TODAY, (NOON + DAY).date()]) == 1
    assert not client().exists(KEYS.attendance)


def test_a_player_attends_by_a_number_that_is_not_his_id(store: ActivityStore) -> None:
    for name in ("ann", "bob"):
        note_user("home", account(name, name).pk, NOON)

    assert list(PlayerNumber.objects.order_by("pk").values_list("number", "player__external_id")) == [
        *((0, "ann"), (1, "bob"))
    ]
    assert client().get(KEYS.attendance) == bytes([0b1100_0000])
    assert store.attended(1, [TODAY, (NOON + DAY).date()]) == [True, None]


def test_while_redis_is_away_a_visit_costs_nothing_and_counts_nothing(
    store: ActivityStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise redis.RedisAway("Redis is away.")

    with monkeypatch.context() as patched:
        patched.setattr(redis.Link, "run", away)
        note_guest("home", "192.0.2.1", "A", NOON)

    assert not client().exists(KEYS.hits)


def test_while_sql_is_away_a_user_is_counted_and_his_player_is_not(
    store: ActivityStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: object) -> None:
        raise SqlAway("SQL is away.")

    monkeypatch.setattr(visit.numbers, "_load", away)

    note_user("home", 7, NOON)

    assert store.visitors([TODAY]) == 1


def test_keys_of_a_day_go_by_themselves(store: ActivityStore) -> None:
    note_user("home", account("ann", "ann").pk, NOON)

    kept = [timedelta(seconds=client().ttl(key)) for key in (KEYS.hits, KEYS.visitors, KEYS.attendance)]

    assert all(71 * DAY < each <= 72 * DAY for each in kept)
