"""Hybrid likes where moments meet: a view loaded while others write, what comes late, what Redis never heard."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from foundation import redis
from foundation.redis import Link, RedisAway, RedisRefused
from leaderboards.stores.sql_writes import ensure_players
from likes.core.keys import ThingKeys
from likes.core.kinds import Storage
from likes.models import LikeChange, LikeCount
from likes.registry import Likeable
from likes.services.count import count
from likes.stores import hybrid, sql_rows
from likes.stores.hybrid import HybridStore
from likes.stores.views import Told, Views
from tests.contracts.likes.kinds import NOW, registered
from tests.fake_link import FakeLink
from tests.links import links, redis_known

__all__ = ["links", "redis_known"]

pytestmark = pytest.mark.django_db(transaction=True)

LATER = NOW + timedelta(seconds=5)
NOW_MS = int(NOW.timestamp() * 1000)
PAGE = [str(nth) for nth in range(50)]


@pytest.fixture
def kind(redis_known: None) -> Iterator[Likeable]:
    ensure_players(["ann", "bob", "cy"], NOW)
    with registered((Storage.HYBRID, 10)) as likeable:
        yield likeable


@pytest.fixture
def store(kind: Likeable) -> HybridStore:
    return HybridStore(kind)


@pytest.fixture
def views(kind: Likeable) -> Views:
    return Views(kind.kind, redis.boards())


def shown(views: Views, thing: str = "7", player: str | None = None) -> tuple[int, int] | None:
    """Count and own as the view has them; None without a view."""
    [found] = views.read([thing], player)
    return None if found is None else (found.count, found.own)


class TestRoundTrips:
    def test_a_page_with_views_is_one_round_trip_and_no_query(
        self, store: HybridStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.like("3", "ann", NOW)
        store.read(PAGE, "ann")
        trips = count_trips(monkeypatch)

        with CaptureQueriesContext(connection) as queries:
            found = store.read(PAGE, "ann")

        assert (len(trips), len(queries)) == (1, 0)
        assert [each.own for each in found] == [int(thing == "3") for thing in PAGE]

    def test_a_page_without_views_is_two_queries_whatever_its_length(
        self, store: HybridStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        redis.boards().call("PING")
        trips = count_trips(monkeypatch)

        with CaptureQueriesContext(connection) as queries:
            store.read(PAGE, "ann")

        assert len(queries) == 2
        assert len(trips) <= 7  # read, lease, install, and once each more for a script that Redis has not seen

    def test_a_like_is_one_statement_and_one_script(self, store: HybridStore, monkeypatch: pytest.MonkeyPatch) -> None:
        store.read(["7"], None)
        store.like("7", "bob", NOW)
        trips = count_trips(monkeypatch)

        with CaptureQueriesContext(connection) as queries:
            store.like("7", "ann", NOW)

        assert len(trips) == 1
        if connection.vendor == "postgresql":
            assert len(queries) == 1


def count_trips(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many commands went in each round trip from here on."""
    trips: list[int] = []
    exchange = Link._exchange

    def counted(self: Link, commands: Sequence[Sequence[Any]]) -> list[Any]:
        if commands:
            trips.append(len(commands))
        return exchange(self, commands)

    monkeypatch.setattr(Link, "_exchange", counted)
    return trips


