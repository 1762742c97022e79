"""PostgreSQL is away for a while: the worker's tasks of every second ask less often, and catch up when it is back."""

import time

from tests.faults import beats
from tests.faults.history import History, lines
from tests.faults.loads import load, make_boards, mirrored, wait_until
from tests.faults.verdict import check
from tests.faults.world import World

DOWN_SECONDS = 12.0
BEAT_SECONDS = 0.2
LONGEST_PAUSE = 5.0
TO_COPY_IT = 5.0  # and to begin with: connecting anew, on a slow machine


def test_the_mirror_asks_less_often_while_sql_is_away_and_catches_up_when_it_is_back(world: World, seed: int) -> None:
    boards = make_boards(world, "redis")
    notes = world.folder / "beats"
    beat = world.spawn(beats.mirror, notes=str(notes), every=BEAT_SECONDS)
    with load(world, [*boards.values()], seed):
        wait_until(lambda: len(mirrored(world, boards["redis"])) > 10, "a mirror at work")
        world.sql.kill()
        down = time.monotonic()
        time.sleep(DOWN_SECONDS)
        behind = len(History.of(world.histories).operations)
        world.sql.start()
        up = time.monotonic()
    wait_until(lambda: any(each["copied"] for each in lines(notes) if each["at"] > up), "the first run after it")
    caught_up = next(each["at"] for each in lines(notes) if each["at"] > up and each["copied"]) - up

    tried = [each for each in lines(notes) if down < each["at"] < up and each["tried"]]
    print(f"tries_in_{DOWN_SECONDS:.0f}_s: {len(tried)}, caught_up_after_s: {caught_up:.2f}")  # noqa: T201 (a measurement)
    assert behind > 50
    assert 3 <= len(tried) <= 10  # of 60 beats
    assert caught_up < LONGEST_PAUSE + TO_COPY_IT
    beat.stop()
    check(world)
