"""Which partition a player is in, how its keys are named, and what levels tell."""

import hashlib
import random
from collections import Counter

import pytest

from foundation.redis.slots import SLOTS, slot_of
from leaderboards.core import keys
from leaderboards.core.levels import LEVELS, levels_ahead
from leaderboards.core.partitions import PARTITION_COUNTS, hash_range, partition_of

DIVIDED = [count for count in PARTITION_COUNTS if count > 1]
NAMES = [f"player-{n}" for n in range(4000)] + ["가", "a b", "", "😀"]


@pytest.mark.parametrize("partitions", PARTITION_COUNTS)
def test_a_player_is_in_the_partition_whose_range_has_their_hash(partitions: int) -> None:
    for name in NAMES:
        first, last = hash_range(partition_of(name, partitions), partitions)
        assert first <= hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()[:2] <= last


@pytest.mark.parametrize("partitions", DIVIDED)
def test_partitions_are_about_as_large_as_each_other(partitions: int) -> None:
    sizes = Counter(partition_of(name, partitions) for name in NAMES)

    assert sizes.keys() == set(range(partitions))
    assert max(sizes.values()) < 3 * len(NAMES) / partitions


@pytest.mark.parametrize("partitions", DIVIDED)
@pytest.mark.parametrize("board", [1, 77, 4_000])
def test_each_partition_has_its_own_share_of_all_slots(board: int, partitions: int) -> None:
    names = [keys.zset_of_partition(board, "2026-11", number, partitions) for number in range(partitions)]

    assert [slot_of(name) * partitions // SLOTS for name in names] == [*range(partitions)]


def test_all_keys_of_a_partition_and_its_ids_in_any_period_are_in_one_slot() -> None:
    zsets = [keys.zset_of_partition(7, label, 3, 16) for label in ("2026-11", "2026-12")]
    owner = keys.partition(7, 3, 16)
    families = [keys.PeriodKeyFamily(zset, has_levels=True) for zset in zsets]

    names = [name for family in families for name in family.all_keys]
    assert len({slot_of(name) for name in [*names, keys.ids(owner, "2026-11-02", 5), keys.recent(owner, "ann")]}) == 1
    assert len(set(names)) == len(names)
    assert families[0].scores.endswith(":levels")
    assert keys.zset_of_partition(7, "2026-11", 3, 4) != zsets[0]


@pytest.mark.parametrize("descending", [True, False])
def test_the_better_levels_are_counted(descending: bool) -> None:
    taken = [*random.Random(4).sample(range(LEVELS), 300), 0, LEVELS - 1]
    levels = sum(1 << (LEVELS - 1 - score) for score in set(taken))

    for score in (0, 1, 5000, LEVELS - 1, *taken[:20]):
        better = {each for each in taken if (each > score if descending else each < score)}
        assert levels_ahead(levels, score, descending) == len(better)
