"""The check of counts: it finds what was damaged on purpose and puts it right, beside writers too."""

import random
import threading
from collections.abc import Callable
from functools import partial
from math import inf
from unittest.mock import Mock

import pytest
from django.core.management import CommandError
from django.db.models import F

from foundation.redis import client as redis
from leaderboards.models import Player
from likes.core.difference import Difference
from likes.core.keys import ThingKeys
from likes.core.kinds import Storage
from likes.models import Like, LikeCount, LikeShard
from likes.registry import Likeable
from likes.services import check as checking
from likes.services import check_redis
from likes.services.check import check
from likes.stores.base import Store
from likes.stores.choose import store_of
from tests.at_once import at_once
from tests.contracts.likes.kinds import NOW, PLAYERS, settled
from tests.leaderboards.commands.calls import run
from tests.likes.kept import IN_REDIS, in_redis, in_sql

pytestmark = pytest.mark.django_db(transaction=True)

THINGS = [str(nth) for nth in range(60)]
TOGETHER = 25  # so many are looked at: each walk has three chunks, the last one not full


@pytest.fixture
def dice() -> random.Random:
    return random.Random(7)


@pytest.fixture
def liked(kind: Likeable, dice: random.Random, monkeypatch: pytest.MonkeyPatch) -> Likeable:
    """Many things have a few likes each, counted; one of each is ann's."""
    for module in (checking, check_redis):
        monkeypatch.setattr(module, "CHUNK", TOGETHER)
    ids = dict(Player.objects.values_list("external_id", "pk"))
    likes = [(thing, player) for thing in THINGS for player in ("ann", *dice.sample(PLAYERS[1:], dice.randrange(3)))]
    if kind.storage == Storage.REDIS:
        for thing, player in likes:
            store_of(kind).like(thing, player, NOW)
        settled(kind)
        return kind
    Like.objects.bulk_create(Like(kind=kind.kind, thing=thing, player_id=ids[name], at=NOW) for thing, name in likes)
    assert len(found(kind)) == len(THINGS)  # a backup without counts: made of the rows
    return kind


def shown(kind: Likeable) -> list[int]:
    return [each.count for each in store_of(kind).read(THINGS, None)]


def found(kind: Likeable, repair: bool = True) -> list[Difference]:
    return check(kind, NOW, inf, repair).differences


def damage(kind: Likeable, things: list[str], by: int) -> None:
    """Change the counts where they are decided."""
    if kind.storage == Storage.REDIS:
        for thing in things:
            redis.resync_client().call("INCRBY", ThingKeys(kind.kind, thing, is_decided=True).count, by)
    else:
        model = LikeShard if kind.storage == Storage.SQL else LikeCount
        model.objects.filter(kind=kind.kind, thing__in=things).update(count=F("count") + by)


@pytest.mark.parametrize("storage", [Storage.SQL, Storage.APPEND, Storage.HYBRID], ids=str)
def test_a_tenth_of_the_counts_in_sql_is_found_and_put_right(liked: Likeable, dice: random.Random) -> None:
    right, damaged = shown(liked), dice.sample(THINGS, 6)
    damage(liked, damaged, -5)

    only_looked, repaired, again = found(liked, repair=False), found(liked), found(liked)

    assert {each.thing for each in only_looked if each.where == "sql"} == set(damaged)
    assert {each.thing for each in repaired if each.where == "sql" and each.repaired} == set(damaged)
    assert (again, shown(liked)) == ([], right)


def test_a_tenth_of_the_views_is_found_and_dropped(liked: Likeable, dice: random.Random) -> None:
    right, damaged = shown(liked), dice.sample(THINGS, 6)
    for nth, keys in enumerate(ThingKeys(liked.kind, thing) for thing in damaged):
        if nth % 3 != 1:  # a third has another count, a third lacks somebody, a third has both changed alike
            redis.resync_client().call("DECR", keys.count)
        if nth % 3 != 0:
            redis.resync_client().call("ZPOPMIN", keys.liked_by)

    only_looked, repaired, again = found(liked, repair=False), found(liked), found(liked)

    assert {each.thing for each in only_looked} == set(damaged)
    assert {each.where for each in only_looked} == {"set", "redis"}
    assert not any(each.repaired for each in only_looked)
    assert {each.thing for each in repaired if each.repaired} == set(damaged)
    assert (again, shown(liked)) == ([], right)


