"""A percentile from the histogram, beside the exact rank; and what taking a histogram costs.

    python -m benchmarks.percentiles [--players 1000000] [--seconds 1] [--passes 5] [--json FILE]

A board in hybrid storage, read from Redis, and one of as many players in sql storage, whose exact rank counts rows.
Both sides answer as the selectors do, from the period's row to the percentile. Each player is asked for at random.
"""

import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Figure, Sample, Size, at_least, median_rate, ratio, spend

ASKED = 20_000  # players, spread over the board
MANY = 1  # players, so that both boards have a histogram
TIMES = 5
PARTS = 1000  # of the ranking, at which scores are read


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run."""
    from django.conf import settings

    from benchmarks.harness.boards import MOVING, filled_board, forget_redis, settle
    from foundation.sunwi_settings import sunwi_settings

    settings.HISTOGRAM_PLAYERS = MANY
    sunwi_settings.forget()
    in_redis = filled_board(size.players, "hybrid", **MOVING)
    in_sql = filled_board(size.players, "sql", **MOVING)
    forget_redis()
    settle(in_redis)
    figures: dict[str, Any] = {"players": size.players}
    figures |= _takings(in_redis, in_sql)
    figures |= _percentiles("hybrid", in_redis, size, at_least(0.8))
    return figures | _percentiles("sql", in_sql, size, at_least(20))


def _takings(in_redis: Any, in_sql: Any) -> dict[str, Any]:
    """What a histogram costs: seconds of each, and Redis's own time for the script that counts and for the others."""
    from foundation import clock
    from foundation.redis import client as links
    from leaderboards.models import PeriodHistogram
    from leaderboards.services.periods.histograms import take_histogram
    from leaderboards.stores.redis.reads import ZsetStore

    figures = dict[str, Any]()
    for name, period in (("hybrid", in_redis), ("sql", in_sql)):
        begun = time.perf_counter()
        if not take_histogram(period, clock.now()):
            raise SystemExit("SQL did not count in time")
        figures[f"{name}_taking_seconds"] = round(time.perf_counter() - begun, 3)
        figures[f"{name}_bytes"] = len(PeriodHistogram.objects.get(period=period).content)
    store = ZsetStore(links.boards())
    whole = _script_ms(lambda: store.histogram(in_redis))
    places = _script_ms(lambda: store.quantiles(in_redis, range(PARTS + 1)))
    return figures | {"hybrid_scripts_ms": round(whole, 2), "hybrid_counting_script_ms": round(whole - places, 2)}


def _script_ms(work: Callable[[], object]) -> float:
    """Milliseconds of Redis for the scripts of a piece of work; the least of some times, as others use the machine."""
    from foundation.redis import client as links

    link, found = links.boards(), list[float]()
    for _ in range(TIMES):
        before = _spent(link)
        work()
        found.append((_spent(link) - before) / 1000)
    return min(found)


def _spent(link: Any) -> int:
    """Microseconds that Redis has spent on scripts."""
    lines = link.call("INFO", "commandstats").decode().splitlines()
    return sum(int(line.split("usec=")[1].split(",")[0]) for line in lines if line.startswith("cmdstat_eval"))


def _percentiles(name: str, period: Any, size: Size, bound: Any) -> dict[str, Figure | float]:
    from leaderboards import selectors

    board = period.board
    names = [f"player-{n}" for n in random.sample(range(1, size.players + 1), min(ASKED, size.players))]

    def ask(exact: bool) -> Callable[[], Sample]:
        return partial(spend, size.seconds, lambda: (1, random.choice(names)), partial(_ask, board, exact))

    for exact in (False, True):  # names, boards and periods are cached from here on
        if selectors.player_percentile(board, names[0], exact=exact).is_exact is not exact:
            raise SystemExit("the board has no histogram")
    found = ratio(size.passes, ask(exact=False), ask(exact=True), bound)
    rates = {"histogram": found.ours, "rank": found.theirs}
    figures = {f"{name}_{side}_us": round(1e6 / median_rate(samples), 1) for side, samples in rates.items()}
    return {f"percentile_{name}": found, **figures}


def _ask(board: Any, exact: bool, player: str) -> None:
    from leaderboards import selectors

    selectors.player_percentile(board, player, exact=exact)


if __name__ == "__main__":
    run_sized(__doc__, measure)
