"""Who is erased likes nothing any more, and no key of Redis names him."""

import threading
from typing import Any

import pytest
import redis as driver
from django.conf import settings
from django.db import connection

from foundation import redis
from foundation.redis import RedisAway
from leaderboards.models import Player
from leaderboards.services.erase import erase_player
from likes.core.kinds import Storage
from likes.models import Like
from likes.stores.choose import store_of
from likes.stores.views import Views
from tests.at_once import at_once
from tests.contracts.likes.kinds import NOW, STORAGES, name_of, registered, settled
from tests.leaderboards.commands.calls import run
from tests.links import links, redis_known

__all__ = ["links", "redis_known"]

pytestmark = pytest.mark.django_db(transaction=True)


def names_in_redis(name: str) -> list[str]:
    """The keys that hold a text with the name in it."""
    with driver.Redis.from_url(settings.REDIS_URL) as client:
        return [key.decode() for key in client.scan_iter() if name.encode() in (client.dump(key) or b"")]


@pytest.mark.parametrize("repeatable", [False, True], ids=["like", "applause"])
@pytest.mark.parametrize("form", STORAGES, ids=name_of)
def test_his_likes_are_taken_back_and_nothing_names_him(
    redis_known: None, form: tuple[Storage, int], repeatable: bool
) -> None:
    Player.objects.create(external_id="gone girl")
    Player.objects.create(external_id="bob")
    with registered(form, repeatable) as kind:
        store = store_of(kind)
        for thing, player in (("1", "gone girl"), ("1", "gone girl"), ("2", "gone girl"), ("1", "bob")):
            store.like(thing, player, NOW)
        store.unlike("2", "gone girl", NOW)
        store.read(["1", "2"], "bob")
        assert bool(names_in_redis("gone girl")) == (form[0] in (Storage.HYBRID, Storage.REDIS))

        erased = erase_player("gone girl", NOW)
        settled(kind)

        assert [shown.count for shown in store.read(["1", "2"], erased.player)] == [1, 0]
        assert [row.player for row in store.likers("1", 0, 10).rows] == ["bob"]
        assert not Like.objects.filter(player__external_id=erased.player, amount__gt=0).exists()
        assert names_in_redis("gone girl") == []


def test_while_redis_is_away_he_is_not_erased_but_banned_and_it_is_run_again(
    redis_known: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    Player.objects.create(external_id="gone girl")
    with registered((Storage.HYBRID, 10)) as kind:
        store_of(kind).read(["1"], None)
        store_of(kind).like("1", "gone girl", NOW)
        redis.boards().reset()
        monkeypatch.setattr(redis.boards(), "_is_known", lambda run_id: False)

        with pytest.raises(RedisAway):
            erase_player("gone girl", NOW)

        monkeypatch.undo()
        redis.boards().reset()
        erase_player("gone girl", NOW)
        assert names_in_redis("gone girl") == []


@pytest.mark.skipif(connection.vendor != "postgresql", reason="on SQLite writers take turns")
def test_a_batch_that_is_still_telling_his_likes_is_waited_for(
    redis_known: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    Player.objects.create(external_id="gone girl")
    telling, go_on = threading.Event(), threading.Event()
    tell_all = Views.tell_all

    def slowly(self: Views, *told: Any) -> None:
        if not telling.is_set():
            telling.set()
            go_on.wait(5)
        tell_all(self, *told)

    monkeypatch.setattr(Views, "tell_all", slowly)

    def erase() -> None:
        telling.wait(5)
        let_go = threading.Timer(1.0, go_on.set)  # long after somebody who does not wait is done
        let_go.start()
        erase_player("gone girl", NOW)
        go_on.set()
        let_go.cancel()

    with registered((Storage.HYBRID, 10)) as kind:
        store_of(kind).read(["1"], None)
        store_of(kind).like("1", "gone girl", NOW)

        at_once([lambda: settled(kind), erase])

        assert names_in_redis("gone girl") == []
        assert store_of(kind).read(["1"], None)[0].count == 0


@pytest.mark.parametrize("form", [form for form in STORAGES if form[0] != Storage.REDIS], ids=name_of)
def test_who_is_erased_while_his_like_is_under_way_likes_nothing(redis_known: None, form: tuple[Storage, int]) -> None:
    Player.objects.create(external_id="gone girl")
    with registered(form) as kind:
        store_of(kind).read(["1"], None)
        Player.objects.update(banned_at=NOW)  # after it was asked, and before the like

        late = store_of(kind).like("1", "gone girl", NOW)
        erase_player("gone girl", NOW)
        later = store_of(kind).like("1", "gone girl", NOW)

        assert [(each.count, each.own, each.changed) for each in (late, later)] == [(0, 0, False)] * 2
        assert names_in_redis("gone girl") == []


@pytest.mark.parametrize("form", STORAGES, ids=name_of)
def test_an_export_holds_his_likes_those_of_the_last_moment_too(redis_known: None, form: tuple[Storage, int]) -> None:
    for name in ("ann", "bob"):
        Player.objects.create(external_id=name)
    with registered(form) as kind:
        store_of(kind).like("1", "ann", NOW)
        store_of(kind).like("2", "bob", NOW)

        kept = run("player_export", "ann").json

    assert [(row["kind"], row["thing"], row["amount"]) for row in kept["likes"]] == [("note", "1", 1)]