@IN_REDIS
@pytest.mark.parametrize("repeatable", [False, True], ids=["like", "applause"])
def test_where_redis_decides_all_that_is_damaged_is_found_and_repaired_once(
    liked: Likeable, dice: random.Random
) -> None:
    in_counts, in_totals, in_rows = (dice.sample(THINGS, 6) for _ in range(3))
    damage(liked, in_counts[:3], 3)
    damage(liked, in_counts[3:], -1)
    LikeCount.objects.filter(thing__in=in_totals).update(count=F("count") + 5)
    Like.objects.filter(thing__in=in_rows, player__external_id="ann").update(amount=7)

    seen, repaired, again = found(liked, repair=False), found(liked), found(liked)

    assert {each.thing for each in seen if each.where == "set"} == {*in_counts}
    assert {each.thing for each in seen if each.where == "like"} == {*in_rows}
    assert {each.thing for each in seen if each.where == "sql"} == {*in_totals} | {*in_rows}
    assert len(repaired) == len(seen) == 6 + 6 + len({*in_totals} | {*in_rows})
    assert all(each.repaired for each in repaired)
    assert again == []
    for thing in (*in_counts, *in_totals, *in_rows):
        assert in_redis(liked, thing) == in_sql(liked, thing)


@IN_REDIS
def test_what_sql_has_lost_comes_back_and_what_waits_for_the_mirror_is_no_difference(
    kind: Likeable, store: Store
) -> None:
    for thing, player in (("1", "ann"), ("2", "ann"), ("2", "bob"), ("3", "ann"), ("3", "가")):
        store.like(thing, player, NOW)
    settled(kind)
    Like.objects.filter(thing="3", player__external_id="가").delete()
    Like.objects.filter(thing="2").delete()
    LikeCount.objects.filter(thing="2").delete()

    seen, again = found(kind), found(kind)
    in_both = [(in_redis(kind, thing), in_sql(kind, thing)) for thing in ("1", "2", "3")]
    store.like("1", "zoe", NOW)
    store.unlike("3", "ann", NOW)
    store.like("4", "zoe", NOW)

    assert {(each.thing, each.where) for each in seen} == {("3", "sql"), ("3", "like"), ("2", "like")}
    assert again == found(kind, repair=False) == []
    assert all(redis_has == sql_has for redis_has, sql_has in in_both)


@pytest.mark.parametrize("storage", [Storage.SQL, Storage.HYBRID, Storage.REDIS], ids=str)
def test_what_is_being_liked_is_no_difference_and_repairs_do_not_race_it(liked: Likeable, dice: random.Random) -> None:
    right, damaged = shown(liked), dice.sample(THINGS, 6)
    busy = [*damaged[:3], *dice.sample(THINGS, 6)]
    damage(liked, damaged, 3)
    end = threading.Event()

    def write(seed: int) -> list[list[Difference]]:
        chance, store = random.Random(seed), store_of(liked)
        while not end.is_set():
            chance.choice((store.like, store.unlike))(chance.choice(busy), chance.choice(PLAYERS), NOW)
            if chance.random() < 0.1:
                settled(liked)
        return []

    def look() -> list[list[Difference]]:
        try:
            return [found(liked) for _ in range(3)]
        finally:
            end.set()

    actions: list[Callable[[], list[list[Difference]]]] = [look, *[partial(write, seed) for seed in range(4)]]
    [first, *later], *_ = at_once(actions)
    settled(liked)

    where = "set" if liked.storage == Storage.REDIS else "sql"
    assert {each.thing for each in first if each.where == where and each.repaired} == set(damaged)
    assert (later, found(liked)) == ([[], []], [])
    after = shown(liked)
    quiet = [nth for nth, thing in enumerate(THINGS) if thing not in busy]
    assert [after[nth] for nth in quiet] == [right[nth] for nth in quiet]
    assert sum(after) == Like.objects.filter(kind=liked.kind, amount__gt=0).count()


def test_a_run_that_has_no_time_left_goes_on_where_it_stopped(liked: Likeable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "clock", Mock(monotonic=Mock(side_effect=[0, 2, 0, 0, 0, 0, 0])))

    runs = [check(liked, NOW, 1, repair=True) for _ in range(3)]

    assert [(run.compared, run.finished) for run in runs] == [(25, False), (35, True), (60, True)]


def test_the_command_tells_what_differs_and_repairs_when_asked_to(kind: Likeable, store: Store) -> None:
    store.like("1", "ann", NOW)
    settled(kind)
    LikeCount.objects.update(count=9)

    with pytest.raises(CommandError, match="1 counts differ"):
        run("check_likes", "--kind=note")
    repaired, again = run("check_likes", "--repair").json["checked"], run("check_likes").json["checked"]

    difference = {"kind": "note", "thing": "1", "where": "sql", "found": 9, "expected": 1, "repaired": True}
    [checked] = [each for each in repaired if each["kind"] == "note"]
    assert checked == {"kind": "note", "compared": 1, "differences": [difference], "finished": True, "live": True}
    assert not any(each["differences"] for each in again)
