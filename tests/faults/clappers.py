"""Children that like things of a kind that Redis decides over, mirror and settle it; and what the test asks of them.

A line is written before a call and another one after it, so a call without its second line has an unknown outcome.
Each writer likes in the name of players of his own, so that what he was told last is what must stand.
"""

import logging
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

from foundation import clock, redis
from foundation.errors import Unavailable
from likes import registry
from likes.core.keys import KindKeys, ThingKeys
from likes.core.kinds import Storage
from likes.errors import LikeUnknown
from likes.models import Like, LikeCount
from likes.registry import Likeable
from likes.services import mirror, settle
from likes.stores.redis import RedisStore
from tests.faults.nursery import stopping
from tests.faults.writers import Notes, do_all, like_a_request

logger = logging.getLogger(__name__)

THING = "1"
KINDS = [
    Likeable("cheer", boards=dict.fromkeys, storage=Storage.REDIS),
    Likeable("clap", boards=dict.fromkeys, storage=Storage.REDIS, repeatable=True),
]


def register() -> None:
    for kind in KINDS:
        registry.provide(kind)


def write(history: str, name: str, seed: int, players: int = 8, pause: float = 0.0) -> int:
    """Like and take back at random until told to stop; how many calls got an answer."""
    notes, dice, answered, call = Notes(history), random.Random(seed), 0, 0
    stores = {kind.kind: RedisStore(kind) for kind in KINDS}
    while not stopping():
        call += 1
        kind, player = dice.choice([*stores]), f"{name}-{dice.randrange(players)}"
        step = 1 if dice.random() < 0.6 else -1
        notes.write(call=call, kind=kind, player=player, step=step)
        deed = stores[kind].like if step > 0 else stores[kind].unlike
        try:
            with like_a_request():
                shown = deed(THING, player, clock.now())
        except LikeUnknown:
            notes.write(call=call, fate="unknown")
        except Unavailable:
            notes.write(call=call, fate="failed")
            time.sleep(0.01)
        else:
            answered += 1
            notes.write(call=call, fate="ok", own=shown.own, changed=shown.changed, count=shown.count)
        if pause:
            time.sleep(pause)
    return answered


def work(only: Sequence[str] = (), pause: float = 0.02) -> int:
    """Mirror and settle until told to stop; how many rounds that were."""
    register()
    duties: dict[str, Callable[[], object]] = {
        "mirror": mirror.mirror_all,
        "settle": lambda: settle.settle_due(clock.now()),
    }
    return do_all({name: duty for name, duty in duties.items() if not only or name in only}, pause)


def bring_to_rest(seconds: float = 60.0) -> dict[str, Any]:
    """Settle and mirror until nothing is dirty; then what the count, the set and SQL say of each kind."""
    register()
    until = time.monotonic() + seconds
    while left := _left_to_do():
        assert time.monotonic() < until, f"no rest after {seconds} s: {left}"
        time.sleep(0.05)
    return {kind.kind: _told(kind) for kind in KINDS}


def _left_to_do() -> str:
    try:
        settle.settle_due(clock.now())
        for kind in KINDS:
            mirror.mirror(kind)
            if redis.boards().call("HLEN", KindKeys(kind.kind).dirty):
                return f"{kind.kind} is dirty"
    except Unavailable as error:
        return error.detail
    return ""


def _told(kind: Likeable) -> dict[str, Any]:
    keys, link = ThingKeys(kind.kind, THING), redis.settling()
    players = [cell.decode() for cell in link.call("ZRANGE", keys.liked_by, 0, -1)]
    amounts = [int(link.call("HGET", keys.amounts, player)) if kind.repeatable else 1 for player in players]
    rows = Like.objects.filter(kind=kind.kind, thing=THING, amount__gt=0)
    counted = LikeCount.objects.filter(kind=kind.kind, thing=THING).values_list("count", flat=True).first()
    return {
        "count": int(link.call("GET", keys.count) or 0),
        "set": dict(zip(players, amounts, strict=True)),
        "sql_count": counted or 0,
        "sql": dict(rows.values_list("player__external_id", "amount")),
    }
