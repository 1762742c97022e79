"""A kind that is kept another way than before has the likes that it had, and shows them."""

from collections.abc import Sequence
from typing import Any

import pytest
import redis as driver
from django.conf import settings

from foundation.redis import Link, RedisAway
from leaderboards.stores.sql_writes import ensure_players
from likes.core.kinds import Storage
from likes.errors import LikesUnavailable
from likes.registry import Likeable
from likes.services.count import count
from likes.stores.choose import store_of
from tests.contracts.likes.kinds import NOW, STORAGES, name_of, registered, settled
from tests.links import links, redis_known

__all__ = ["links", "redis_known"]

pytestmark = pytest.mark.django_db(transaction=True)

PLAYERS = ("ann", "bob", "cy")


def told(kind: Likeable) -> tuple[int, int, list[str]]:
    """The count, how often ann likes it, and who does."""
    store = store_of(kind)
    [shown] = store.read(["7"], "ann")
    return shown.count, shown.own, sorted(row.player for row in store.likers("7", 0, 10).rows)


@pytest.fixture(autouse=True)
def players(redis_known: None) -> None:
    ensure_players(PLAYERS, NOW)


@pytest.mark.parametrize("later", STORAGES, ids=name_of)
@pytest.mark.parametrize("earlier", STORAGES, ids=name_of)
def test_what_was_not_counted_or_mirrored_yet_comes_along(
    earlier: tuple[Storage, int], later: tuple[Storage, int]
) -> None:
    with registered(earlier) as before:
        settled(before)
        for player in PLAYERS:
            store_of(before).like("7", player, NOW)
        store_of(before).unlike("7", "cy", NOW)
        told(before)

    with registered(later) as after:
        count(after, NOW)

        assert told(after) == (2, 1, ["ann", "bob"])


def test_a_view_of_before_shows_nothing_that_has_changed_elsewhere() -> None:
    with registered((Storage.HYBRID, 10)) as before:
        store_of(before).like("7", "ann", NOW)
        told(before)
        count(before, NOW)
    with registered((Storage.SQL, 10)) as meanwhile:
        count(meanwhile, NOW)
        store_of(meanwhile).unlike("7", "ann", NOW)

    with registered((Storage.HYBRID, 10)) as after:
        count(after, NOW)

        assert told(after) == (0, 0, [])


def test_until_its_counts_are_made_none_is_negative_or_without_ones_own() -> None:
    with registered((Storage.HYBRID, 10)) as before:
        for player in ("ann", "bob"):
            store_of(before).like("7", player, NOW)
        store_of(before).like("8", "ann", NOW)
        count(before, NOW)

    with registered((Storage.SQL, 10)) as after:
        taken_back = store_of(after).unlike("7", "bob", NOW)
        own, nobodys = (store_of(after).read(["8"], player)[0] for player in ("ann", None))

    assert [(each.count, each.own) for each in (taken_back, own, nobodys)] == [(0, 0), (1, 1), (0, 0)]


@pytest.mark.parametrize("storage", [Storage.HYBRID, Storage.SQL])
def test_what_only_redis_has_waits_for_it_and_everything_else_does_not(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with registered((Storage.REDIS, 10)) as before:
        store_of(before).like("7", "ann", NOW)
        settled(before)
        store_of(before).like("7", "bob", NOW)

    with registered((storage, 10)) as after:
        with monkeypatch.context() as gone:
            gone.setattr(Link, "_exchange", away)
            count(after, NOW)
            store_of(after).like("7", "cy", NOW)
            count(after, NOW)
            meanwhile = told(after)
        for _ in range(2):  # counted, and views dropped
            count(after, NOW)

        assert (meanwhile, told(after)) == ((2, 1, ["ann", "cy"]), (3, 1, ["ann", "bob", "cy"]))


@pytest.mark.parametrize("storage", [Storage.HYBRID, Storage.SQL, Storage.APPEND])
def test_redis_forgets_who_liked_what_it_decides_over_no_more(storage: Storage) -> None:
    with registered((Storage.REDIS, 10)) as before:
        store_of(before).like("7", "ann", NOW)
    with registered((storage, 10)) as after:
        count(after, NOW)

        with pytest.raises(LikesUnavailable):  # by a process that has not heard of it yet
            store_of(before).like("7", "bob", NOW)
        with driver.Redis.from_url(settings.REDIS_URL) as client:
            left = [key for key in client.scan_iter() if b"ann" in (client.dump(key) or b"")]

        assert (left, told(after)) == ([], (1, 1, ["ann"]))


def away(_link: Link, _commands: Sequence[Sequence[Any]]) -> list[Any]:
    """What is sent to Redis does not get there."""
    raise RedisAway("Redis is away.")
