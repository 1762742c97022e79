"""Hybrid likes where moments meet: a page in one round trip, a view loaded while others write, told late or never."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from foundation import redis
from foundation.redis import Link, RedisAway, RedisRefused
from likes.core.keys import ThingKeys
from likes.models import LikeChange, LikeCount
from likes.registry import Likeable
from likes.services.count import count
from likes.stores import hybrid, sql_rows
from likes.stores.base import Shown, Store
from likes.stores.views import Told, Views
from tests.contracts.likes.kinds import NOW
from tests.fake_link import FakeLink
from tests.likes.kept import redis_away

pytestmark = pytest.mark.django_db(transaction=True)

NOW_MS = int(NOW.timestamp() * 1000)
PAGE = [str(nth) for nth in range(50)]


@pytest.fixture
def views(kind: Likeable) -> Views:
    return Views(kind.kind, redis.boards())


@pytest.fixture
def link() -> FakeLink:
    return FakeLink()


@pytest.fixture
def seen(link: FakeLink) -> Views:
    """Views in a Redis of this process."""
    return Views("note", link)


def shown(views: Views, thing: str = "7", player: str | None = None) -> tuple[int, int] | None:
    """Count and own as the view has them; None without a view."""
    [found] = views.read([thing], player)
    return None if found is None else (found.count, found.own)


class TestRoundTrips:
    def test_a_page_with_views_is_one_round_trip_and_no_query(self, store: Store) -> None:
        store.like("3", "ann", NOW)
        store.read(PAGE, "ann")

        with counted() as trips, CaptureQueriesContext(connection) as queries:
            found = store.read(PAGE, "ann")

        assert (len(trips), len(queries)) == (1, 0)
        assert [each.own for each in found] == [int(thing == "3") for thing in PAGE]

    def test_a_page_without_views_is_two_queries_whatever_its_length(self, store: Store) -> None:
        redis.boards().call("PING")

        with counted() as trips, CaptureQueriesContext(connection) as queries:
            store.read(PAGE, "ann")

        assert len(queries) == 2
        assert len(trips) <= 7  # read, lease, install, and once each more for a script that Redis has not seen

    def test_a_like_is_one_statement_and_one_script(self, store: Store) -> None:
        store.read(["7"], None)
        store.like("7", "bob", NOW)

        with counted() as trips, CaptureQueriesContext(connection) as queries:
            store.like("7", "ann", NOW)

        assert (len(trips), len(queries)) == (1, 1)


@contextmanager
def counted() -> Iterator[list[int]]:
    """How many commands go in each round trip."""
    trips: list[int] = []
    exchange = Link._exchange

    def counting(self: Link, commands: Sequence[Sequence[Any]]) -> list[Any]:
        if commands:
            trips.append(len(commands))
        return exchange(self, commands)

    with patch.object(Link, "_exchange", counting):
        yield trips


class TestLoading:
    @pytest.fixture
    def meanwhile(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], list[list[str]]]:
        """Has a deed done once, after the loader has read SQL; the things that were read each time."""

        def patched(deed: Callable[[], object]) -> list[list[str]]:
            read, asked = sql_rows.all_likers, list[list[str]]()

            def loaded(kind: str, things: Sequence[str]) -> Any:
                found = read(kind, things)
                asked.append(list(things))
                if len(asked) == 1:
                    deed()
                return found

            monkeypatch.setattr(sql_rows, "all_likers", loaded)
            return asked

        return patched

    def test_who_commits_after_the_loader_has_read_is_not_lost(
        self, store: Store, views: Views, meanwhile: Callable[..., object]
    ) -> None:
        store.like("7", "bob", NOW)
        meanwhile(lambda: (store.like("7", "ann", NOW), store.unlike("7", "bob", NOW)))

        store.read(["7"], None)

        assert shown(views, player="ann") == (1, 1)
        assert [row.player for row in store.likers("7", 0, 10).rows] == ["ann"]

    def test_one_loads_and_the_others_read_sql(
        self, store: Store, views: Views, meanwhile: Callable[..., list[list[str]]]
    ) -> None:
        store.like("7", "bob", NOW)
        others: list[Shown] = []
        asked = meanwhile(lambda: others.extend(store.read(["7"], None)))

        store.read(["7"], None)

        assert (others, asked) == ([Shown(1, 0)], [["7"]])
        assert shown(views) == (1, 0)

    def test_a_loader_whose_view_was_dropped_meanwhile_installs_nothing(
        self, store: Store, views: Views, meanwhile: Callable[..., object]
    ) -> None:
        meanwhile(lambda: views.drop(["7"]))

        store.read(["7"], None)

        assert shown(views) is None

    def test_a_player_who_is_forgotten_meanwhile_keeps_no_view_from_being_loaded(
        self, store: Store, views: Views, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.like("7", "bob", NOW)
        leases = views.lease(["7"], "token")
        store.like("7", "ann", NOW)
        store.unlike("7", "ann", NOW)
        rows = sql_rows.all_likers("note", ["7"])
        monkeypatch.setattr(Views, "drop", lambda _self, _things: None)  # it was loaded after that
        send = Link.pipeline

        def once(self: Link, commands: Sequence[Sequence[Any]]) -> list[Any]:
            answers = send(self, commands)
            monkeypatch.setattr(Link, "pipeline", refuse)
            return answers

        def refuse(_link: Link, _commands: Sequence[Sequence[Any]]) -> list[Any]:
            raise RedisAway("Redis is away.")

        monkeypatch.setattr(Link, "pipeline", once)
        with pytest.raises(RedisAway):
            views.forget(["7"], "ann")
        monkeypatch.undo()
        views.load(rows, leases, "token")

        assert shown(views) == (1, 0)

    def test_the_lease_of_a_server_that_restarted_is_worth_nothing(self, link: FakeLink, seen: Views) -> None:
        leases = seen.lease(["7"], "token")
        link.run_id = "another"

        seen.load({"7": [("ann", 1, NOW_MS)]}, leases, "token")

        assert shown(seen) is None

    def test_the_view_of_a_server_that_restarted_is_none(self, link: FakeLink, seen: Views) -> None:
        seen.load({"7": [("ann", 1, NOW_MS)]}, seen.lease(["7"], "token"), "token")
        assert shown(seen) == (1, 0)

        link.run_id = "another"

        assert shown(seen) is None
        assert seen.likers("7", 0, 10) is None

    def test_what_is_liked_by_too_many_is_read_from_sql(
        self, store: Store, views: Views, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(hybrid, "MOST_LOADED", 2)
        for player in ("ann", "bob", "cy"):
            store.like("7", player, NOW)
        store.like("8", "ann", NOW)

        found = store.read(["7", "8"], "ann")

        assert [(each.count, each.live) for each in found] == [(3, True), (1, True)]
        assert (shown(views, "7"), shown(views, "8")) == (None, (1, 0))

    def test_every_key_of_a_view_expires_and_the_count_first(self, store: Store) -> None:
        store.read(["7"], None)
        store.like("7", "ann", NOW)

        keys = ThingKeys("note", "7")
        left = {name: redis.boards().call("PTTL", getattr(keys, name)) for name in ("count", "run", "liked_by", "seen")}

        assert all(ms > 0 for ms in left.values())
        assert left["count"] < min(left["run"], left["liked_by"])


class TestTelling:
    def test_an_older_change_that_comes_late_is_nothing(self, store: Store, views: Views) -> None:
        store.read(["7"], None)
        views.tell("7", Told(9, "ann", 0, NOW_MS))

        views.tell("7", Told(8, "ann", 1, NOW_MS))

        assert shown(views, player="ann") == (0, 0)

    def test_told_twice_it_counts_once(self, store: Store, views: Views) -> None:
        store.read(["7"], None)

        for _ in range(2):
            views.tell_all({"7": [Told(8, "ann", 1, NOW_MS), Told(9, "bob", 3, NOW_MS)]}, views.deadline_ms())

        assert shown(views, player="bob") == (4, 3)

    def test_after_its_deadline_nothing_is_told(self, store: Store, views: Views) -> None:
        store.read(["7"], None)

        with pytest.raises(RedisRefused):
            views.tell_all({"7": [Told(8, "ann", 1, NOW_MS)]}, redis.boards().clock_ms() - 1)

        assert shown(views) == (0, 0)

    def test_what_is_remembered_of_changes_goes_two_for_each_that_comes(self, link: FakeLink, seen: Views) -> None:
        keys = ThingKeys("note", "7")
        for nth in range(10):
            seen.tell("7", Told(nth + 1, f"p{nth}", 1, NOW_MS))
            link.call("ZADD", keys.seen_at, 1, f"p{nth}")  # long ago

        seen.tell("7", Told(99, "ann", 1, NOW_MS))

        assert (link.call("HLEN", keys.seen), link.call("ZCARD", keys.seen_at)) == (1, 1)

    def test_asked_for_again_before_the_view_has_heard_of_it_the_answer_is_the_same(self, store: Store) -> None:
        store.like("8", "ann", NOW)
        store.read(["7", "8"], None)

        with patch.object(Views, "tell", return_value=None):
            liked = [store.like("7", "ann", NOW) for _ in range(2)]
            taken_back = [store.unlike("8", "ann", NOW) for _ in range(2)]

        assert (liked[1], taken_back[1]) == (Shown(1, 1), Shown(0, 0))

    def test_inside_a_transaction_sql_answers_and_the_view_hears_of_it_after(self, store: Store, views: Views) -> None:
        store.read(["7"], None)

        with transaction.atomic():
            inside = store.like("7", "ann", NOW)
            before = shown(views)
            [read] = store.read(["7"], "ann")

        assert ((inside.count, inside.own), (read.count, read.own), before) == ((1, 1), (1, 1), (0, 0))
        assert shown(views, player="ann") == (1, 1)

    def test_what_was_rolled_back_no_view_hears_of(self, store: Store, views: Views) -> None:
        store.read(["7"], None)

        with transaction.atomic():
            store.like("7", "ann", NOW)
            transaction.set_rollback(True)

        assert shown(views) == (0, 0)
        assert store.read(["7"], "ann")[0].count == 0


class TestRedisAway:
    def test_likes_go_on_and_say_that_they_are_not_live(self, store: Store) -> None:
        with redis_away():
            liked = store.like("7", "ann", NOW)
            [read], likers = store.read(["7"], "ann"), store.likers("7", 0, 10)

        assert liked == read == Shown(1, 1, live=False)
        assert ([row.player for row in likers.rows], likers.live) == (["ann"], False)

    def test_what_could_not_be_told_is_marked_and_its_view_is_dropped_when_redis_is_back(
        self, store: Store, views: Views, kind: Likeable
    ) -> None:
        store.read(["7", "8"], None)
        with redis_away():
            store.like("7", "ann", NOW)
            count(kind, NOW)
            marked = list(LikeCount.objects.filter(unput=True).values_list("thing", flat=True))
        stale = shown(views)

        count(kind, NOW)

        assert (marked, stale) == (["7"], (0, 0))
        assert (shown(views), shown(views, "8")) == (None, (0, 0))
        assert not LikeCount.objects.filter(unput=True).exists()
        assert store.read(["7"], "ann")[0].count == 1

    def test_a_key_that_is_no_view_is_dropped_and_holds_nobody_up(self, store: Store, kind: Likeable) -> None:
        store.read(["7", "8"], None)
        redis.boards().call("SET", ThingKeys("note", "7").liked_by, "somebody else's")
        store.like("7", "ann", NOW)
        store.like("8", "ann", NOW)

        for _ in range(2):
            count(kind, NOW)

        assert not LikeChange.objects.exists()
        assert store.read(["7", "8"], "ann") == [Shown(1, 1), Shown(1, 1)]
