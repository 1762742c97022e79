"""The check of counts: it finds what was damaged on purpose and puts it right, beside writers too."""

import random
import threading
from collections.abc import Iterator
from math import inf

import pytest
from django.db import connection

from foundation import redis
from leaderboards.stores.sql_writes import ensure_players
from likes.core.checked import Difference
from likes.core.keys import ThingKeys
from likes.core.kinds import Storage
from likes.models import Like, LikeCount, LikeKind, LikeShard
from likes.registry import Likeable
from likes.services.check import check
from likes.services.count import count
from likes.stores.choose import store_of
from tests.contracts.likes.kinds import NOW, registered
from tests.links import links, redis_known

__all__ = ["links", "redis_known"]

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 2_000
PLAYERS = [f"player {nth}" for nth in range(8)]
SQL_STORAGES = [(Storage.SQL, 900), (Storage.APPEND, 10), (Storage.HYBRID, 10)]


def liked(kind: Likeable, chance: random.Random) -> list[str]:
    """Many things, each with a few likes, counted."""
    players = list(ensure_players(PLAYERS, NOW).values())
    things = [f"{nth}" for nth in range(MANY)]
    rows = [
        Like(kind=kind.kind, thing=thing, player=player, at=NOW)
        for thing in things
        for player in chance.sample(players, chance.randrange(1, 4))
    ]
    Like.objects.bulk_create(rows)
    assert len(check(kind, NOW, inf, repair=True).differences) == MANY  # a backup without counts: made of the rows
    return things


def shown(kind: Likeable, things: list[str]) -> list[int]:
    store = store_of(kind)
    return [each.count for start in range(0, MANY, 100) for each in store.read(things[start : start + 100], None)]


def found(kind: Likeable, repair: bool = True) -> list[Difference]:
    return check(kind, NOW, inf, repair).differences


@pytest.fixture(params=SQL_STORAGES, ids=lambda form: form[0].value)
def kind(request: pytest.FixtureRequest, redis_known: None) -> Iterator[Likeable]:
    with registered(request.param) as likeable:
        yield likeable


@pytest.fixture
def hybrid(redis_known: None) -> Iterator[Likeable]:
    with registered((Storage.HYBRID, 10)) as likeable:
        yield likeable


def damage_sql(kind: Likeable, things: list[str], by: int) -> None:
    model = LikeShard if kind.storage == Storage.SQL else LikeCount
    for row in model.objects.filter(kind=kind.kind, thing__in=things):
        row.count += by
        row.save(update_fields=["count"])


def damage_views(kind: Likeable, things: list[str]) -> None:
    """A third has another count, a third lacks somebody, a third has both changed alike."""
    link = redis.settling()
    for nth, keys in enumerate(ThingKeys(kind.kind, thing) for thing in things):
        if nth % 3 != 1:
            link.call("DECR", keys.count)
        if nth % 3 != 0:
            link.call("ZPOPMIN", keys.liked_by)


def test_a_hundredth_of_the_counts_in_sql_is_found_and_put_right(kind: Likeable) -> None:
    chance = random.Random(7)
    things = liked(kind, chance)
    right = shown(kind, things)
    damaged = chance.sample(things, MANY // 100)
    damage_sql(kind, damaged, -5)

    only_looked, repaired, again = found(kind, repair=False), found(kind), found(kind)

    assert {each.thing for each in only_looked if each.where == "sql"} == set(damaged)
    assert {each.thing for each in repaired if each.where == "sql" and each.repaired} == set(damaged)
    assert again == []
    assert shown(kind, things) == right


def test_a_hundredth_of_the_views_is_found_and_dropped(hybrid: Likeable) -> None:
    chance = random.Random(8)
    things = liked(hybrid, chance)
    right = shown(hybrid, things)
    damaged = chance.sample(things, MANY // 100)
    damage_views(hybrid, damaged)

    only_looked, repaired, again = found(hybrid, repair=False), found(hybrid), found(hybrid)

    assert {each.thing for each in only_looked} == set(damaged)
    assert {each.where for each in only_looked} == {"set", "redis"}
    assert not any(each.repaired for each in only_looked)
    assert {each.thing for each in repaired if each.repaired} == set(damaged)
    assert again == []
    assert shown(hybrid, things) == right


def test_what_is_being_liked_is_no_difference_and_repairs_do_not_race_it(kind: Likeable) -> None:
    chance = random.Random(9)
    things = liked(kind, chance)
    right = shown(kind, things)
    damaged = chance.sample(things, MANY // 100)
    busy = [*damaged[:10], *chance.sample(things, 10)]
    damage_sql(kind, damaged, 3)
    end = threading.Event()

    def write(seed: int) -> None:
        dice, store = random.Random(seed), store_of(kind)
        try:
            while not end.is_set():
                act = dice.choice((store.like, store.unlike))
                act(dice.choice(busy), dice.choice(PLAYERS), NOW)
                if dice.random() < 0.1:
                    count(kind, NOW)
        finally:
            connection.close()

    writers = [threading.Thread(target=write, args=(seed,)) for seed in range(4)]
    for writer in writers:
        writer.start()
    rounds = [found(kind) for _ in range(3)]
    end.set()
    for writer in writers:
        writer.join()

    assert {each.thing for each in rounds[0] if each.where == "sql"} == set(damaged)
    assert [each for later in rounds[1:] for each in later] == []
    assert found(kind) == []
    quiet = [nth for nth, thing in enumerate(things) if thing not in busy]
    after = shown(kind, things)
    assert [after[nth] for nth in quiet] == [right[nth] for nth in quiet]
    rows = Like.objects.filter(kind=kind.kind, amount__gt=0)
    assert sum(after) == rows.count()


def test_a_run_that_has_no_time_left_goes_on_where_it_stopped(hybrid: Likeable) -> None:
    things = liked(hybrid, random.Random(1))
    damage_sql(hybrid, things[-1:], 1)

    cut_short = check(hybrid, NOW, -inf, repair=True)

    assert (cut_short.compared, cut_short.finished) == (0, False)
    assert {each.thing for each in found(hybrid)} == set(things[-1:])


@pytest.mark.parametrize(
    ("before", "after"),
    [(Storage.APPEND, Storage.SQL), (Storage.SQL, Storage.HYBRID), (Storage.REDIS, Storage.SQL)],
)
def test_a_kind_that_is_kept_another_way_keeps_its_counts(redis_known: None, before: Storage, after: Storage) -> None:
    [ann] = ensure_players(["ann"], NOW).values()
    Like.objects.create(kind="note", thing="7", player=ann, at=NOW)
    LikeKind.objects.create(kind="note", storage=before)

    with registered((after, 10)) as kind:
        count(kind, NOW)

        assert store_of(kind).read(["7"], "ann")[0].count == 1
        assert found(kind) == []
