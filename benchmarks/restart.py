"""Two hybrid boards after a Redis that a replica replaced, or that started again with its files: when are they live?

    python -m benchmarks.restart [--players 1000000] [--json FILE]

Each board has the players; a part of them scores until the kill. Seconds count from Redis's first answer, of a replica
from its promotion. Beside that: how long the same takes when the files are gone and all of it is put again.
"""

import os
import random
import signal
import socket
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import redis

from benchmarks.harness.command import run
from benchmarks.harness.servers import cache_in
from config.local.valkey import Valkey

SCORED = 5_000
PATIENCE_SECONDS = 300.0
HOST = "127.0.0.1"


def measure(players: int) -> dict[str, Any]:
    """Seconds until both boards are live: on a replica, with the files, and without."""
    from django.conf import settings

    from benchmarks.harness.boards import filled_board, forget_redis, settle

    made = cache_in(Path(os.environ["DATA_DIR"]))
    periods = [filled_board(players, "hybrid", f"Bench {number}") for number in (1, 2)]
    forget_redis()
    for period in periods:
        settle(period)
    boards = [period.board_id for period in periods]
    _live_on(seconds=7)
    standby = _standby_of(made)
    _score(boards, players)
    _kill()
    _promote(standby, made.socket)
    promoted = _seconds_until_live(periods)
    wrong = _differences()
    _live_on(seconds=7)
    _score(boards, players)
    _kill()
    time.sleep(0.2)
    replace(standby, socket=made.socket).start()  # it ends with this process
    back = _seconds_until_live(periods)
    wrong += _differences()
    with redis.Redis.from_url(settings.CACHES["boards"]["LOCATION"]) as client:
        client.flushall()
    whole = _seconds_until_live(periods)
    return {
        "players": players,
        "live_after_promotion_seconds": promoted,
        "live_after_restart_seconds": back,
        "wrong": wrong,
        "live_after_loss_seconds": whole,
    }


def _standby_of(made: Valkey) -> Valkey:
    """A replica with all that the server has; it ends with this process."""
    standby = replace(made, folder=made.folder.with_name("standby"), socket=made.socket.with_name("standby.sock"))
    standby.start()
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    with _client(made.socket) as client:
        client.config_set("port", port)  # nobody replicates over a socket file
    give_up = time.monotonic() + PATIENCE_SECONDS
    with _client(standby.socket) as client:
        client.replicaof(HOST, port)
        while client.info("replication")["master_link_status"] != "up":
            if time.monotonic() > give_up:
                raise SystemExit("the replica did not get what its primary has")
            time.sleep(0.02)
    return standby


def _promote(standby: Valkey, place: Path) -> None:
    """Make the replica the primary, reached where the other was."""
    with _client(standby.socket) as client:
        client.replicaof("NO", "ONE")
    standby.socket.rename(place)


def _kill() -> None:
    from django.conf import settings

    with redis.Redis.from_url(settings.CACHES["boards"]["LOCATION"]) as client:
        os.kill(client.info("server")["process_id"], signal.SIGKILL)


def _client(place: Path) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(place))


def _live_on(seconds: int) -> None:
    """As the worker does, once a second."""
    from foundation import clock
    from leaderboards.services.sync.resync_periods import resync_due

    for _ in range(seconds):
        resync_due(clock.now())
        time.sleep(1)


def _score(boards: list[int], players: int) -> None:
    from foundation import clock
    from leaderboards.core.input.entries import read_entry
    from leaderboards.core.submissions import Caller
    from leaderboards.services.submit.pipeline import submit

    for start in range(0, SCORED, 500):
        names = random.sample(range(1, players + 1), 500)
        raw = [
            {"board": boards[n % 2], "player": f"player-{each}", "points": 1000 + start} for n, each in enumerate(names)
        ]
        submit([read_entry(each, n) for n, each in enumerate(raw)], Caller("bench"), clock.now())


def _seconds_until_live(periods: list[Any]) -> float:
    from foundation import clock
    from foundation.errors import Unavailable
    from foundation.redis import client as links
    from leaderboards.models import Period
    from leaderboards.services.sync.resync_periods import resync_due

    give_up = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            links.resync_client().call("PING")
            break
        except Unavailable:
            links.resync_client().reset()
            time.sleep(0.01)
    began = time.monotonic()
    while time.monotonic() < give_up:
        resync_due(clock.now())
        ours = Period.objects.filter(pk__in=[period.pk for period in periods])
        if not ours.exclude(stale_since=None).exists():
            return round(time.monotonic() - began, 2)
    raise SystemExit("the boards did not come back")


def _differences() -> int:
    from foundation import clock
    from leaderboards.services.sync.verify import verify_all

    return sum(each.differences for each in verify_all(clock.now(), float("inf"), repair=False))


if __name__ == "__main__":
    run(__doc__, measure)
