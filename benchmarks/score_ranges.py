"""What score ranges are worth on a divided board: Redis's CPU and the time of ranks and deep pages, and a score's cost.

    python -m benchmarks.score_ranges [--players 200000] [--passes 5] [--json FILE]

Two boards of 16 partitions on one server have as many players; one has ranges, which follow. Ranks and pages are read
by the product's store, by turns on each board, exactly and (``_old``) where an older answer will do. Scores are written
in batches of a hundred, by turns too; what a worker takes to follow them is measured apart.
"""

import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Figure, Sample, Size, at_most, in_turns, over

PARTITIONS = 16
RANKS, PAGES, A_CALL = 40, 10, 100
Turn = Callable[[], int]


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run: costs with ranges ÷ without."""
    from benchmarks.harness.boards import forget_redis

    forget_redis()
    pair = _Pair(size)
    turns = partial(in_turns, size.passes * 4)
    found: dict[str, Any] = {"players": size.players}
    for name, turn, most in (("rank", pair.ranks, 1.0), ("deep_page", pair.pages, 0.5)):
        for kind, age in (("", 0.0), ("_old", 10.0**9)):
            found |= _figures(f"ranges_{name}{kind}", pair, turns, partial(turn, age), most)
    found |= _figures("ranges_write", pair, turns, pair.writes, 1.6)
    found["ranges_follow_us_per_change"] = round(pair.follow_microseconds(), 1)
    return found


def _figures(
    name: str, pair: "_Pair", turns: Callable[..., Any], turn: Callable[[bool], int], most: float
) -> dict[str, Figure]:
    with_, without = turns(partial(pair.cpu, partial(turn, True)), partial(pair.cpu, partial(turn, False)))
    slow, quick = turns(partial(_timed, partial(turn, True)), partial(_timed, partial(turn, False)))
    return {f"{name}_cpu": over(with_, without, at_most(most)), f"{name}_time": over(slow, quick)}


class _Pair:
    """Two boards with the same standings, of which one has ranges."""

    def __init__(self, size: Size) -> None:
        from benchmarks.harness.boards import MOVING, open_board, settle
        from foundation.redis import client as redis

        self._link, self._players = redis.resync_client(), size.players
        self.periods: dict[bool, Any] = {}
        for has_ranges in (True, False):
            settings = MOVING | {"partitions": PARTITIONS, "score_ranges": has_ranges}
            self.periods[has_ranges] = open_board("redis", f"Bench ranges {has_ranges}", **settings)
        for has_ranges, period in self.periods.items():
            settle(period)
            self._score(has_ranges, range(size.players))
        self.follow()

    def follow(self) -> None:
        """Let the ranges follow."""
        from foundation import clock
        from leaderboards.services.sync.score_ranges import follow
        from leaderboards.stores.redis.ranged import forget_tries

        while not follow(self.periods[True], clock.now()):
            pass
        forget_tries()

    def cpu(self, turn: Turn) -> Sample:
        """Microseconds of Redis's main thread for each thing that a turn does."""
        before = self._used()
        many = turn()
        return Sample(1e6 * (self._used() - before), many)

    def ranks(self, age: float, has_ranges: bool) -> int:
        """Read ranks, each in a reading of its own."""
        from leaderboards.stores.base import ForPlayers

        return self._read(age, has_ranges, [ForPlayers((f"p{random.randrange(self._players)}",)) for _ in range(RANKS)])

    def pages(self, age: float, has_ranges: bool) -> int:
        """Read pages of 50 rows anywhere behind the first thousand."""
        from leaderboards.stores.base import Page

        return self._read(age, has_ranges, [Page(random.randrange(1000, self._players - 50), 50) for _ in range(PAGES)])

    def writes(self, has_ranges: bool) -> int:
        """Score players in calls of a hundred."""
        chosen = random.sample(range(self._players), 4 * A_CALL)
        for start in range(0, len(chosen), A_CALL):
            self._score(has_ranges, chosen[start : start + A_CALL])
        return len(chosen)

    def follow_microseconds(self) -> float:
        """Microseconds of a worker, its Redis included, for a change, of 10,000."""
        self.follow()
        chosen = random.sample(range(self._players), min(10_000, self._players // 2))
        self._score(True, chosen)
        begun = time.perf_counter()
        self.follow()
        return 1e6 * (time.perf_counter() - begun) / len(chosen)

    def _read(self, age: float, has_ranges: bool, queries: Sequence[Any]) -> int:
        from leaderboards.stores.redis.partitioned import PartitionedStore
        from leaderboards.stores.redis.ranged import reading_within

        store = PartitionedStore(self._link)
        with reading_within(age):
            for query in queries:
                if not store.read(self.periods[has_ranges], [query]).answers[0]:
                    raise SystemExit(f"nobody answers {query}")
        return len(queries)

    def _score(self, has_ranges: bool, numbers: Sequence[int]) -> None:
        from foundation import clock
        from leaderboards.core.instants import milliseconds
        from leaderboards.stores.redis.writes import ENTRIES_PER_CALL, EntryToEvaluate, ZsetWriter

        period, at = self.periods[has_ranges], milliseconds(clock.now())
        entries = [EntryToEvaluate(f"p{n}", (random.randrange(10**6),), at, None, None) for n in numbers]
        for part, own in period.by_part(entries, lambda entry: entry.player):
            for start in range(0, len(own), ENTRIES_PER_CALL):
                ZsetWriter(self._link).submit(part, own[start : start + ENTRIES_PER_CALL])

    def _used(self) -> float:
        from foundation.redis.info import read_info

        info = read_info(self._link.call("INFO", "cpu"))
        return float(info["used_cpu_user_main_thread"]) + float(info["used_cpu_sys_main_thread"])


def _timed(turn: Turn) -> Sample:
    begun = time.perf_counter()
    many = turn()
    return Sample(1e6 * (time.perf_counter() - begun), many)


if __name__ == "__main__":
    run_sized(__doc__, measure)
