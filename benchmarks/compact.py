"""What a compact family takes beside a plain sorted set of the same numbers: bytes, and CPU for ranks and moves.

    python -m benchmarks.compact [--players 2000000] [--passes 5] [--json FILE]

Both hold the same numbers of players, added in random order; the scripts are the product's, without SQL. CPU is that of
Redis's main thread. Both sides take turns of some hundred commands in one pipeline, so other load touches both.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import redis

from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Figure, Sample, Size, at_most, in_turns, over

_Commands = tuple[int, Sequence[Sequence[Any]]]  # what is to be sent, and how many things that does

A_TURN = 400
A_CALL = 100
FILLED = 250
OTHERS_SHARE = 10
DRAWN: dict[str, Callable[[], float]] = {
    "normal": lambda: float(max(0, int(random.gauss(5e6, 1e6)))),
    "power_law": lambda: float(min(2**31, int(100 * random.paretovariate(1.2)))),
    "few_values": lambda: float(random.randrange(20)),
    "all_equal": lambda: 7.0,
}


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run. Bounds are for the normal distribution; others, of fewer players, are printed beside."""
    figures: dict[str, Any] = {"players": size.players} | _Pair(size, DRAWN["normal"]).figures(bounded=True)
    fewer = replace(size, players=max(1, size.players // OTHERS_SHARE))
    for name in list(DRAWN)[1:]:
        found = _Pair(fewer, DRAWN[name]).figures(bounded=False)
        figures |= {f"{figure}_{name}": value for figure, value in found.items()}
    return figures


class _Pair:
    """A compact family and a sorted set of the same numbers and scores."""

    KEY = "limit"

    def __init__(self, size: Size, draw: Callable[[], float]) -> None:
        from django.conf import settings

        from benchmarks.harness.boards import forget_redis
        from benchmarks.limits import sorted_sets
        from config.components import redis_urls
        from leaderboards.stores.redis.reads import compact_script, ranked_keys

        forget_redis()
        self._size, self._draw, self._period = size, draw, _opened()
        self._keys = [len(ranked_keys(self._period)), *ranked_keys(self._period)]
        url = settings.CACHES["boards"]["LOCATION"]
        self._client = redis.Redis.from_url(url)
        self._bare = redis.Redis.from_url(redis_urls.with_database(url, 3))
        self._client.config_set("appendonly", "no")
        self._bare.flushdb()
        self._client.set(self._period.family.gen, self._period.generation)
        self._fill, self._rank = (self._client.script_load(compact_script(each).text) for each in ("fill", "rank"))
        numbers = list(range(1, size.players + 1))
        random.shuffle(numbers)
        rows = [(number, draw()) for number in numbers]
        empty = self._used()
        sorted_sets.fill(self._bare, self.KEY, ((f"{10**9 + number}", score) for number, score in rows))
        plain = self._used()
        for start in range(0, len(rows), FILLED):
            self._client.execute_command(*self._placed(rows[start : start + FILLED]))
        self._bytes = self._used() - plain, plain - empty

    def figures(self, bounded: bool) -> dict[str, Any]:
        """The ratios of this pair; only some have bounds."""
        ours, theirs = (Sample(used, self._size.players) for used in self._bytes)
        turns = partial(in_turns, self._size.passes * 4)
        rank = turns(partial(self._turn, self._ranks), partial(self._bare_turn, self._bare_ranks))
        move = turns(partial(self._turn, self._moves), partial(self._bare_turn, self._bare_moves))
        batch = turns(partial(self._turn, self._batches), partial(self._bare_turn, self._bare_moves))
        after = Sample(self._used() - self._bytes[1], self._size.players)

        def ratio(pair: tuple[Sequence[Sample], Sequence[Sample]], most: float) -> Figure:
            return over(*pair, at_most(most)) if bounded else over(*pair)

        return {
            "compact_bytes": ratio(([ours], [theirs]), 0.45),
            "compact_rank": ratio(_costs(rank), 5),
            "compact_move": ratio(_costs(batch), 5),
            "compact_move_alone": over(*_costs(move)),
            "compact_bytes_per_player": round(ours.rate, 1),
            "compact_bytes_per_player_moved": round(after.rate, 1),
        }

    def _used(self) -> int:
        info: Any = self._client.info("memory")
        return int(info["used_memory"])

    def _cpu(self) -> float:
        info: Any = self._client.info("cpu")
        return float(info["used_cpu_user_main_thread"] + info["used_cpu_sys_main_thread"])

    def _turn(self, commands: Callable[[], _Commands], client: Any = None) -> Sample:
        """CPU seconds of the server for a pipeline of commands."""
        many, made = commands()
        pipeline = (client or self._client).pipeline(transaction=False)
        for command in made:
            pipeline.execute_command(*command)
        before = self._cpu()
        pipeline.execute()
        return Sample(many, self._cpu() - before)

    def _bare_turn(self, commands: Callable[[], _Commands]) -> Sample:
        return self._turn(commands, self._bare)

    def _some(self, many: int) -> list[tuple[int, float]]:
        numbers = {random.randrange(1, self._size.players + 1) for _ in range(many)}
        return [(number, self._draw()) for number in numbers]

    def _placed(self, rows: Sequence[tuple[int, float]]) -> Sequence[Any]:
        cells = [cell for number, score in rows for cell in ("", repr(score), f"{number:012d}")]
        return ("EVALSHA", self._fill, *self._keys, self._period.generation, "0", "0", *cells)

    def _moves(self) -> _Commands:
        rows = self._some(A_TURN)
        return len(rows), [self._placed([row]) for row in rows]

    def _batches(self) -> _Commands:
        rows = self._some(A_TURN)
        return len(rows), [self._placed(rows[start : start + A_CALL]) for start in range(0, len(rows), A_CALL)]

    def _bare_moves(self) -> _Commands:
        rows = self._some(A_TURN)
        return len(rows), [("ZADD", self.KEY, repr(score), 10**9 + number) for number, score in rows]

    def _ranks(self) -> _Commands:
        keys = [3, *self._keys[1:4]]
        made = [
            ("EVALSHA", self._rank, *keys, self._period.generation, "1", f"{number:012d}")
            for number, _ in self._some(A_TURN)
        ]
        return len(made), made

    def _bare_ranks(self) -> _Commands:
        made = [("ZREVRANK", self.KEY, 10**9 + number) for number, _ in self._some(A_TURN)]
        return len(made), made


def _opened() -> Any:
    """A period that no database knows."""
    from leaderboards.core.periods import Calendar, PeriodKind, window_at
    from leaderboards.core.ranking.board_settings import board_rules
    from leaderboards.models import Board, Period

    board = Board(period="all_time", ties="shared", encoding="compact")
    window = window_at(Calendar(PeriodKind("all_time")), datetime(2026, 3, 4, tzinfo=UTC))
    return Period(board_id=1, label=window.label, generation=1, rules_json=board_rules(board).to_json())


def _costs(pair: tuple[Sequence[Sample], Sequence[Sample]]) -> tuple[list[Sample], list[Sample]]:
    """Microseconds for each, in the place of how many a second."""
    ours, theirs = ([Sample(1e6 * each.seconds, each.count) for each in side] for side in pair)
    return ours, theirs


if __name__ == "__main__":
    run_sized(__doc__, measure)
