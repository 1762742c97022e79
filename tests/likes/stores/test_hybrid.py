"""Hybrid likes where moments meet: a page in one round trip, a view loaded while others write, told late or never."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import DEFAULT, Mock, patch

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from foundation import clock
from foundation.redis import client as redis
from foundation.redis.client import RedisAway, RedisRefused
from foundation.redis.connection import RedisConnection
from likes.core.keys import ThingKeys
from likes.models import LikeChange, LikeCount
from likes.registry import Likeable
from likes.services.count import count
from likes.stores import hybrid, sql_rows
from likes.stores.base import LikeSummary, Store
from likes.stores.redis_views import LikeState, RedisViews
from tests.contracts.likes.kinds import NOW
from tests.fake_link import FakeLink
from tests.likes.kept import redis_away
from tests.raw import ONE_SERVER

pytestmark = pytest.mark.django_db(transaction=True)

NOW_MS = int(NOW.timestamp() * 1000)
PAGE = [str(nth) for nth in range(50)]
KEYS = ThingKeys("note", "7")


@pytest.fixture
def views(kind: Likeable) -> RedisViews:
    return RedisViews(kind.kind, redis.boards())


@pytest.fixture
def link() -> FakeLink:
    return FakeLink()


@pytest.fixture
def seen(link: FakeLink) -> RedisViews:
    """A view in a Redis of this process, which bob is the only one to like."""
    views = RedisViews("note", link)
    views.load({"7": [("bob", 1, NOW_MS)]}, views.lease(["7"], "token"), "token")
    return views


def shown(views: RedisViews, thing: str = "7", player: str | None = None) -> tuple[int, int] | None:
    """Count and own as the view has them; None without a view."""
    [found] = views.read([thing], player)
    return None if found is None else (found.count, found.own)


def meanwhile(action: Callable[[], object]) -> AbstractContextManager[Mock]:
    """Has an action done once, after the loader has read SQL; notes what was read."""
    read, left = sql_rows.all_likers, [action]

    def loaded(kind: str, things: Sequence[str]) -> Any:
        found = read(kind, things)
        if left:
            left.pop()()
        return found

    return patch.object(sql_rows, "all_likers", side_effect=loaded)


@ONE_SERVER
class TestRoundTrips:
    def test_a_page_and_a_like_cost_few_whatever_the_page_holds(self, store: Store) -> None:
        store.read(["first"], None)  # the connection, and the scripts
        store.like("first", "ann", NOW)
        actions: dict[str, Callable[[], object]] = {
            "a page without views": lambda: store.read(PAGE, "ann"),
            "a page with views": lambda: store.read(PAGE, "ann"),
            "a like": lambda: store.like("7", "ann", NOW),
        }

        costs = {}
        for name, action in actions.items():
            with (
                patch.object(RedisConnection, "exchange", autospec=True, side_effect=RedisConnection.exchange) as trips,
                CaptureQueriesContext(connection) as queries,
            ):
                action()
            costs[name] = (trips.call_count, len(queries))

        assert costs == {"a page without views": (3, 2), "a page with views": (1, 0), "a like": (1, 1)}


class TestLoading:
    def test_who_commits_after_the_loader_has_read_is_not_lost(self, store: Store, views: RedisViews) -> None:
        store.like("7", "bob", NOW)

        with meanwhile(lambda: (store.like("7", "ann", NOW), store.unlike("7", "bob", NOW))):
            store.read(["7"], None)

        assert shown(views, player="ann") == (1, 1)
        assert [row.player for row in store.likers("7", 0, 10).rows] == ["ann"]

    def test_one_loads_and_the_others_read_sql(self, store: Store, views: RedisViews) -> None:
        store.like("7", "bob", NOW)
        others: list[LikeSummary] = []

        with meanwhile(lambda: others.extend(store.read(["7"], None))) as loaded:
            store.read(["7"], None)

        loaded.assert_called_once_with("note", ["7"])
        assert (others, shown(views)) == ([LikeSummary(1, 0)], (1, 0))

    def test_a_loader_whose_view_was_dropped_meanwhile_installs_nothing(self, store: Store, views: RedisViews) -> None:
        with meanwhile(lambda: views.drop(["7"])):
            store.read(["7"], None)

        assert shown(views) is None

    def test_a_player_who_is_forgotten_meanwhile_keeps_no_view_from_being_loaded(
        self, link: FakeLink, seen: RedisViews
    ) -> None:
        leases = seen.lease(["7"], "token")
        seen.publish("7", LikeState(2, "ann", 0, NOW_MS))
        cut_off = patch.object(link, "pipeline", wraps=link.pipeline, side_effect=[DEFAULT, RedisAway("Away.")])

        with patch.object(RedisViews, "drop"), cut_off, pytest.raises(RedisAway):  # the lease is of after the drop
            seen.forget(["7"], "ann")
        seen.load({"7": [("cy", 1, NOW_MS)]}, leases, "token")

        assert shown(seen, player="cy") == (1, 1)

    def test_the_view_of_a_server_that_restarted_is_none_and_its_lease_is_worth_nothing(
        self, link: FakeLink, seen: RedisViews
    ) -> None:
        assert shown(seen) == (1, 0)
        leases = seen.lease(["7"], "token")

        link.identity = "another"
        before = shown(seen), seen.likers("7", 0, 10)
        seen.load({"7": [("ann", 1, NOW_MS)]}, leases, "token")

        assert (before, shown(seen)) == ((None, None), None)

    def test_what_is_liked_by_too_many_is_read_from_sql(
        self, store: Store, views: RedisViews, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(hybrid, "MOST_LOADED", 2)
        for thing, player in (("7", "ann"), ("7", "bob"), ("7", "cy"), ("8", "ann")):
            store.like(thing, player, NOW)

        found = store.read(["7", "8"], "ann")

        assert [(each.count, each.live) for each in found] == [(3, True), (1, True)]
        assert (shown(views, "7"), shown(views, "8")) == (None, (1, 0))

    def test_every_key_of_a_view_expires_and_the_count_first(self, link: FakeLink, seen: RedisViews) -> None:
        seen.publish("7", LikeState(2, "ann", 1, NOW_MS))

        left = {name: link.call("PTTL", getattr(KEYS, name)) for name in ("count", "run", "liked_by", "seen")}

        assert all(ms > 0 for ms in left.values())
        assert left["count"] < min(left["run"], left["liked_by"])


class TestTelling:
    def test_an_older_change_that_comes_late_or_the_same_once_more_is_nothing(self, seen: RedisViews) -> None:
        seen.publish("7", LikeState(9, "ann", 0, NOW_MS))
        seen.publish("7", LikeState(8, "ann", 1, NOW_MS))
        assert shown(seen, player="ann") == (1, 0)

        for _ in range(2):
            seen.publish_all(
                {"7": [LikeState(10, "ann", 1, NOW_MS), LikeState(11, "bob", 3, NOW_MS)]}, clock.monotonic()
            )

        assert shown(seen, player="bob") == (4, 3)

    def test_after_its_deadline_nothing_is_told(self, seen: RedisViews) -> None:
        with pytest.raises(RedisRefused):
            seen.publish_all({"7": [LikeState(8, "ann", 1, NOW_MS)]}, clock.monotonic() - 60)

        assert shown(seen) == (1, 0)

    def test_what_is_remembered_of_changes_goes_two_for_each_that_comes(self, link: FakeLink, seen: RedisViews) -> None:
        for nth in range(10):
            seen.publish("7", LikeState(nth + 1, f"p{nth}", 1, NOW_MS))
            link.call("ZADD", KEYS.seen_at, 1, f"p{nth}")  # long ago

        seen.publish("7", LikeState(99, "ann", 1, NOW_MS))

        assert (link.call("HLEN", KEYS.seen), link.call("ZCARD", KEYS.seen_at)) == (1, 1)

    def test_asked_for_again_before_the_view_has_heard_of_it_the_answer_is_the_same(self, store: Store) -> None:
        store.like("8", "ann", NOW)
        store.read(["7", "8"], None)

        with patch.object(RedisViews, "publish", return_value=None):
            liked = [store.like("7", "ann", NOW) for _ in range(2)]
            taken_back = [store.unlike("8", "ann", NOW) for _ in range(2)]

        assert (liked[1], taken_back[1]) == (LikeSummary(1, 1), LikeSummary(0, 0))

    def test_inside_a_transaction_sql_answers_and_the_view_hears_of_what_is_committed_alone(
        self, store: Store, views: RedisViews
    ) -> None:
        store.read(["7"], None)

        with transaction.atomic():
            store.like("7", "bob", NOW)
            transaction.set_rollback(True)
        with transaction.atomic():
            inside = store.like("7", "ann", NOW)
            [read], before = store.read(["7"], "ann"), shown(views)

        assert ((inside.count, inside.own), (read.count, read.own), before) == ((1, 1), (1, 1), (0, 0))
        assert shown(views, player="ann") == (1, 1)


class TestRedisAway:
    def test_likes_go_on_and_say_that_they_are_not_live(self, store: Store) -> None:
        with redis_away():
            liked = store.like("7", "ann", NOW)
            [read], likers = store.read(["7"], "ann"), store.likers("7", 0, 10)

        assert liked == read == LikeSummary(1, 1, live=False)
        assert ([row.player for row in likers.rows], likers.live) == (["ann"], False)

    def test_what_could_not_be_told_is_marked_and_its_view_is_dropped_when_redis_is_back(
        self, store: Store, views: RedisViews, kind: Likeable
    ) -> None:
        store.read(["7", "8"], None)
        with redis_away():
            store.like("7", "ann", NOW)
            count(kind, NOW)
            marked = list(LikeCount.objects.filter(pending_publish=True).values_list("thing", flat=True))
        stale = shown(views)

        count(kind, NOW)

        assert (marked, stale) == (["7"], (0, 0))
        assert (shown(views), shown(views, "8")) == (None, (0, 0))
        assert not LikeCount.objects.filter(pending_publish=True).exists()
        assert store.read(["7"], "ann")[0].count == 1

    def test_a_key_that_is_no_view_is_dropped_and_holds_nobody_up(self, store: Store, kind: Likeable) -> None:
        store.read(["7", "8"], None)
        redis.boards().call("SET", KEYS.liked_by, "somebody else's")
        for thing in ("7", "8"):
            store.like(thing, "ann", NOW)

        for _ in range(2):
            count(kind, NOW)

        assert not LikeChange.objects.exists()
        assert store.read(["7", "8"], "ann") == [LikeSummary(1, 1), LikeSummary(1, 1)]
