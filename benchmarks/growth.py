"""What ten times the players cost: a rank, a look around and a submit, over the same of the bare commands.

    python -m benchmarks.growth [--players 1000000] [--seconds 1] [--passes 5] [--json FILE]

A redis board with the time in the score, of so many players and then of ten times as many, in random order. Its
sorted set is filled by plain commands, with the AOF off: what is measured afterwards has it off too, on both sides.
"""

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import redis

from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Figure, Sample, Size, in_turns, median_rate, spend, under

A_CALL = 250
STEP = 10


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run."""
    board = _Board(size)
    small = board.costs(size.players)
    large = board.costs(STEP * size.players)
    figures: dict[str, Any] = {"players": size.players, "players_large": STEP * size.players}
    for name in ("rank", "around", "submit"):
        figures[f"growth_{name}"] = _growth(small[name], large[name])
        figures[f"{name}_us_large"] = round(1e6 / median_rate(large[name][0]), 1)
    worst = max((figures[f"growth_{name}"] for name in ("rank", "around", "submit")), key=lambda each: each.value or 0)
    return figures | {"growth": worst}


def _growth(small: tuple[list[Sample], list[Sample]], large: tuple[list[Sample], list[Sample]]) -> Figure:
    """How much dearer ours became, over how much dearer the bare command became."""
    ours = median_rate(small[0]) / median_rate(large[0])
    bare = median_rate(small[1]) / median_rate(large[1])
    return Figure(ours / bare, under(1.2), [*small[0], *large[0]], [*small[1], *large[1]])


class _Board:
    """A board whose sorted set grows; the bare commands work on the very same one."""

    def __init__(self, size: Size) -> None:
        from django.conf import settings

        from benchmarks.harness.boards import MOVING, forget_redis, open_board, settle

        self._size = size
        self._period = open_board("redis", "Bench growth", **MOVING)
        forget_redis()
        settle(self._period)
        self._client = redis.Redis.from_url(settings.CACHES["boards"]["LOCATION"])
        self._client.config_set("appendonly", "no")
        self._players = 0

    def costs(self, players: int) -> dict[str, tuple[list[Sample], list[Sample]]]:
        """What both sides do in turns once there are so many players."""
        from benchmarks.limits import sorted_sets
        from leaderboards.stores.base import Around, ForPlayers

        sorted_sets.fill(self._client, self._period.family.zset, self._new(players))
        self._players = players
        key, spent = self._period.family.zset, partial(spend, self._size.seconds)
        rank = partial(spent, self._one, lambda name: self._client.zrevrank(key, name))
        add = partial(spent, self._rows, partial(sorted_sets.pipelined_zadd, self._client, key))
        named = partial(spent, self._one, lambda name: self._read(ForPlayers((name,))))
        around = partial(spent, self._one, lambda name: self._read(Around(name, 4)))
        submit = partial(spent, self._to_judge, self._submit)
        turns = partial(in_turns, self._size.passes)
        return {"rank": turns(named, rank), "around": turns(around, rank), "submit": turns(submit, add)}

    def _new(self, players: int) -> Iterator[tuple[str, float]]:
        return ((f"player-{n}", self._score()) for n in range(self._players + 1, players + 1))

    def _score(self) -> float:
        return float(random.randrange(1_000_000) << self._period.layout.time_bits | random.getrandbits(29))

    def _name(self) -> str:
        return f"player-{random.randrange(self._players) + 1}"

    def _one(self) -> tuple[int, str]:
        return 1, self._name()

    def _rows(self) -> tuple[int, list[tuple[str, float]]]:
        return A_CALL, [(self._name(), self._score()) for _ in range(A_CALL)]

    def _read(self, question: Any) -> None:
        from foundation.redis import client as links
        from leaderboards.stores.redis.reads import ZsetStore

        ZsetStore(links.boards()).read(self._period, [question])

    def _to_judge(self) -> tuple[int, list[Any]]:
        from foundation import clock
        from leaderboards.core.instants import milliseconds
        from leaderboards.stores.redis.writes import EntryToEvaluate

        at_ms = self._period.layout.quantize(milliseconds(clock.now()))
        return A_CALL, [
            EntryToEvaluate(self._name(), (random.randrange(1_000_000),), at_ms, None) for _ in range(A_CALL)
        ]

    def _submit(self, entries: list[Any]) -> None:
        from foundation.redis import client as links
        from leaderboards.stores.redis.writes import ZsetWriter

        ZsetWriter(links.boards()).submit(self._period, entries)


if __name__ == "__main__":
    run_sized(__doc__, measure)
