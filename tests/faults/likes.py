"""What tests have children do with likes that SQL decides over (``note``) or Redis (``cheer``, and ``clap`` often).

Each writer likes in the name of players of his own, so that what he was told last is what must stand.
"""

import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from typing import Any

from django.db import OperationalError

from foundation import clock
from foundation.errors import Unavailable
from foundation.redis import client as redis
from foundation.sync.registering import register_server
from foundation.worker.due import find_due_work
from leaderboards.stores.sql.writes import ensure_players
from likes import registry
from likes.core.keys import KindKeys
from likes.core.kinds import Storage
from likes.models import Like, LikeChange, LikeCount
from likes.registry import Likeable
from likes.services import mirror
from likes.services import resync as settle
from likes.services.check import check_all
from likes.services.count import count
from likes.services.due_work import COUNT_TASK, MIRROR_TASK, SETTLE_TASK
from likes.stores.choose import store_of
from likes.stores.redis_views import RedisViews
from tests.faults.history import Notes, like_a_request
from tests.faults.processes import stopping
from tests.faults.trying import at_last

NOTE = Likeable("note", boards=dict.fromkeys, storage=Storage.HYBRID)
CHEER = Likeable("cheer", boards=dict.fromkeys, storage=Storage.REDIS)
CLAP = Likeable("clap", boards=dict.fromkeys, storage=Storage.REDIS, repeatable=True)
KINDS = {kind.kind: kind for kind in (NOTE, CHEER, CLAP)}
for _kind in KINDS.values():
    registry.register_kind(_kind)


def prepare(players: Sequence[str], things: Sequence[str]) -> None:
    """Players whom SQL knows, a Redis that SQL knows, and views of the things."""
    settle.resync_due(clock.now())
    ensure_players(players, clock.now())
    show(things)


def show(things: Sequence[str]) -> list[int]:
    return [shown.count for shown in store_of(NOTE).read(things, None)]


def set_like(thing: str, player: str, liked: bool) -> None:
    store = store_of(NOTE)
    (store.like if liked else store.unlike)(thing, player, clock.now())


def write(history: str, kinds: Sequence[str], players: Sequence[str], things: Sequence[str], seed: int) -> None:
    """Like and take back at random until told to stop."""
    notes, dice = Notes(history), random.Random(seed)
    while not stopping():
        kind, thing, player = dice.choice(kinds), dice.choice(things), dice.choice(players)
        step = 1 if dice.random() < 0.6 else -1
        store = store_of(KINDS[kind])
        with notes.call(kind=kind, thing=thing, player=player, step=step) as said:
            said["own"] = (store.like if step > 0 else store.unlike)(thing, player, clock.now()).own
        time.sleep(0.001 if "own" in said else 0.01)


def read(history: str, things: Sequence[str], seed: int) -> None:
    notes, dice = Notes(history), random.Random(seed)
    while not stopping():
        with notes.call():
            assert min(show(dice.sample(things, dice.randint(1, len(things))))) >= 0


def count_once() -> int:
    return count(NOTE, clock.now())


DUTIES: dict[str, Callable[[], object]] = {
    "greet": register_server,
    "count": lambda: COUNT_TASK in find_due_work() and count_once(),
    "mirror_likes": lambda: MIRROR_TASK in find_due_work() and mirror.mirror_all(),
    "settle_likes": lambda: SETTLE_TASK in find_due_work() and settle.resync_due(clock.now()),
}


def work(only: Sequence[str] = ()) -> None:
    """The worker's tasks, where a look says so, until told to stop. Only counting needs no Redis.

    A loaded machine may keep us from a transaction for so long that PostgreSQL ends it: the schedule comes again.
    """
    while not stopping():
        for name in only or DUTIES:
            may_fail = (OperationalError,) if name == "count" else (OperationalError, Unavailable)
            with suppress(*may_fail), like_a_request():
                DUTIES[name]()
        time.sleep(0.02)


def mark_unput(thing: str) -> None:
    """As after a change that Redis was not told of."""
    count_once()
    LikeCount.objects.filter(kind=NOTE.kind, thing=thing).update(pending_publish=True)


def bring_to_rest(things: Sequence[str], seconds: float = 60.0) -> list[dict[str, Any]]:
    """Work until nothing waits, and Redis was told of all; what each place says then."""
    until = time.monotonic() + seconds
    while left := at_last(_left_to_do):
        assert time.monotonic() < until, f"no rest after {seconds} s: {left}"
        time.sleep(0.02)
    return look(things)


def _left_to_do() -> str:
    try:
        settle.resync_due(clock.now())
        count_once()
        for kind in (CHEER, CLAP):
            mirror.mirror(kind)
            if redis.boards().call("HLEN", KindKeys(kind.kind).dirty):
                return f"{kind} are dirty"
    except Unavailable as error:
        return error.detail
    waits = LikeChange.objects.exists() or LikeCount.objects.filter(pending_publish=True).exists()
    return "changes wait" if waits else ""


def look(things: Sequence[str]) -> list[dict[str, Any]]:
    """What each place says of each thing. A view is looked at as it is, before anybody loads it anew."""
    views = dict(zip(things, RedisViews(NOTE.kind, redis.boards()).inspect(things), strict=True))
    found = []
    for kind in KINDS.values():
        for thing in things:
            [shown], likers = store_of(kind).read([thing], None), store_of(kind).likers(thing, 0, 1000)
            of_it = {"kind": kind.kind, "thing": thing}
            view = views[thing] if kind is NOTE else None
            found.append({
                **of_it,
                "live": shown.live and likers.live,
                "shown": shown.count,
                "likers": {row.player: row.amount for row in likers.rows},
                "view": view and [view.count, view.total],
                "count": LikeCount.objects.filter(**of_it).values_list("count", flat=True).first() or 0,
                "rows": dict(Like.objects.filter(**of_it, amount__gt=0).values_list("player__external_id", "amount")),
            })  # fmt: skip  # as a table
    return found


def differences() -> int:
    return sum(len(each.differences) for each in check_all(clock.now(), inf, repair=False))
