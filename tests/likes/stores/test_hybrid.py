"""Hybrid likes where moments meet: a page in one round trip, a view loaded while others write."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation import redis
from foundation.redis import Link, RedisAway
from likes.core.keys import ThingKeys
from likes.registry import Likeable
from likes.stores import hybrid, sql_rows
from likes.stores.hybrid import HybridStore
from likes.stores.views import Views
from tests.contracts.likes.kinds import NOW
from tests.fake_link import FakeLink
from tests.likes.stores.seen import refuse, shown

pytestmark = pytest.mark.django_db(transaction=True)

LATER = NOW + timedelta(seconds=5)
NOW_MS = int(NOW.timestamp() * 1000)
PAGE = [str(nth) for nth in range(50)]


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
