"""A board that is made private while other processes read it without asking SQL: also by somebody who dies midway."""

import time
from pathlib import Path

import pytest

from foundation import clock
from leaderboards.models import Board, Visibility
from leaderboards.selectors.catalog.cache_versions import MAX_READ_STALENESS_SECONDS
from leaderboards.services.boards import save_board
from tests.faults import load
from tests.faults.conftest import steps
from tests.faults.history import Call, calls
from tests.faults.processes import KILLED_HERE
from tests.faults.world import World, wait_until

pytestmark = pytest.mark.parametrize("storage", ["hybrid", "redis"])
READERS = 2


def make(seq: int, visibility: str) -> float:
    """Change who may see a board; when that was acknowledged (monotonic seconds)."""
    board = Board.objects.get(pk=seq)
    board.visibility = visibility
    save_board(board, clock.now())
    return time.monotonic()


def status(call: Call) -> int:
    return int(call.said["status"])


def test_nobody_is_shown_it_once_that_is_acknowledged_and_everybody_once_it_is_public_again(
    world: World, storage: str
) -> None:
    number = world.make_boards(storage)[storage]
    notes = [Path(world.new_history()) for _ in range(READERS)]
    paths = [f"/api/v1/boards/{number}/standings", f"/api/v1/boards/{number}/players?ids=p1"]
    readers = [world.spawn(load.visit, history=str(each), paths=paths, pause=0.0) for each in notes]

    acknowledged = [(0.0, 200)]
    for visibility, told in 4 * [(Visibility.PRIVATE.value, 401), (Visibility.PUBLIC.value, 200)]:
        seen = len(calls(*notes))
        wait_until(lambda seen=seen: len(calls(*notes)) > seen + 40, "reads")  # type: ignore[misc]  # mypy cannot type a lambda with a default
        begun = time.monotonic()
        acknowledged += [(begun, 0), (world.call(make, seq=number, visibility=visibility), told)]
    wait_until(lambda: len([call for call in calls(*notes) if call.began > acknowledged[-1][0]]) > 40, "reads")
    for reader in readers:
        reader.stop()

    for (since, told), (until, _) in zip(acknowledged, [*acknowledged[1:], (float("inf"), 0)], strict=True):
        found = {status(call) for call in calls(*notes) if since < call.began and call.ended < until}
        assert not told or found == {told}


def test_who_dies_before_readers_are_told_has_them_know_it_after_a_moment(world: World, storage: str) -> None:
    number = world.make_boards(storage)[storage]
    notes = Path(world.new_history())
    reader = world.spawn(load.visit, history=str(notes), paths=[f"/api/v1/boards/{number}/standings"], pause=0.0)
    wait_until(lambda: len(calls(notes)) > 40, "reads")

    (step,) = steps("leaderboards/services", "readers")
    dying = world.spawn(make, seq=number, visibility=Visibility.PRIVATE.value, fail_at=step)
    assert dying.wait() == KILLED_HERE
    died = time.monotonic()
    wait_until(lambda: calls(notes)[-1].began > died + 2 * MAX_READ_STALENESS_SECONDS, "reads after a moment")
    reader.stop()

    assert {status(call) for call in calls(notes) if call.began > died + MAX_READ_STALENESS_SECONDS} == {401}
