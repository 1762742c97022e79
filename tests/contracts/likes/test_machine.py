"""Likes under arbitrary histories: one state machine per storage, as a like and as applause.

Every step is done to the store and to the oracle; both must agree on each answer, and on counts and lists after it.
"""

import os
from datetime import timedelta

import pytest
import redis
from django.conf import settings
from django.core.cache import cache
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from foundation.redis import boards
from leaderboards.stores.sql_writes import ensure_players
from likes.core.kinds import Storage
from likes.models import Like, LikeChange, LikeCount, LikeShard
from likes.registry import Likeable
from likes.services.count import count
from likes.services.mirror import mirror_all
from likes.services.settle import settle_due
from likes.stores.choose import store_of
from likes.stores.views import Views
from tests.contracts.likes.kinds import NOW, STORAGES, name_of, registered
from tests.contracts.likes.oracle import OracleLikes

pytestmark = [pytest.mark.contract, pytest.mark.django_db(transaction=True)]

NAMES = ("a", "B", "b_", "ä", "가")
THINGS = ("1", "2", "a.b:c")
PLAYERS, THING = st.sampled_from(NAMES), st.sampled_from(THINGS)
AFTER = st.integers(0, 3).map(lambda ms: timedelta(milliseconds=ms))


class LikesMachine(RuleBasedStateMachine):
    """What may happen to likes. ``likeable`` is the subclass's."""

    likeable: Likeable

    @initialize()
    def begin(self) -> None:
        for model in (Like, LikeChange, LikeCount, LikeShard):
            model.objects.all().delete()
        with redis.Redis.from_url(settings.REDIS_URL) as client:
            client.flushdb()
        cache.clear()
        settle_due(NOW)
        self.store = store_of(self.likeable)
        self.oracle = OracleLikes(self.likeable.repeatable)
        self.at = NOW

    @rule(thing=THING, player=PLAYERS, after=AFTER)
    def like(self, thing: str, player: str, after: timedelta) -> None:
        self.at += after
        shown = self.store.like(thing, player, self.at)
        assert (shown.count, shown.own) == self.oracle.like(thing, player, self.at)

    @rule(thing=THING, player=PLAYERS, after=AFTER)
    def unlike(self, thing: str, player: str, after: timedelta) -> None:
        self.at += after
        shown = self.store.unlike(thing, player, self.at)
        assert (shown.count, shown.own) == self.oracle.unlike(thing, player)

    @rule(thing=THING, player=PLAYERS)
    def like_twice(self, thing: str, player: str) -> None:
        for _ in range(2):
            self.like(thing, player, timedelta())

    @rule()
    def count(self) -> None:
        mirror_all()
        count(self.likeable, self.at)

    @rule(things=st.sets(THING, min_size=1))
    def lose_views(self, things: set[str]) -> None:
        if self.likeable.storage == Storage.HYBRID:
            Views(self.likeable.kind, boards()).drop(things)

    @rule()
    def lose_the_memory(self) -> None:
        mirror_all()
        with redis.Redis.from_url(settings.REDIS_URL) as client:
            client.flushdb()
        settle_due(self.at)

    @invariant()
    def all_agree(self) -> None:
        if not hasattr(self, "oracle"):
            return
        for player in (None, "a", "가"):
            found = self.store.read(THINGS, player)
            assert [(shown.count, shown.own) for shown in found] == [self.oracle.shown(t, player) for t in THINGS]
            assert all(shown.live for shown in found)
        for thing in THINGS:
            listed = self.store.likers(thing, 0, 10)
            assert (listed.total, listed.rows) == (len(self.oracle.likers(thing)), self.oracle.likers(thing))


BOUNDED = hypothesis_settings(
    max_examples=int(os.environ.get("MACHINE_EXAMPLES", "8")),
    stateful_step_count=15,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("repeatable", [False, True], ids=["like", "applause"])
@pytest.mark.parametrize("form", STORAGES, ids=name_of)
def test_a_store_agrees_with_the_oracle_after_every_step(
    redis_known: None, form: tuple[Storage, int], repeatable: bool
) -> None:
    ensure_players(NAMES, NOW)
    with registered(form, repeatable) as likeable:
        machine = type("Machine", (LikesMachine,), {"likeable": likeable})

        run_state_machine_as_test(machine, settings=BOUNDED)
