"""Score ranges follow their partitions whatever is lost, late, or the last act of a worker; and each rule is needed."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.leaderboards.core.range_world import PARTITIONS, PLAYERS, World

NEEDED = ["fence", "claim", "mark", "clear", "scan", "drop"]


def play(world: World, steps: int = 30) -> World:
    """Moves, runs, cuts and deaths; then a quiet worker."""
    for _ in range(steps):
        match world.random.randrange(4):
            case 0:
                world.run(cut=world.random.random() < 0.3)
            case 1:
                world.between()
            case _:
                world.move()
                world.check()
    return world


def play_many(histories: int, without: str) -> None:
    for seed in range(histories):
        scores, stamps = (4, 3) if seed % 2 else (2, 1)  # of few places, players come back to where they were
        play(World(Random(seed), scores=scores, stamps=stamps, ignored=frozenset({without})), 60)


@given(st.randoms(use_true_random=False))
def test_a_player_without_a_note_is_where_their_partition_has_them_once_at_every_moment(random: Random) -> None:
    play(World(random))


@given(st.randoms(use_true_random=False))
def test_at_rest_the_ranges_are_the_partitions_and_no_note_is_left(random: Random) -> None:
    world = play(World(random))
    world.trouble, world.late = 0.0, []

    for _ in range(3):
        world.run()

    assert world.index is not None
    assert world.moved == [{}] * PARTITIONS
    everybody = {place.member: place.score for partition in world.partitions for place in partition.values()}
    followed: dict[str, float] = {}
    assert len(world.ranges) == PARTITIONS
    for number in range(PARTITIONS):
        there = world.ranges[world.index.slot, number]
        assert there.mark is not None
        assert not followed.keys() & there.members.keys()
        followed |= there.members
    assert followed == everybody


def test_players_do_move_and_runs_do_end_early_in_these_histories() -> None:
    world = play(World(Random(5)), 400)

    assert world.epochs > 10
    assert world.ended_early > 10
    assert sum(map(len, world.partitions)) > len(PLAYERS) // 2


@pytest.mark.parametrize("rule", NEEDED)
def test_without_any_of_its_rules_a_history_goes_wrong(rule: str) -> None:
    with pytest.raises(AssertionError):
        play_many(3000, rule)
