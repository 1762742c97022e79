"""Visits: who counts as one visitor, whose attendance it is, by which number; and servers that are away."""

from datetime import timedelta
from functools import partial

import pytest

from foundation import clock
from foundation.sql import SqlAway
from leaderboards.services.erase import erase_player
from likes.core.keys import DayKeys
from likes.models import PlayerNumber
from likes.services import number as numbering
from likes.services import visit
from likes.services.number import number_of
from likes.services.visit import guest, note_guest, note_user
from likes.stores.activity import ActivityStore
from tests.at_once import at_once
from tests.leaderboards.factories import PlayerFactory, UserFactory
from tests.likes.counting import DAY, NOON, client
from tests.likes.kept import redis_away

pytestmark = pytest.mark.django_db(transaction=True)

TODAY, TOMORROW = NOON.date(), (NOON + DAY).date()
KEYS = DayKeys(TODAY)


def test_a_guest_is_one_visitor_however_often_they_come(activity: ActivityStore) -> None:
    for address, browser in (("192.0.2.1", "A"), ("192.0.2.1", "A"), ("192.0.2.1", "B"), ("192.0.2.2", "A")):
        note_guest("home", address, browser, NOON)

    assert activity.visitors([TODAY]) == 3
    assert client().hgetall(KEYS.hits) == {b"home": b"4"}


def test_a_guest_is_the_same_within_a_month_and_another_in_the_next() -> None:
    first, later, next_month = (guest("192.0.2.1", "A", NOON + days * DAY) for days in (0, 12, 13))

    assert first == later != next_month
    assert "192.0.2.1" not in first


def test_a_user_is_one_visitor_from_wherever_they_come(activity: ActivityStore) -> None:
    user = UserFactory.create()

    note_user("home", user.pk, NOON)
    note_user("board:1", user.pk, NOON + DAY)

    assert activity.visitors([TODAY, TOMORROW]) == 1
    assert not client().exists(KEYS.attendance)


def test_a_player_attends_by_a_number_that_is_not_their_id_and_is_forgotten_in_time(activity: ActivityStore) -> None:
    for name in ("ann", "bob"):
        note_user("home", UserFactory.create(player=name).pk, NOON)

    numbers = PlayerNumber.objects.order_by("pk").values_list("number", "player__external_id")
    assert list(numbers) == [(0, "ann"), (1, "bob")]
    assert client().get(KEYS.attendance) == bytes([0b1100_0000])
    assert activity.attended(1, [TODAY, TOMORROW]) == [True, None]
    kept = [timedelta(seconds=client().ttl(key)) for key in (KEYS.hits, KEYS.visitors, KEYS.attendance)]
    assert all(71 * DAY < each <= 72 * DAY for each in kept)


def test_while_redis_is_away_a_visit_costs_nothing_and_counts_nothing(activity: ActivityStore) -> None:
    with redis_away():
        note_guest("home", "192.0.2.1", "A", NOON)

    assert not client().exists(KEYS.hits)


def test_while_sql_is_away_a_user_is_counted_and_their_player_is_not(
    activity: ActivityStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: object) -> None:
        raise SqlAway("SQL is away.")

    monkeypatch.setattr(visit.numbers, "_load", away)

    note_user("home", 7, NOON)

    assert activity.visitors([TODAY]) == 1


def number(name: str) -> int | None:
    return number_of(PlayerFactory.create(external_id=name).pk)


def test_a_number_is_given_once_until_all_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbering, "MOST_PLAYERS", 2)

    assert [number(name) for name in ("bob", "ann", "bob", "cy")] == [0, 1, 0, None]


def test_twenty_at_once_get_numbers_without_gaps() -> None:
    players = PlayerFactory.create_batch(10)

    given = at_once([partial(number_of, each.pk) for each in players * 2])

    assert given[:10] == given[10:]
    assert set(given) == set(range(10))


@pytest.mark.usefixtures("activity")
def test_an_erased_player_leaves_their_number_to_nobody() -> None:
    number("ann")

    erase_player("ann", clock.now())
    following = number("bob")

    assert following == 1
    assert PlayerNumber.objects.get(number=0).player is None
