"""Likes under arbitrary histories: one state machine per storage, which draws whether each clap counts.

Every step is done to the store and to the oracle; both must agree on each answer, and on counts and a list after it.
"""

from datetime import timedelta

import pytest
from django.core.cache import cache
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from foundation.redis.client import boards
from leaderboards.stores.sql.writes import ensure_players
from likes.core.kinds import Storage
from likes.models import Like, LikeChange, LikeCount, LikeShard
from likes.services.count import count
from likes.services.mirror import mirror_all
from likes.services.resync import resync_due
from likes.stores.choose import store_of
from likes.stores.redis_views import RedisViews
from tests.contracts.likes.kinds import NOW, STORAGES, name_of, registered
from tests.contracts.likes.oracle import OracleLikes
from tests.contracts.machines import play
from tests.likes.factories import LikeableFactory
from tests.raw import empty_boards

pytestmark = [pytest.mark.contract, pytest.mark.hypothesis, pytest.mark.django_db(transaction=True)]

NAMES = ("a", "B", "b_", "ä", "가")
THINGS = ("1", "2", "a.b:c")
PLAYERS, THING = st.sampled_from(NAMES), st.sampled_from(THINGS)
AFTER = st.integers(0, 3).map(lambda ms: timedelta(milliseconds=ms))


class LikesMachine(RuleBasedStateMachine):
    """What may happen to likes. ``form`` is the subclass's."""

    form: tuple[Storage, int]

    @initialize(repeatable=st.booleans())
    def begin(self, repeatable: bool) -> None:
        for model in (Like, LikeChange, LikeCount, LikeShard):
            model.objects.all().delete()
        empty_boards()
        cache.clear()
        storage, rate = self.form
        self.likeable = LikeableFactory.create(storage=storage, rate=rate, repeatable=repeatable)
        resync_due(NOW)
        self.store, self.oracle = store_of(self.likeable), OracleLikes(repeatable)
        self.at, self.touched = NOW, THINGS[0]

    @rule(thing=THING, player=PLAYERS, after=AFTER)
    def like(self, thing: str, player: str, after: timedelta) -> None:
        self.at, self.touched = self.at + after, thing
        shown = self.store.like(thing, player, self.at)
        assert (shown.count, shown.own) == self.oracle.like(thing, player, self.at)

    @rule(thing=THING, player=PLAYERS, after=AFTER)
    def unlike(self, thing: str, player: str, after: timedelta) -> None:
        self.at, self.touched = self.at + after, thing
        shown = self.store.unlike(thing, player, self.at)
        assert (shown.count, shown.own) == self.oracle.unlike(thing, player)

    @rule()
    def count(self) -> None:
        mirror_all()
        count(self.likeable, self.at)

    @rule(things=st.sets(THING, min_size=1))
    def lose_views(self, things: set[str]) -> None:
        if self.likeable.storage == Storage.HYBRID:
            RedisViews(self.likeable.kind, boards()).drop(things)

    @rule()
    def lose_the_memory(self) -> None:
        mirror_all()
        empty_boards()
        resync_due(self.at)

    @rule()
    def read_everything(self) -> None:
        for player in (None, *NAMES):
            self._agree_on_counts(player)
        for thing in THINGS:
            self._agree_on_likers(thing)

    @invariant()
    def counts_and_list_are_the_oracles(self) -> None:
        if hasattr(self, "oracle"):
            self._agree_on_counts("가")
            self._agree_on_likers(self.touched)

    def _agree_on_counts(self, player: str | None) -> None:
        found = [(shown.count, shown.own, shown.live) for shown in self.store.read(THINGS, player)]
        assert found == [(*self.oracle.shown(thing, player), True) for thing in THINGS]

    def _agree_on_likers(self, thing: str) -> None:
        listed, expected = self.store.likers(thing, 0, 10), self.oracle.likers(thing)
        assert (listed.total, listed.rows) == (len(expected), expected)


@pytest.mark.parametrize("form", STORAGES, ids=name_of)
def test_a_store_agrees_with_the_oracle_after_every_step(redis_known: None, form: tuple[Storage, int]) -> None:
    ensure_players(NAMES, NOW)

    with registered(*form):
        play(type("Machine", (LikesMachine,), {"form": form}))
