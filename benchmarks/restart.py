"""Two hybrid boards after a Redis that was killed and started again with its files: how soon are they live, and right?

    python -m benchmarks.restart [--players 1000000] [--json FILE]

Each board has the players; a part of them scores until the kill. Seconds count from Redis's first answer. Beside that:
how long the same takes when the files are gone and all of it is put again.
"""

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import redis

from benchmarks.command import run
from benchmarks.servers import cache_in

SCORED = 5_000
PATIENCE_SECONDS = 300.0


def measure(players: int) -> dict[str, Any]:
    """Seconds until both boards are live, with the files and without."""
    from django.conf import settings

    from benchmarks.boards import filled_board, forget_redis, settle

    made = cache_in(Path(os.environ["DATA_DIR"]))
    periods = [filled_board(players, "hybrid", f"Bench {number}") for number in (1, 2)]
    forget_redis()
    for period in periods:
        settle(period)
    _live_on(seconds=7)
    _score([period.board_id for period in periods], players)
    with redis.Redis.from_url(settings.CACHES["boards"]["LOCATION"]) as client:
        os.kill(client.info("server")["process_id"], signal.SIGKILL)
    time.sleep(0.2)
    made.start()  # it ends with this process
    back = _seconds_until_live(periods)
    wrong = _differences()
    with redis.Redis.from_url(settings.CACHES["boards"]["LOCATION"]) as client:
        client.flushall()
    whole = _seconds_until_live(periods)
    return {"players": players, "live_after_restart_seconds": back, "wrong": wrong, "live_after_loss_seconds": whole}


def _live_on(seconds: int) -> None:
    """As the worker does, once a second."""
    from foundation import clock
    from leaderboards.services.settle import settle_due

    for _ in range(seconds):
        settle_due(clock.now())
        time.sleep(1)


def _score(boards: list[int], players: int) -> None:
    from foundation import clock
    from leaderboards.core.entries import read_entry
    from leaderboards.core.submissions import Caller
    from leaderboards.services.submit import submit

    for start in range(0, SCORED, 500):
        names = random.sample(range(1, players + 1), 500)
        raw = [
            {"board": boards[n % 2], "player": f"player-{each}", "points": 1000 + start} for n, each in enumerate(names)
        ]
        submit([read_entry(each, n) for n, each in enumerate(raw)], Caller("bench"), clock.now())


def _seconds_until_live(periods: list[Any]) -> float:
    from foundation import clock
    from foundation import redis as links
    from foundation.errors import Unavailable
    from leaderboards.models import Period
    from leaderboards.services.settle import settle_due

    give_up = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            links.settling().call("PING")
            break
        except Unavailable:
            links.settling().reset()
            time.sleep(0.01)
    began = time.monotonic()
    while time.monotonic() < give_up:
        settle_due(clock.now())
        ours = Period.objects.filter(pk__in=[period.pk for period in periods])
        if not ours.exclude(stale_since=None).exists():
            return round(time.monotonic() - began, 2)
    raise SystemExit("the boards did not come back")


def _differences() -> int:
    from foundation import clock
    from leaderboards.services.verify import verify_all

    return sum(each.differences for each in verify_all(clock.now(), float("inf"), repair=False))


if __name__ == "__main__":
    run(__doc__, measure)
