"""What tests have children do with hybrid likes: give and take back, count, read, and tell what SQL and Redis say."""

import random
import time
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from typing import Any

from foundation import clock, redis
from foundation.errors import Unavailable
from leaderboards.services.settle import greet
from leaderboards.stores.sql_writes import ensure_players
from likes import registry
from likes.core.kinds import Storage
from likes.models import Like, LikeChange, LikeCount
from likes.registry import Likeable
from likes.services.check import check
from likes.services.count import count
from likes.stores.choose import store_of
from likes.stores.views import Views
from tests.faults.nursery import stopping
from tests.faults.writers import Notes, like_a_request

NOTE = Likeable("note", boards=dict.fromkeys, storage=Storage.HYBRID)
registry.provide(NOTE)


def prepare(players: Sequence[str], things: Sequence[str]) -> None:
    """Players whom SQL knows, a Redis that SQL knows, and views of the things."""
    greet()
    ensure_players(players, clock.now())
    show(things)


def show(things: Sequence[str]) -> list[int]:
    """What the things show, loading what has no view."""
    return [shown.count for shown in store_of(NOTE).read(things, None)]


def set_like(thing: str, player: str, liked: bool) -> bool:
    """Give a like or take it back; whether it is there."""
    store = store_of(NOTE)
    return (store.like if liked else store.unlike)(thing, player, clock.now()).liked


def like_at_random(history: str, players: Sequence[str], things: Sequence[str], seed: int) -> None:
    """Until asked to stop: each line says what was done."""
    notes, dice = Notes(history), random.Random(seed)
    while not stopping():
        thing, player, liked = dice.choice(things), dice.choice(players), dice.random() < 0.6
        with like_a_request():
            assert set_like(thing, player, liked) == liked
        notes.write(thing=thing, player=player, liked=liked)


def read_at_random(things: Sequence[str], seed: int) -> None:
    """Until asked to stop."""
    dice = random.Random(seed)
    while not stopping():
        with like_a_request():
            assert min(show(dice.sample(things, dice.randint(1, len(things))))) >= 0


def work() -> None:
    """The worker's two tasks, until asked to stop."""
    while not stopping():
        with like_a_request(), suppress(Unavailable):
            greet()
        with like_a_request():
            count(NOTE, clock.now())
        time.sleep(0.02)


def count_once() -> int:
    """The worker's task."""
    return count(NOTE, clock.now())


def mark_unput(thing: str) -> None:
    """As after a change that Redis was not told of."""
    count_once()
    LikeCount.objects.filter(kind=NOTE.kind, thing=thing).update(unput=True)


def bring_to_rest(seconds: float = 30.0) -> None:
    """Count until nothing waits, and Redis was told of all."""
    until = time.monotonic() + seconds
    while True:
        with suppress(Unavailable):
            greet()
            count_once()
            redis.boards().call("PING")
            if not LikeChange.objects.exists() and not LikeCount.objects.filter(unput=True).exists():
                return
        assert time.monotonic() < until, "changes still wait"
        time.sleep(0.05)


def look(things: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What each place says of each thing. A view is looked at as it is, before anybody loads it anew."""
    views = Views(NOTE.kind, redis.boards()).look(things)
    return {
        thing: {
            "rows": sorted(_rows(thing)),
            "count": LikeCount.objects.filter(kind=NOTE.kind, thing=thing).values_list("count", flat=True).first() or 0,
            "view": None if view is None else [view.count, view.total],
            "shown": show([thing])[0],
            "likers": sorted(row.player for row in store_of(NOTE).likers(thing, 0, 1000).rows),
        }
        for thing, view in zip(things, views, strict=True)
    }


def differences() -> int:
    """How many the check finds."""
    return len(check(NOTE, clock.now(), inf, repair=False).differences)


def _rows(thing: str) -> list[str]:
    rows = Like.objects.filter(kind=NOTE.kind, thing=thing, amount__gt=0)
    return list(rows.values_list("player__external_id", flat=True))
