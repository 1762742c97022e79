"""How fast SQL follows Redis, Redis is rebuilt from SQL, and a period is closed, beside the plain work of each.

    python -m benchmarks.rates [--players 1000000] [--passes 5] [--json FILE]

A redis board with the time in the score, a new one each pass, of a fifth of the players: ``benchmarks.recovery`` does
all of them once.
"""

import random
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import redis

from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Sample, Size, at_least, median_rate, once, over

MIRRORED = 20_000
A_CALL = 1000


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run."""
    passes = [_Pass(nth, max(1, size.players // 5)).measure() for nth in range(size.passes)]
    figures: dict[str, Any] = {"players": passes[0]["mirror"][0].beside["players"]}
    for name in ("mirror", "rebuild", "close"):
        ours, theirs = [each[name][0] for each in passes], [each[name][1] for each in passes]
        bound = at_least(0.25 if name == "close" else 0.4)
        figures[f"{name}_rate"] = over(ours, theirs, bound)
        figures[f"{name}_rate_per_second"] = median_rate(ours)
    return figures


class _Pass:
    """One board's life: rebuilt, mirrored, closed; and beside each step the plain one."""

    def __init__(self, nth: int, players: int) -> None:
        from django.conf import settings
        from django.db import connection

        from benchmarks.harness.boards import MOVING, filled_board, forget_redis
        from config.components import redis_urls

        self.players = players
        self.period = filled_board(players, "redis", f"Bench {nth}", **MOVING)
        forget_redis()
        options = connection.settings_dict
        self.dsn = f"host={options['HOST']} user={options['USER']} dbname={options['NAME']}"
        self.url = settings.CACHES["boards"]["LOCATION"]
        self.bare = redis.Redis.from_url(redis_urls.with_database(self.url, 3))

    def measure(self) -> dict[str, tuple[Sample, Sample]]:
        return {"rebuild": self._rebuild(), "mirror": self._mirror(), "close": self._close()}

    def _rebuild(self) -> tuple[Sample, Sample]:
        from benchmarks.harness.boards import settle
        from benchmarks.limits import recovery
        from config.components import redis_urls

        ours = once(self.players, partial(settle, self.period))
        rows = recovery.ranked(self.dsn, self.period.pk)
        theirs = recovery.zadd_loop(redis_urls.with_database(self.url, 3), rows)
        return ours, Sample(self.players, theirs)

    def _mirror(self) -> tuple[Sample, Sample]:
        from benchmarks.limits.ledger import Ledger
        from leaderboards.models import Player
        from leaderboards.services.sync.mirror import mirror

        numbers = dict(Player.objects.values_list("external_id", "pk"))
        names = random.sample(sorted(numbers), min(MIRRORED, self.players))
        self._soil(names)
        ours = once(len(names), partial(mirror, self.period))
        ledger = Ledger(self.dsn, self.period.pk)
        rows = sorted((numbers[name], name, points, float(points << 30)) for name, points in _points(names))
        theirs = once(len(rows), partial(_upsert, ledger, rows))
        ledger.close()
        return Sample(ours.count, ours.seconds, {"players": self.players}), theirs

    def _soil(self, names: list[str]) -> None:
        """Scores that SQL does not have yet."""
        from foundation import clock
        from foundation.redis import client as links
        from leaderboards.core.instants import milliseconds
        from leaderboards.stores.redis.writes import ENTRIES_PER_CALL, EntryToEvaluate, ZsetWriter

        at = clock.now()
        at_ms = self.period.layout.quantize(milliseconds(at))
        entries = [EntryToEvaluate(name, (points,), at_ms, None) for name, points in _points(names)]
        for start in range(0, len(entries), ENTRIES_PER_CALL):
            part = entries[start : start + ENTRIES_PER_CALL]
            ZsetWriter(links.boards()).submit(self.period, part)

    def _close(self) -> tuple[Sample, Sample]:
        from benchmarks.limits.ranked_out import copy_out
        from foundation import clock
        from leaderboards.services.periods.close import close_period

        client = redis.Redis.from_url(self.url)
        theirs = once(self.players, partial(copy_out, client, self.period.family.zset, self.dsn))
        after = (self.period.ends_at or clock.now()) + timedelta(hours=1)
        ours = once(self.players, partial(close_period, self.period, after))
        if self.period.state != "final":
            raise SystemExit("closing did not finish")
        return ours, theirs


def _upsert(ledger: Any, rows: list[Any]) -> None:
    for start in range(0, len(rows), A_CALL):
        ledger.upsert(rows[start : start + A_CALL])


def _points(names: list[str]) -> Iterator[tuple[str, int]]:
    return ((name, random.randrange(1_000_000)) for name in names)


if __name__ == "__main__":
    run_sized(__doc__, measure)
