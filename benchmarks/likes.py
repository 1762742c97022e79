"""One hot thing, liked by many at once: one row, shards, append-and-aggregate, redis, hybrid, in one run.

    python -m benchmarks.likes [--players 20000] [--seconds 1] [--passes 5] [--json FILE]

PostgreSQL (fsync on), Valkey (AOF, everysec). Sixteen processes like and take back through the store of each way, while
this one counts and mirrors every second, as the worker does. The players are shared out: nobody races themselves.
"""

import multiprocessing
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Figure, Sample, Size, over, rounded

WRITERS = 16
MOST_PLAYERS = 20_000
EVERY = 1.0
THING = "hot"
# The rates that give the sql storage so many shards: benchmarks/likes measures whether that advice is right.
SHARDED = {"one_row": 100, "shards_10": 1_000, "shards_100": 10_000, "shards_1000": 100_000}
WAYS = (*SHARDED, "append", "redis", "hybrid")
fork = multiprocessing.get_context("fork")


@dataclass(frozen=True, slots=True)
class Pass:
    """What one way did in one pass: likes a second, and seconds of a reading, while writing and after it."""

    likes: Sample
    while_writing: Sample
    after: Sample


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run."""
    from benchmarks.harness.boards import forget_redis, make_players
    from foundation import clock
    from leaderboards.services.sync.resync_periods import resync_due
    from likes.registry import register_kind
    from likes.services import resync as kinds

    names = make_players(min(size.players, MOST_PLAYERS))
    ways = {name: _Way(name, names) for name in WAYS}
    for way in ways.values():
        register_kind(way.likeable)
    forget_redis()
    resync_due(clock.now())
    kinds.resync_due(clock.now())
    passes = [{name: way.measure(size.seconds) for name, way in ways.items()} for _ in range(size.passes)]
    figures: dict[str, Any] = {"players": len(names), "writers": WRITERS}
    for name in WAYS:
        figures |= _told(name, [each[name] for each in passes], [each["one_row"] for each in passes])
    return figures


def _told(way: str, passes: list[Pass], one_row: list[Pass]) -> dict[str, Any]:
    figures: dict[str, Any] = {
        f"{way}_likes_per_second": rounded(statistics.median(each.likes.rate for each in passes)),
        f"{way}_read_ms": rounded(statistics.median(1000 / each.after.rate for each in passes)),
        f"{way}_read_while_writing_ms": rounded(statistics.median(1000 / each.while_writing.rate for each in passes)),
    }
    if way != "one_row":
        figures[f"{way}_over_one_row"] = _over(passes, one_row)
    return figures


def _over(passes: list[Pass], one_row: list[Pass]) -> Figure:
    return over([each.likes for each in passes], [each.likes for each in one_row])


def _likeable(way: str) -> Any:
    from likes.core.kinds import Storage
    from likes.registry import Likeable

    storage = Storage.SQL if way in SHARDED else Storage(way)
    return Likeable(way, dict.fromkeys, storage=storage, rate=SHARDED.get(way, 100))


class _Way:
    """One way of counting, and how far each writer has come: all of their players like, then take back, and so on."""

    def __init__(self, name: str, names: list[str]) -> None:
        from likes.stores.choose import store_of

        self.likeable = _likeable(name)
        self._names = names
        self._done = [0] * WRITERS
        self._store_of = store_of

    def measure(self, seconds: float) -> Pass:
        """Sixteen write for so long; meanwhile and afterwards the thing is read."""
        _let_go()
        writers = [self._writer(nth, seconds) for nth in range(WRITERS)]
        for pipe, _ in writers:
            pipe.recv()
        for pipe, _ in writers:
            pipe.send("go")
        store, chores = self._store_of(self.likeable), _chores(self.likeable)
        while_writing = _read(store, self._names, seconds, chores)
        told = [pipe.recv() for pipe, _ in writers]
        for _, child in writers:
            child.join()
        self._done = [done + count for done, (count, _) in zip(self._done, told, strict=True)]
        chores()
        likes = Sample(sum(count for count, _ in told), max(spent for _, spent in told))
        return Pass(likes, while_writing, _read(store, self._names, seconds / 3, lambda: None))

    def _writer(self, nth: int, seconds: float) -> tuple[Any, Any]:
        ours, theirs = fork.Pipe()
        arguments = (theirs, self.likeable, self._names[nth::WRITERS], self._done[nth], seconds)
        child = fork.Process(target=_write, args=arguments, daemon=True)
        child.start()
        return ours, child


def _let_go() -> None:
    """Connections are not for children to share."""
    from django.db import connections

    from foundation.redis import client as links

    connections.close_all()
    links.boards().reset()


def _write(pipe: Connection, likeable: Any, names: list[str], done: int, seconds: float) -> None:
    """Like and take back from where the last pass ended, so that each action changes something."""
    from foundation import clock
    from likes.stores.choose import store_of

    store, count = store_of(likeable), 0
    store.read([THING], names[0])  # connects
    pipe.send("ready")
    pipe.recv()
    begun = time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds:
        lap, place = divmod(done + count, len(names))
        action = store.unlike if lap % 2 else store.like
        action(THING, names[place], clock.now())
        count += 1
    pipe.send((count, spent))


def _chores(likeable: Any) -> Callable[[], object]:
    """What the worker does every second for this kind."""
    from foundation import clock
    from likes.core.kinds import Storage
    from likes.services.count import count
    from likes.services.mirror import mirror

    if likeable.storage is Storage.REDIS:
        return partial(mirror, likeable)
    return lambda: count(likeable, clock.now())


def _read(store: Any, names: list[str], seconds: float, chores: Callable[[], object]) -> Sample:
    """Readings, and once a second what the worker does, which is not on their clock."""
    count, spent = 0, 0.0
    begun = chored = time.perf_counter()
    while (now := time.perf_counter()) - begun < seconds:
        if now - chored > EVERY:
            chores()
            chored = time.perf_counter()
        asked = time.perf_counter()
        store.read([THING], names[count % len(names)])
        spent += time.perf_counter() - asked
        count += 1
        time.sleep(0.002)  # a reader, not a seventeenth load
    return Sample(count, spent)


if __name__ == "__main__":
    run_sized(__doc__, measure)