class TestLoading:
    def test_who_commits_after_the_loader_has_read_is_not_lost(
        self, store: HybridStore, views: Views, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.like("7", "bob", NOW)
        read = sql_rows.all_likers

        def meanwhile(kind: str, things: Sequence[str]) -> Any:
            found = read(kind, things)
            monkeypatch.undo()
            store.like("7", "ann", NOW)
            store.unlike("7", "bob", NOW)
            return found

        monkeypatch.setattr(sql_rows, "all_likers", meanwhile)

        store.read(["7"], None)

        assert shown(views, player="ann") == (1, 1)
        assert [row.player for row in store.likers("7", 0, 10).rows] == ["ann"]

    def test_one_loads_and_the_others_read_sql(
        self, store: HybridStore, views: Views, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.like("7", "bob", NOW)
        read, asked = sql_rows.all_likers, []

        def meanwhile(kind: str, things: Sequence[str]) -> Any:
            asked.append(things)
            if len(asked) == 1:
                assert [(each.count, each.live) for each in store.read(["7"], None)] == [(1, True)]
            return read(kind, things)

        monkeypatch.setattr(sql_rows, "all_likers", meanwhile)

        store.read(["7"], None)

        assert asked == [["7"]]
        assert shown(views) == (1, 0)

    def test_a_loader_whose_view_was_dropped_meanwhile_installs_nothing(
        self, store: HybridStore, views: Views, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read = sql_rows.all_likers

        def meanwhile(kind: str, things: Sequence[str]) -> Any:
            found = read(kind, things)
            views.drop(things)
            return found

        monkeypatch.setattr(sql_rows, "all_likers", meanwhile)

        store.read(["7"], None)

        assert shown(views) is None

    def test_a_player_who_is_forgotten_meanwhile_keeps_no_view_from_being_loaded(
        self, store: HybridStore, views: Views, monkeypatch: pytest.MonkeyPatch
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

        monkeypatch.setattr(Link, "pipeline", once)
        with pytest.raises(RedisAway):
            views.forget(["7"], "ann")
        monkeypatch.undo()
        views.load(rows, leases, "token")

        assert shown(views) == (1, 0)

    def test_the_lease_of_a_server_that_restarted_is_worth_nothing(self, kind: Likeable) -> None:
        link = FakeLink()
        views = Views(kind.kind, link)
        leases = views.lease(["7"], "token")
        link.run_id = "another"

        views.load({"7": [("ann", 1, NOW_MS)]}, leases, "token")

        assert shown(views) is None

    def test_the_view_of_a_server_that_restarted_is_none(self, kind: Likeable) -> None:
        link = FakeLink()
        views = Views(kind.kind, link)
        views.load({"7": [("ann", 1, NOW_MS)]}, views.lease(["7"], "token"), "token")
        assert shown(views) == (1, 0)

        link.run_id = "another"

        assert shown(views) is None
        assert views.likers("7", 0, 10) is None

    def test_what_is_liked_by_too_many_is_read_from_sql(
        self, store: HybridStore, views: Views, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(hybrid, "MOST_LOADED", 2)
        for player in ("ann", "bob", "cy"):
            store.like("7", player, NOW)
        store.like("8", "ann", NOW)

        found = store.read(["7", "8"], "ann")

        assert [(each.count, each.live) for each in found] == [(3, True), (1, True)]
        assert (shown(views, "7"), shown(views, "8")) == (None, (1, 0))

    def test_every_key_of_a_view_expires_and_the_count_first(self, store: HybridStore) -> None:
        store.read(["7"], None)
        store.like("7", "ann", NOW)

        keys = ThingKeys("note", "7")
        left = {name: redis.boards().call("PTTL", getattr(keys, name)) for name in ("count", "run", "liked_by", "seen")}

        assert all(ms > 0 for ms in left.values())
        assert left["count"] < min(left["run"], left["liked_by"])


class TestTelling:
    def test_an_older_change_that_comes_late_is_nothing(self, store: HybridStore, views: Views) -> None:
        store.read(["7"], None)
        views.tell("7", Told(9, "ann", 0, NOW_MS))

        views.tell("7", Told(8, "ann", 1, NOW_MS))

        assert shown(views, player="ann") == (0, 0)

    def test_told_twice_it_counts_once(self, store: HybridStore, views: Views) -> None:
        store.read(["7"], None)

        for _ in range(2):
            views.tell_all({"7": [Told(8, "ann", 1, NOW_MS), Told(9, "bob", 3, NOW_MS)]}, views.deadline_ms())

        assert shown(views, player="bob") == (4, 3)

    def test_after_its_deadline_nothing_is_told(self, store: HybridStore, views: Views) -> None:
        store.read(["7"], None)

        with pytest.raises(RedisRefused):
            views.tell_all({"7": [Told(8, "ann", 1, NOW_MS)]}, redis.boards().clock_ms() - 1)

        assert shown(views) == (0, 0)

    def test_what_is_remembered_of_changes_goes_two_for_each_that_comes(self, kind: Likeable) -> None:
        link = FakeLink()
        views, keys = Views(kind.kind, link), ThingKeys(kind.kind, "7")
        for nth in range(10):
            views.tell("7", Told(nth + 1, f"p{nth}", 1, NOW_MS))
            link.call("ZADD", keys.seen_at, 1, f"p{nth}")  # long ago

        views.tell("7", Told(99, "ann", 1, NOW_MS))

        assert (link.call("HLEN", keys.seen), link.call("ZCARD", keys.seen_at)) == (1, 1)

    def test_asked_for_again_before_the_view_has_heard_of_it_the_answer_is_the_same(
        self, store: HybridStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.read(["7"], None)
        with monkeypatch.context() as slow:
            slow.setattr(Views, "tell", lambda _self, _thing, _change: None)
            store.like("7", "ann", NOW)
            liked = store.like("7", "ann", NOW)
        store.like("8", "ann", NOW)
        store.read(["8"], None)
        with monkeypatch.context() as slow:
            slow.setattr(Views, "tell", lambda _self, _thing, _change: None)
            store.unlike("8", "ann", NOW)
            taken_back = store.unlike("8", "ann", NOW)

        assert [(each.count, each.own, each.live) for each in (liked, taken_back)] == [(1, 1, True), (0, 0, True)]

    def test_inside_a_transaction_sql_answers_and_the_view_hears_of_it_after(
        self, store: HybridStore, views: Views
    ) -> None:
        store.read(["7"], None)

        with transaction.atomic():
            inside = store.like("7", "ann", NOW)
            before = shown(views)
            read = store.read(["7"], "ann")[0]

        assert ((inside.count, inside.own), (read.count, read.own), before) == ((1, 1), (1, 1), (0, 0))
        assert shown(views, player="ann") == (1, 1)

    def test_what_was_rolled_back_no_view_hears_of(self, store: HybridStore, views: Views) -> None:
        store.read(["7"], None)

        with transaction.atomic():
            store.like("7", "ann", NOW)
            transaction.set_rollback(True)

        assert shown(views) == (0, 0)
        assert store.read(["7"], "ann")[0].count == 0


def refuse(_link: Link, _commands: Sequence[Sequence[Any]]) -> list[Any]:
    """What is sent to Redis does not get there."""
    raise RedisAway("Redis is away.")


class TestRedisAway:
    def test_likes_go_on_and_say_that_they_are_not_live(
        self, store: HybridStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Link, "_exchange", refuse)

        liked = store.like("7", "ann", NOW)

        read, likers = store.read(["7"], "ann")[0], store.likers("7", 0, 10)
        assert [(each.count, each.own, each.live) for each in (liked, read)] == [(1, 1, False)] * 2
        assert ([row.player for row in likers.rows], likers.live) == (["ann"], False)

    def test_what_could_not_be_told_is_marked_and_its_view_is_dropped_when_redis_is_back(
        self, store: HybridStore, views: Views, kind: Likeable, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.read(["7", "8"], None)
        with monkeypatch.context() as gone:
            gone.setattr(Link, "_exchange", refuse)
            store.like("7", "ann", NOW)
            count(kind, NOW)
            marked = list(LikeCount.objects.filter(unput=True).values_list("thing", flat=True))
        stale = shown(views)

        count(kind, NOW)

        assert (marked, stale) == (["7"], (0, 0))
        assert (shown(views), shown(views, "8")) == (None, (0, 0))
        assert not LikeCount.objects.filter(unput=True).exists()
        assert store.read(["7"], "ann")[0].count == 1

    def test_a_key_that_is_no_view_is_dropped_and_holds_nobody_up(
        self, store: HybridStore, views: Views, kind: Likeable
    ) -> None:
        store.read(["7", "8"], None)
        redis.boards().call("SET", ThingKeys("note", "7").liked_by, "somebody else's")
        store.like("7", "ann", NOW)
        store.like("8", "ann", NOW)

        for _ in range(2):
            count(kind, NOW)

        assert not LikeChange.objects.exists()
        assert [(each.count, each.live) for each in store.read(["7", "8"], "ann")] == [(1, True), (1, True)]
