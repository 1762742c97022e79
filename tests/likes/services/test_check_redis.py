"""Checking what Redis decided: damage on purpose is found and put right, and what is right is left alone."""

import random
import threading
from collections.abc import Iterator
from math import inf

import pytest
from django.db.models import F

from foundation import redis
from likes.core.checked import Difference
from likes.core.keys import ThingKeys
from likes.models import Like, LikeCount
from likes.registry import Likeable
from likes.services.check import check
from likes.services.mirror import mirror, mirror_all
from likes.stores.redis import RedisStore
from tests.at_once import at_once
from tests.likes.applause import KIND, NOW, applause, in_redis, in_sql

pytestmark = pytest.mark.django_db(transaction=True)

THINGS = [str(nth) for nth in range(1_000)]
PLAYERS = ["ann", "bob", "가"]


@pytest.fixture(params=[False, True], ids=["like", "applause"])
def kind(request: pytest.FixtureRequest, links: None) -> Iterator[Likeable]:
    with applause(request.param) as likeable:
        yield likeable


def like_all(kind: Likeable, things: list[str]) -> None:
    store = RedisStore(kind)
    for nth, thing in enumerate(things):
        for player in PLAYERS[: 1 + nth % 3]:
            store.like(thing, player, NOW)
    mirror(kind)


def found(kind: Likeable, repair: bool) -> list[Difference]:
    return check(kind, NOW, inf, repair).differences


class TestDamage:
    def test_of_a_thousand_things_all_that_is_damaged_is_found_and_repaired_once(
        self, kind: Likeable, dice: random.Random
    ) -> None:
        like_all(kind, THINGS)
        in_counts, in_totals, in_rows = (dice.sample(THINGS, 10) for _ in range(3))
        for thing in in_counts:
            redis.settling().call("INCRBY", ThingKeys(KIND, thing).count, dice.choice([-1, 3]))
        LikeCount.objects.filter(thing__in=in_totals).update(count=F("count") + 5)
        Like.objects.filter(thing__in=in_rows, player__external_id="ann").update(amount=7)

        seen = found(kind, repair=False)
        repaired = found(kind, repair=True)

        assert {each.thing for each in seen if each.where == "set"} == {*in_counts}
        assert {each.thing for each in seen if each.where == "like"} == {*in_rows}
        assert {each.thing for each in seen if each.where == "sql"} == {*in_totals} | {*in_rows}
        assert len(repaired) == len(seen) == 10 + 10 + len({*in_totals} | {*in_rows})
        assert all(each.repaired for each in repaired)
        assert found(kind, repair=True) == []
        for thing in (*in_counts, *in_totals, *in_rows):
            assert in_redis(thing, kind.repeatable) == in_sql(thing)

    def test_rows_and_things_that_sql_has_lost_come_back(self, kind: Likeable) -> None:
        like_all(kind, ["1", "2", "3"])
        Like.objects.filter(thing="3", player__external_id="가").delete()
        Like.objects.filter(thing="2").delete()
        LikeCount.objects.filter(thing="2").delete()

        seen = found(kind, repair=True)

        assert {(each.thing, each.where) for each in seen} == {("3", "sql"), ("3", "like"), ("2", "like")}
        assert found(kind, repair=True) == []
        for thing in ("1", "2", "3"):
            assert in_redis(thing, kind.repeatable) == in_sql(thing)

    def test_what_waits_for_the_mirror_is_no_difference(self, kind: Likeable) -> None:
        like_all(kind, ["1", "2", "3"])
        store = RedisStore(kind)
        store.like("1", "zoe", NOW)
        store.unlike("3", "ann", NOW)
        store.like("4", "zoe", NOW)

        assert found(kind, repair=False) == []

    def test_while_writers_write_nothing_but_the_damage_is_found(self, kind: Likeable) -> None:
        like_all(kind, THINGS[:60])
        redis.settling().call("INCRBY", ThingKeys(KIND, "7").count, 4)
        done = threading.Event()

        def write(player: str) -> list[Difference]:
            store, dice = RedisStore(kind), random.Random(player)
            while not done.is_set():
                dice.choice([store.like, store.unlike])(dice.choice(THINGS[:60]), player, NOW)
            return []

        def follow() -> list[Difference]:
            while not done.is_set():
                mirror_all()
            return []

        def look() -> list[Difference]:
            try:
                return [each for _ in range(5) for each in found(kind, repair=True)]
            finally:
                done.set()

        said = at_once([look, follow, lambda: write("ann"), lambda: write("zoe")])

        assert [(each.thing, each.where, each.repaired) for each in said[0]] == [("7", "set", True)]
        mirror(kind)
        for thing in THINGS[:60]:
            assert in_redis(thing, kind.repeatable) == in_sql(thing)


@pytest.fixture
def dice() -> random.Random:
    return random.Random(7)
