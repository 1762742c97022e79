"""Sixty-four threads like and take back one thing at random: count, rows and list say the same in the end.

Eight on SQLite, where writers take turns.
"""

import random
import threading
import time
from collections.abc import Callable
from functools import partial
from math import inf

import pytest
from django.db import OperationalError, connection

from foundation.redis.client import RedisAway
from leaderboards.stores.sql.writes import ensure_players
from likes.core.kinds import Storage
from likes.errors import LikeOutcomeUnknown, LikesUnavailable
from likes.models import Like, LikeChange
from likes.registry import Likeable
from likes.services.check import check
from likes.stores.base import Store
from likes.stores.choose import store_of
from tests.at_once import at_once
from tests.contracts.likes.kinds import NOW, STORAGES, name_of, registered, settled

pytestmark = [pytest.mark.contract, pytest.mark.django_db(transaction=True)]

THREADS = 64 if connection.vendor == "postgresql" else 8  # SQLite lets one write at a time, and keeps no queue
EACH = 8
NAMES = [f"p{nth}" for nth in range(24)]
THING = "7"


def at_random(store: Store, seed: int) -> int:
    """As pages do it on a slow machine: what was not decided is asked for again. The least count that was told."""
    chance, least, until = random.Random(seed), 0, time.monotonic() + 60
    for _ in range(EACH):
        act, player, shown = chance.choice((store.like, store.unlike)), chance.choice(NAMES), None
        while shown is None:
            try:
                shown = act(THING, player, NOW)
            except (LikesUnavailable, LikeOutcomeUnknown):
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
        least = min(least, shown.count)
    return least


def following(kind: Likeable, end: threading.Event) -> int:
    """The worker, meanwhile. Where all connections are in use, or SQLite has another writer, the next run counts."""
    while not end.wait(0.05):
        try:
            settled(kind)
        except RedisAway:
            continue
        except OperationalError as error:
            if "database is locked" not in str(error):
                raise
    return 0


@pytest.mark.parametrize("repeatable", [False, pytest.param(True, marks=pytest.mark.long)], ids=["like", "applause"])
@pytest.mark.parametrize("form", STORAGES, ids=name_of)
def test_count_rows_and_list_are_the_same_in_the_end(
    redis_known: None, form: tuple[Storage, int], repeatable: bool
) -> None:
    ensure_players(NAMES, NOW)
    with registered(*form, repeatable=repeatable) as kind:
        store, end = store_of(kind), threading.Event()

        def like() -> int:
            try:
                return min(at_once([partial(at_random, store, seed) for seed in range(THREADS)]))
            finally:
                end.set()

        actions: list[Callable[[], int]] = [like, *[partial(following, kind, end)] * 2]
        least, *_ = at_once(actions)
        settled(kind)

        rows = [row.amount for row in Like.objects.filter(kind=kind.kind, thing=THING, amount__gt=0)]
        [shown] = store.read([THING], None)
        assert (least, shown.count, shown.live) == (0, sum(rows), True)
        assert store.likers(THING, 0, 100).total == len(rows)
        assert not LikeChange.objects.exists()
        assert check(kind, NOW, inf, repair=False).differences == []
