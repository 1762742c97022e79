"""A process that freezes, wherever that is: its player waits for a moment, and nobody else."""

import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.faults import boards, load
from tests.faults.conftest import steps
from tests.faults.processes import Child
from tests.faults.world import World, wait_until

SUBMITTING = [step for step in steps("leaderboards/services", "submit") if not step.endswith("_script")]
RECONCILING = ("reconcile.after_there", "reconcile.after_read")
# Of whoever settles: those that are reached in a world whose Redis has lost its memory.
SETTLING = ("before_commit", "after_generation", "after_renew", "after_rebuilt_chunk", "before_declared")


@pytest.mark.parametrize("storage", ["hybrid", "sql"])
def test_it_delays_its_players_next_score_by_less_than_two_and_a_half_seconds_and_nobody_elses(
    world: World, storage: str
) -> None:
    number = world.make_boards(storage)[storage]
    world.call(boards.score_once, seq=number, players=["a", "b"])
    told = world.histories / "held"
    frozen = world.spawn(boards.hold_standing, seq=number, player="a", told=str(told))
    wait_until(told.exists, "a lock that is held")

    [[others, at_once]], [[its_own, delayed]] = (
        world.call(boards.score_once, seq=number, players=[player]) for player in ("b", "a")
    )

    frozen.send(signal.SIGKILL)
    frozen.wait()
    assert (others, its_own) == ("updated", "updated")
    assert at_once < 1.0
    assert delayed < 2.5


def freezes(child: Child) -> None:
    """Wait until it has."""

    def stopped() -> bool:
        with suppress(FileNotFoundError):
            return Path(f"/proc/{child.pid}/stat").read_text().rpartition(") ")[2].startswith("T")
        return False

    wait_until(stopped, "a process that froze")


@pytest.fixture
def number(world: World) -> int:
    """A hybrid board on which two players have scored."""
    found = world.make_boards("hybrid")["hybrid"]
    world.call(boards.score_once, seq=found, players=["a", "b"])
    return found


def seconds(world: World, number: int, player: str) -> float:
    """How long the player's score took; it was taken."""
    [[told, taken]] = world.call(boards.score_once, seq=number, players=[player])
    assert told == "updated"
    return float(taken)


def hold(world: World, number: int, frozen: Child) -> None:
    """While it is frozen, others go on as fast as before it, and its player soon does; thawed, it harms nobody."""
    before = seconds(world, number, "c")
    freezes(frozen)
    try:
        others = min(seconds(world, number, "b"), seconds(world, number, "c"))
        its_own = seconds(world, number, "a")
    finally:
        frozen.send(signal.SIGCONT)
        time.sleep(0.1)
        frozen.send(signal.SIGKILL)
        frozen.wait()
    assert others < 0.5 + before
    assert its_own < 2.5 + before
    shown = world.call(boards.bring_to_rest, boards=[number])
    assert [(each["differences"], each["pending_publish"]) for each in shown] == [([], 0)] * len(shown)


@pytest.mark.parametrize("step", SUBMITTING)
def test_a_writer_frozen_at_any_step_holds_up_nobody_else(world: World, number: int, step: str) -> None:
    player = "newcomer" if step == "submit.after_admitted" else "a"
    hold(world, number, world.spawn(boards.score_once, fail_at=f"freeze:{step}", seq=number, players=[player]))


@pytest.mark.parametrize("step", SETTLING)
def test_a_settler_frozen_at_any_step_holds_up_nobody(world: World, number: int, step: str) -> None:
    world.redis.lose_memory()
    hold(world, number, world.spawn(load.work, fail_at=f"freeze:settle.{step}", only=["settle"]))


@pytest.mark.parametrize("step", RECONCILING)
def test_a_reconciler_frozen_at_any_step_holds_up_nobody_whom_it_reads(world: World, number: int, step: str) -> None:
    world.spawn(boards.score_together, fail_at="submit.before_publish", seq=number, players=["a", "b"]).wait()
    ready, go = world.histories / f"ready {step}", world.histories / f"go {step}"
    writer = world.spawn(boards.score_when, seq=number, players=["a", "b"], ready=str(ready), go=str(go))
    wait_until(ready.exists, "a writer who is ready")
    frozen = world.spawn(load.work, fail_at=f"freeze:{step}", only=["settle"])
    freezes(frozen)
    try:
        go.touch()
        told = writer.result()
    finally:
        frozen.send(signal.SIGCONT)
        time.sleep(0.1)
        frozen.send(signal.SIGKILL)
        frozen.wait()
    assert [status for status, _ in told] == ["updated", "updated"]
    assert max(seconds_ for _, seconds_ in told) < 0.5
    shown = world.call(boards.bring_to_rest, boards=[number])
    assert [(each["differences"], each["pending_publish"]) for each in shown] == [([], 0)] * len(shown)


def test_a_closer_frozen_with_the_barrier_holds_up_nobody_of_another_period(world: World, number: int) -> None:
    other = world.make_boards("shared")["shared"]
    world.call(boards.score_once, seq=other, players=["a"])
    hold(world, number, world.spawn(load.work, fail_at="freeze:close.before_final", only=["close"], shift=86_400.0))
