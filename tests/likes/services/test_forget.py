"""Who is erased likes nothing any more, and no key of Redis names them."""

import threading
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection

from foundation.redis import client as redis
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Player
from leaderboards.services.players import erase_hooks
from leaderboards.services.players.erase import erase_player
from likes.core.kinds import Storage
from likes.models import Like
from likes.registry import Likeable
from likes.services import mirror as mirroring
from likes.stores.base import Store
from likes.stores.redis_views import RedisViews
from tests.at_once import at_once
from tests.contracts.likes.kinds import NOW, settled
from tests.leaderboards.commands.calls import run
from tests.leaderboards.factories import PlayerFactory
from tests.likes.kept import IN_REDIS, keys_that_name

pytestmark = pytest.mark.django_db(transaction=True)

GONE = "gone girl"


@pytest.fixture(autouse=True)
def _player(db: None) -> None:
    PlayerFactory.create(external_id=GONE)


@pytest.mark.parametrize("repeatable", [False, True], ids=["like", "applause"])
@pytest.mark.parametrize("storage", Storage, ids=str)
def test_their_likes_are_taken_back_and_nothing_names_them(kind: Likeable, store: Store) -> None:
    for thing, player in (("1", GONE), ("1", GONE), ("2", GONE), ("1", "bob")):
        store.like(thing, player, NOW)
    store.unlike("2", GONE, NOW)
    store.read(["1", "2"], "bob")
    assert bool(keys_that_name(GONE)) == (kind.storage in (Storage.HYBRID, Storage.REDIS))

    erased = erase_player(GONE, NOW)
    settled(kind)

    assert [shown.count for shown in store.read(["1", "2"], erased.player)] == [1, 0]
    assert [row.player for row in store.likers("1", 0, 10).rows] == ["bob"]
    assert not Like.objects.filter(player__external_id=erased.player, amount__gt=0).exists()
    assert keys_that_name(GONE) == []


def test_while_redis_is_away_they_are_not_erased_but_banned_and_it_is_run_again(store: Store) -> None:
    store.read(["1"], None)
    store.like("1", GONE, NOW)
    redis.boards().reset()
    with ExitStack() as nobody_known:
        for server in redis.boards()._topology.servers():
            nobody_known.enter_context(patch.object(server, "_is_known", return_value=False))
        with pytest.raises(redis.RedisAway):
            erase_player(GONE, NOW)

    redis.boards().reset()
    erase_player(GONE, NOW)

    assert keys_that_name(GONE) == []


def test_a_batch_that_is_still_telling_their_likes_is_waited_for(
    kind: Likeable, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    telling, go_on = threading.Event(), threading.Event()
    publish_all = RedisViews.publish_all

    def slowly(self: RedisViews, *told: Any) -> None:
        if not telling.is_set():
            telling.set()
            go_on.wait(5)
        publish_all(self, *told)

    monkeypatch.setattr(RedisViews, "publish_all", slowly)

    def erase() -> None:
        telling.wait(5)
        let_go = threading.Timer(0.3, go_on.set)  # long after somebody who does not wait is done
        let_go.start()
        erase_player(GONE, NOW)
        go_on.set()
        let_go.cancel()

    store.read(["1"], None)
    store.like("1", GONE, NOW)

    at_once([lambda: settled(kind), erase])

    assert keys_that_name(GONE) == []
    assert store.read(["1"], None)[0].count == 0


@pytest.mark.parametrize("storage", [Storage.HYBRID, Storage.SQL, Storage.APPEND], ids=str)
def test_who_is_erased_while_their_like_is_under_way_likes_nothing(store: Store) -> None:
    store.read(["1"], None)
    Player.objects.update(banned_at=NOW)  # after it was asked, and before the like

    late = store.like("1", GONE, NOW)
    erase_player(GONE, NOW)
    later = store.like("1", GONE, NOW)

    assert [(each.count, each.own) for each in (late, later)] == [(0, 0)] * 2
    assert keys_that_name(GONE) == []


@IN_REDIS
@pytest.mark.parametrize("mirrored", ["a mirror has read it", "it is in SQL", "it is in Redis alone"])
def test_a_like_that_comes_before_their_ban_is_heard_of_does_not_bring_the_name_back(
    kind: Likeable, store: Store, monkeypatch: pytest.MonkeyPatch, mirrored: str
) -> None:
    has_read, go_on = threading.Event(), threading.Event()

    def pause(step: str) -> None:
        if step == "mirror_likes.after_read" and threading.current_thread().name == "paused":
            has_read.set()
            go_on.wait(5)

    def mirror_slowly() -> None:
        mirroring.mirror(kind)
        connection.close()

    paused = threading.Thread(target=mirror_slowly, name="paused")
    let_go = threading.Timer(0.5, go_on.set)  # long after somebody who does not wait is done

    def late(_player: Player, _at: object) -> None:
        store.like("1", GONE, NOW)
        if mirrored == "it is in SQL":
            settled(kind)
        elif mirrored == "a mirror has read it":
            paused.start()
            has_read.wait(5)
            let_go.start()

    monkeypatch.setattr(mirroring, "failpoint", pause)
    hooks = [*erase_hooks.hooks_before, late]
    with patch.object(erase_hooks, "hooks_before", hooks), pytest.raises(StorageUnavailable):
        erase_player(GONE, NOW)
    go_on.set()
    if paused.ident:
        paused.join()

    assert Player.objects.filter(external_id=GONE).exists()
    erase_player(GONE, NOW)
    settled(kind)
    assert not Player.objects.filter(external_id=GONE).exists()
    assert keys_that_name(GONE) == []


@IN_REDIS
def test_an_export_holds_their_likes_of_the_last_moment_too(store: Store) -> None:
    store.like("1", GONE, NOW)

    kept = run("player_export", GONE).json

    assert [(row["kind"], row["thing"], row["amount"]) for row in kept["likes"]] == [("note", "1", 1)]
