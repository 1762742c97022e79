"""A process that freezes with locks in SQL: PostgreSQL ends its transaction, and whoever waits for it goes on."""

import signal

import pytest

from tests.faults import boards
from tests.faults.world import World, wait_until


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
