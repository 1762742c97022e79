"""Redis reaches its maxmemory: boards that it decides over refuse cleanly, others go on in SQL and recover."""

import time

import pytest

from tests.faults.history import Fate, History
from tests.faults.loads import ALWAYS_EXACT, at_work, is_live, load, make_boards, wait_until
from tests.faults.verdict import check
from tests.faults.world import World


def limit(world: World, room: int | None) -> None:
    """Give Redis so many bytes more than it uses now; None: as much as it likes."""
    with world.redis.client() as client:
        used = int(client.info("memory")["used_memory"])
        client.config_set("maxmemory", 0 if room is None else used + room)


def refused(world: World, board: int) -> int:
    return sum(each.fate is Fate.FAILED for each in History.of(world.histories).on(board))


@pytest.mark.parametrize(("size", "room"), [(4, 20_000), (200, 400_000)])
def test_a_full_redis_takes_nothing_by_halves(world: World, seed: int, size: int, room: int) -> None:
    boards = make_boards(world)
    exact = [boards[name] for name in ALWAYS_EXACT]
    with at_work(world), load(world, [*boards.values()], seed, players=100_000, size=size, pause=0.005):
        time.sleep(0.5)
        limit(world, room)
        wait_until(lambda: refused(world, boards["redis"]) > 50, "redis boards that refuse")
        wait_until(lambda: not is_live(world), "hybrid boards that are stale")
        time.sleep(1.0)
        limit(world, None)
        wait_until(lambda: is_live(world), "settled")
        time.sleep(0.5)

    history = check(world)
    assert {each.fate for number in exact for each in history.on(number)} == {Fate.OK}
    assert {each.fate for each in history.on(boards["redis"])} == {Fate.OK, Fate.FAILED}
    codes = {attempt.code for each in history.on(boards["redis"]) for attempt in each.attempts if attempt.code}
    assert codes == {"unavailable"}
