"""What most fault tests begin with: boards of the three storages, and children that write, read and work on them."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.faults import chores, writers
from tests.faults.children import Child
from tests.faults.world import World

BOARDS = [
    {"name": "hybrid", "storage": "hybrid"},
    {"name": "shared", "storage": "hybrid", "ties": "dense"},
    {"name": "redis", "storage": "redis"},
    {"name": "sql", "storage": "sql"},
]
ALWAYS_EXACT = ("hybrid", "shared", "sql")


def make_boards(world: World, *names: str) -> dict[str, int]:
    """The boards of these names (all four if none are named), by name."""
    found: dict[str, int] = world.call(
        chores.make_boards, settings=[each for each in BOARDS if not names or each["name"] in names]
    )
    return found


@contextmanager
def load(world: World, boards: Sequence[int], seed: int, count: int = 2, **how: Any) -> Iterator[list[Child]]:
    """Writers that submit, each with chances of its own, until the block ends."""
    how = {"boards": [*boards], "pause": 0.01, **how}
    children = [
        world.spawn(writers.write, history=world.new_history(), seed=seed + number, **how) for number in range(count)
    ]
    yield children
    for child in children:
        if child.ended() is None:  # the test may have killed it
            child.stop()


@contextmanager
def at_work(world: World, **how: Any) -> Iterator[Child]:
    """A worker that does what the schedule does, until the block ends."""
    child = world.spawn(writers.work, **how)
    yield child
    child.stop()


@contextmanager
def readers(world: World, boards: Sequence[int]) -> Iterator[None]:
    """Somebody who reads whole boards until the block ends."""
    child = world.spawn(writers.read, history=world.new_history(), boards=[*boards])
    yield
    assert child.stop() > 0


def wait_until(holds: Callable[[], bool], what: str, seconds: float = 60.0) -> float:
    """Wait for something that must come by itself; returns how long it took."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < seconds, f"after {seconds} s still not: {what}"
        time.sleep(0.02)
    return time.monotonic() - began


def is_live(world: World) -> bool:
    """Whether nothing is stale, as the worker sees to."""
    with world.sql.connect() as connection:
        row = connection.execute("SELECT count(*) FROM leaderboards_period WHERE stale_since IS NOT NULL").fetchone()
        known = connection.execute(
            "SELECT count(*) FROM foundation_knownredis WHERE run_id = %s", [world.redis.run_id()]
        ).fetchone()
    return row == (0,) and known == (1,)


def mirrored(world: World, board: int) -> dict[str, int]:
    """Points by player that SQL has at this moment."""
    with world.sql.connect() as connection:
        rows = connection.execute(
            "SELECT player.external_id, standing.points FROM leaderboards_standing standing"
            " JOIN leaderboards_player player ON player.id = standing.player_id"
            " JOIN leaderboards_period period ON period.id = standing.period_id"
            " WHERE period.board_id = %s AND standing.score IS NOT NULL",
            [board],
        ).fetchall()
    return {str(name): int(points) for name, points in rows}
