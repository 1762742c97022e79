"""What every store of likes does, by example."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from leaderboards.stores.sql_writes import ensure_players
from likes.core.kinds import Storage
from likes.stores.base import Liker, Store
from likes.stores.choose import store_of
from tests.contracts.likes.kinds import NOW, STORAGES, name_of, registered

pytestmark = [pytest.mark.contract, pytest.mark.django_db(transaction=True)]

LATER = NOW + timedelta(milliseconds=1)


@pytest.fixture(params=STORAGES, ids=name_of)
def store(request: pytest.FixtureRequest, redis_known: None) -> Iterator[Store]:
    with registered(request.param) as kind:
        ensure_players(["ann", "bob", "가"], NOW)
        yield store_of(kind)


@pytest.fixture(params=STORAGES, ids=name_of)
def applause(request: pytest.FixtureRequest, redis_known: None) -> Iterator[Store]:
    with registered(request.param, repeatable=True) as kind:
        ensure_players(["ann", "bob"], NOW)
        yield store_of(kind)


class TestALike:
    def test_nobody_likes_a_thing_at_first(self, store: Store) -> None:
        [shown] = store.read(["7"], "ann")

        assert (shown.count, shown.own, shown.liked, shown.live) == (0, 0, False, True)

    def test_it_counts_and_is_his(self, store: Store) -> None:
        shown = store.like("7", "ann", NOW)

        assert (shown.count, shown.own, shown.liked, shown.live) == (1, 1, True, True)

    def test_asked_for_twice_it_is_there_once_and_keeps_its_time(self, store: Store) -> None:
        store.like("7", "ann", NOW)

        shown = store.like("7", "ann", LATER)

        assert (shown.count, shown.own) == (1, 1)
        assert store.likers("7", 0, 10).rows == [Liker("ann", 1, NOW)]

    def test_taken_back_it_is_gone(self, store: Store) -> None:
        store.like("7", "ann", NOW)
        store.like("7", "bob", NOW)

        shown = store.unlike("7", "ann", LATER)

        assert (shown.count, shown.own) == (1, 0)
        assert store.likers("7", 0, 10).rows == [Liker("bob", 1, NOW)]

    def test_taken_back_twice_or_never_given_it_is_below_nothing(self, store: Store) -> None:
        store.like("7", "ann", NOW)
        store.unlike("7", "ann", NOW)

        again, never = store.unlike("7", "ann", NOW), store.unlike("7", "bob", NOW)

        assert (again.count, never.count) == (0, 0)

    def test_given_again_it_is_as_new(self, store: Store) -> None:
        store.like("7", "ann", NOW)
        store.unlike("7", "ann", NOW)

        shown = store.like("7", "ann", LATER)

        assert (shown.count, shown.own) == (1, 1)
        assert store.likers("7", 0, 10).rows == [Liker("ann", 1, LATER)]

    def test_another_thing_and_another_kind_know_nothing_of_it(self, store: Store) -> None:
        store.like("7", "ann", NOW)

        with registered((Storage.SQL, 10), kind="photo") as photo:
            others = [*store.read(["8", "70", "a.b:c"], "ann"), *store_of(photo).read(["7"], "ann")]

        assert [(shown.count, shown.own) for shown in others] == [(0, 0)] * 4


class TestReading:
    def test_many_things_come_in_the_order_asked_for(self, store: Store) -> None:
        store.like("a", "ann", NOW)
        store.like("c", "ann", NOW)
        store.like("c", "bob", NOW)

        found = store.read(["c", "b", "a", "c"], "bob")

        assert [(shown.count, shown.own) for shown in found] == [(2, 1), (0, 0), (1, 0), (2, 1)]

    def test_nobody_likes_nothing_himself(self, store: Store) -> None:
        store.like("a", "ann", NOW)

        found = store.read(["a"], None)

        assert [(shown.count, shown.own) for shown in found] == [(1, 0)]

    def test_a_player_whom_nobody_knows_likes_nothing(self, store: Store) -> None:
        store.like("a", "ann", NOW)

        found = store.read(["a"], "who")

        assert [(shown.count, shown.own) for shown in found] == [(1, 0)]

    def test_of_no_things_nothing_is_read(self, store: Store) -> None:
        assert store.read([], "ann") == []


class TestLikers:
    def test_the_newest_comes_first_and_at_one_moment_the_greater_id(self, store: Store) -> None:
        for player, at in (("가", NOW), ("ann", NOW), ("bob", LATER)):
            store.like("7", player, at)

        found = store.likers("7", 0, 10)

        assert found.total == 3
        assert [row.player for row in found.rows] == ["bob", "가", "ann"]

    def test_they_come_in_pages(self, store: Store) -> None:
        for player, at in (("가", NOW), ("ann", NOW), ("bob", LATER)):
            store.like("7", player, at)

        pages = [store.likers("7", offset, 2) for offset in (0, 2, 4)]

        assert [page.total for page in pages] == [3, 3, 3]
        assert [[row.player for row in page.rows] for page in pages] == [["bob", "가"], ["ann"], []]

    def test_a_moment_is_a_millisecond(self, store: Store) -> None:
        store.like("7", "ann", NOW + timedelta(microseconds=999))
        store.like("7", "bob", NOW)

        found = store.likers("7", 0, 10)

        assert found.rows == [Liker("bob", 1, NOW), Liker("ann", 1, NOW)]


class TestApplause:
    def test_each_clap_counts_and_the_latest_gives_the_time(self, applause: Store) -> None:
        applause.like("7", "bob", NOW)
        applause.like("7", "ann", NOW)

        shown = applause.like("7", "bob", LATER)

        found = applause.likers("7", 0, 10)
        assert (shown.count, shown.own) == (3, 2)
        assert (found.total, found.rows) == (2, [Liker("bob", 2, LATER), Liker("ann", 1, NOW)])

    def test_one_is_taken_back_at_a_time_and_never_below_none(self, applause: Store) -> None:
        applause.like("7", "ann", NOW)
        applause.like("7", "bob", NOW)
        applause.like("7", "bob", LATER)

        told = [applause.unlike("7", "bob", LATER) for _ in range(3)]

        assert [(shown.count, shown.own) for shown in told] == [(2, 1), (1, 0), (1, 0)]

    def test_what_remains_keeps_its_time(self, applause: Store) -> None:
        applause.like("7", "ann", NOW)
        applause.like("7", "ann", NOW)

        applause.unlike("7", "ann", LATER)

        assert applause.likers("7", 0, 10).rows == [Liker("ann", 1, NOW)]
