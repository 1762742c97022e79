"""Likes that Redis decides over: what leaves a mark, how SQL follows, what comes back, and servers away."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf
from typing import Any
from unittest.mock import patch

import pytest
from django.db import DataError

from foundation.models import DeadLetter
from foundation.redis import client as redis
from foundation.redis.client import RedisSilent
from likes import registry
from likes.core.keys import KindKeys, ThingKeys
from likes.errors import LikeOutcomeUnknown, LikesUnavailable
from likes.models import Like
from likes.registry import Likeable
from likes.services import mirror as mirroring
from likes.services.check import check_all
from likes.services.resync import resync_due
from likes.stores import kind_generation as kinds
from likes.stores.base import Liker, LikeSummary, Store
from likes.stores.redis import RedisStore
from tests.contracts.likes.kinds import LATER, NOW
from tests.likes.kept import IN_REDIS, Told, in_redis, in_sql, is_dirty, redis_away

pytestmark = [pytest.mark.django_db(transaction=True), IN_REDIS]


class TestDeciding:
    def test_what_changes_nothing_leaves_no_mark_and_a_damaged_count_never_goes_below_nothing(
        self, kind: Likeable, store: Store
    ) -> None:
        store.like("1", "ann", NOW)
        mirroring.mirror(kind)

        store.like("1", "ann", LATER)
        store.unlike("1", "bob", LATER)
        assert not is_dirty(kind)

        redis.resync_client().call("SET", ThingKeys(kind.kind, "1", is_decided=True).count, 0)
        assert store.unlike("1", "ann", NOW) == LikeSummary(0, 0)

    @pytest.mark.parametrize("repeatable", [True])
    def test_a_clock_that_is_behind_moves_no_time_back_and_all_is_taken_back_at_once(
        self, kind: Likeable, store: Store
    ) -> None:
        store.like("1", "ann", LATER)
        store.like("1", "ann", NOW)
        liked_by = store.likers("1", 0, 1).rows

        taken_back = RedisStore(kind).take_back("1", "ann", LATER)

        assert liked_by == [Liker("ann", 2, LATER)]
        assert taken_back == LikeSummary(0, 0)
        assert in_redis(kind, "1") == Told(0, {})


@pytest.fixture
def poisoned(kind: Likeable) -> Likeable:
    """The same, whose registrant has no room for the total of one thing."""

    def counted(totals: Mapping[str, int]) -> None:
        if "bad" in totals:
            raise DataError("no room")

    registry.register_kind(replace(kind, save_totals=counted))
    return kind


class TestMirroring:
    @pytest.mark.parametrize("repeatable", [True])
    def test_it_copies_states_and_tells_the_new_totals(self, kind: Likeable, store: Store) -> None:
        told: list[Mapping[str, int]] = []
        kind = replace(kind, save_totals=told.append)
        for thing, player in (("x:1", "a"), ("x:1", "b"), ("x:1", "a"), ("2", "b")):
            store.like(thing, player, NOW)
        mirroring.mirror(kind)
        store.unlike("x:1", "b", LATER)
        for _ in range(2):
            store.like("x:1", "a", LATER)

        assert (mirroring.mirror(kind), mirroring.mirror(kind)) == (2, 0)

        assert told == [{"x:1": 3, "2": 1}, {"x:1": 4}]
        assert in_sql(kind, "x:1") == Told(4, {"a": 4})
        assert Like.objects.get(thing="x:1", player__external_id="b").amount == 0

    def test_a_mark_of_a_later_state_stays_and_an_earlier_state_that_comes_late_changes_nothing(
        self, kind: Likeable, store: Store
    ) -> None:
        write = mirroring._write

        def overtaken(*args: Any) -> None:
            write(*args)
            store.unlike("1", "a", LATER)

        store.like("1", "a", NOW)
        with patch.object(mirroring, "_write", overtaken):
            mirroring._mirror_chunk(kind, mirroring.current_generation)
        assert (in_sql(kind, "1"), is_dirty(kind)) == (Told(1, {"a": 1}), True)

        for _ in range(2):
            mirroring.mirror(kind)
            assert (in_sql(kind, "1"), is_dirty(kind)) == (Told(0, {}), False)
            redis.resync_client().call("HSET", KindKeys(kind.kind).dirty, "1\na", "1|1|1772625600000")

    def test_a_kind_that_is_never_clean_keeps_no_other_waiting(self, kind: Likeable, store: Store) -> None:
        registry.register_kind(replace(kind, kind="another"))
        resync_due(NOW)
        store.like("1", "a", NOW)
        copy = mirroring._mirror_chunk

        def chunk(likeable: Likeable, generation_of: Callable[[str], int]) -> tuple[int, int]:
            return copy(likeable, generation_of) if likeable.kind == kind.kind else (1, 1)

        with patch.object(mirroring, "_mirror_chunk", chunk):
            mirroring.mirror_all(seconds=0.3)

        assert in_sql(kind, "1") == Told(1, {"a": 1})

    def test_a_like_that_sql_refuses_keeps_no_other_waiting(self, poisoned: Likeable, store: Store) -> None:
        for nth in range(20):
            store.like("bad" if nth == 7 else str(nth), "a", NOW)

        assert mirroring.mirror_all() == 20

        letter = DeadLetter.objects.get(kind=mirroring.DEAD_LETTER_KIND, resolved_at=None)
        assert (letter.subject, Like.objects.count()) == ("note bad a", 19)
        assert mirroring.retry(letter, NOW) == letter.reason
        registry.register_kind(poisoned)
        assert mirroring.retry(letter, NOW) == ""
        assert in_sql(poisoned, "bad") == Told(1, {"a": 1})

    def test_a_like_that_is_given_up_is_no_difference_until_the_player_changes_it(
        self, poisoned: Likeable, store: Store
    ) -> None:
        store.like("bad", "a", NOW)
        mirroring.mirror_all()

        mirroring.drop(DeadLetter.objects.get(), NOW)
        [given_up] = check_all(NOW, inf, kind=poisoned.kind)
        registry.register_kind(poisoned)
        store.like("bad", "b", NOW)
        store.unlike("bad", "a", NOW)
        store.like("bad", "a", LATER)
        mirroring.mirror_all()
        assert in_sql(poisoned, "bad") == Told(2, {"a": 1, "b": 1})
        Like.objects.filter(player__external_id="a").update(amount=0)
        [damaged] = check_all(NOW, inf, kind=poisoned.kind)

        assert (given_up.differences, DeadLetter.objects.count()) == ([], 1)
        assert "like" in [each.where for each in damaged.differences]
        assert in_sql(poisoned, "bad") == Told(2, {"a": 1, "b": 1})


class TestAway:
    def test_without_redis_or_a_settled_kind_writes_are_refused_and_reads_come_from_sql(
        self, kind: Likeable, store: Store
    ) -> None:
        store.like("1", "ann", NOW)
        mirroring.mirror(kind)
        unsettled = RedisStore(replace(kind, kind="unsettled"))

        with pytest.raises(LikesUnavailable):
            unsettled.like("1", "bob", NOW)
        with redis_away():
            with pytest.raises(LikesUnavailable):
                store.like("1", "bob", NOW)
            read, listed = store.read(["1", "2"], "ann"), store.likers("1", 0, 5)

        assert read == [LikeSummary(1, 1, live=False), LikeSummary(0, 0, live=False)]
        assert unsettled.read(["1"], "bob") == [LikeSummary(0, 0, live=False)]
        assert (listed.rows, listed.live) == ([Liker("ann", 1, NOW)], False)

    @pytest.mark.parametrize(("repeatable", "word"), [(False, "safe to ask"), (True, "may count twice")])
    def test_no_answer_in_time_says_whether_it_is_safe_to_ask_again(self, store: Store, word: str) -> None:
        store.like("1", "ann", NOW)

        with redis_away(RedisSilent), pytest.raises(LikeOutcomeUnknown, match=word):
            store.like("1", "ann", NOW)

    def test_while_sql_is_away_likes_go_on(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        store.like("1", "ann", NOW)
        monkeypatch.setattr(kinds._generations, "_fresh", 0.0)
        monkeypatch.setattr("foundation.db.resilience._Breaker.silent_until", float("inf"))

        assert store.like("1", "bob", NOW) == LikeSummary(2, 1)
        assert store.read(["1"], "ann") == [LikeSummary(2, 1)]
