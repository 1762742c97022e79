"""Hybrid likes told late, twice, or never: what the view makes of it, and what stands in for it."""

from datetime import timedelta

import pytest
from django.db import transaction

from foundation import redis
from foundation.redis import Link, RedisRefused
from likes.core.keys import ThingKeys
from likes.models import LikeChange, LikeCount
from likes.registry import Likeable
from likes.services.count import count
from likes.stores.hybrid import HybridStore
from likes.stores.views import Told, Views
from tests.contracts.likes.kinds import NOW
from tests.fake_link import FakeLink
from tests.likes.stores.seen import refuse, shown

pytestmark = pytest.mark.django_db(transaction=True)

LATER = NOW + timedelta(seconds=5)
NOW_MS = int(NOW.timestamp() * 1000)
PAGE = [str(nth) for nth in range(50)]


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
