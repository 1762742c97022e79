"""A snapshot of a competition on a large board: what it costs Redis and SQL, and for how long it holds Redis up.

    python -m benchmarks.competitions [--players 1000000] [--json FILE]

Everybody on the board takes part; the snapshot keeps the best 10,000. On a redis board 1,000 standings have changed
since the last mirror pass, which the snapshot has to copy first. Prints ``name: value`` lines.
"""

import statistics
import time
from datetime import datetime, timedelta
from typing import Any

import redis

from benchmarks.harness.command import run

RUNS = 5
CHANGED = 1000


def measure(players: int) -> dict[str, Any]:
    """All figures of one run: of a hybrid board, then of a redis board."""
    figures: dict[str, Any] = {"players": players}
    for storage in ("hybrid", "redis"):
        figures |= {f"{storage}_{name}": value for name, value in _snapshots(players, storage).items()}
    return figures


def _snapshots(players: int, storage: str) -> dict[str, Any]:
    from django.conf import settings

    from benchmarks.harness.boards import forget_redis
    from foundation import clock
    from leaderboards.services.sync.resync_periods import resync_due

    competition = running(players, storage)
    forget_redis()
    resync_due(clock.now())
    client = redis.Redis.from_url(settings.CACHES["boards"]["LOCATION"])
    costs = [
        _cost(competition, client, competition.starts_at + (nth + 1) * timedelta(minutes=30)) for nth in range(RUNS)
    ]
    return {
        "snapshot_rows": competition.snapshots.order_by("-due_at")[0].rows.count(),
        "snapshot_seconds": round(statistics.median(seconds for seconds, _, _ in costs), 2),
        "snapshot_redis_ms": round(statistics.median(redis_ms for _, redis_ms, _ in costs), 2),
        "snapshot_longest_call_ms": round(statistics.median(longest for _, _, longest in costs), 2),
        "snapshot_longest_call_of_all_ms": round(max(longest for _, _, longest in costs), 2),
    }


def running(players: int, storage: str, **settings: Any) -> Any:
    """A competition of these settings that began a week ago, and everybody who plays in it."""
    from benchmarks.harness.boards import fill
    from competitions.models import Competition, Participant
    from competitions.services.lifecycle.publish import publish
    from foundation import clock
    from leaderboards.models import Board, Player
    from leaderboards.services.board_files import apply_boards
    from leaderboards.services.periods.open import open_period

    at, name = clock.now(), f"Bench competitions {storage}"
    board = Board.objects.get(seq=apply_boards([{"name": name, "period": "event", "storage": storage}], at)[name])
    competition = Competition.objects.create(
        name=name, board=board, starts_at=at - timedelta(days=7), ends_at=at + timedelta(days=7), **settings
    )
    publish(competition, at - timedelta(days=8), None)
    fill(open_period(board, competition.window), players)
    Participant.objects.bulk_create(
        (Participant(competition=competition, player=player, joined_at=at) for player in Player.objects.iterator()),
        batch_size=10_000,
    )
    return competition


def _cost(competition: Any, client: redis.Redis, due_at: datetime) -> tuple[float, float, float]:
    """Seconds on the clock, milliseconds of Redis in all, and of its longest call."""
    from competitions.services.lifecycle.snapshots import take_snapshot
    from foundation import clock

    if competition.board.storage == "redis":
        _change(competition)
    client.config_set("slowlog-log-slower-than", 0)
    client.config_set("slowlog-max-len", 100_000)
    client.slowlog_reset()
    client.config_resetstat()
    begun = time.perf_counter()
    take_snapshot(competition, due_at, clock.now())
    seconds = time.perf_counter() - begun
    calls = [call["duration"] for call in client.slowlog_get(100_000) if b"CONFIG" not in call["command"].upper()]
    client.config_set("slowlog-log-slower-than", -1)
    return seconds, sum(calls) / 1000, max(calls, default=0) / 1000


def _change(competition: Any) -> None:
    """Some play, as they do between two snapshots."""
    from foundation import clock
    from leaderboards.core.input.entries import read_entry
    from leaderboards.core.submissions import Caller
    from leaderboards.models import Player
    from leaderboards.services.submit.pipeline import submit

    names = Player.objects.order_by("?").values_list("external_id", flat=True)[:CHANGED]
    rows = [
        {"competition": competition.pk, "player": name, "points": 1_000_000 + nth} for nth, name in enumerate(names)
    ]
    entries = [read_entry(row, place) for place, row in enumerate(rows)]
    outcomes = submit(entries, Caller("bench"), clock.now())
    if not all(outcome.status.is_accepted for outcome in outcomes):
        raise SystemExit(f"an entry was refused: {next(o.detail for o in outcomes if not o.status.is_accepted)}")


if __name__ == "__main__":
    run(__doc__, measure)
