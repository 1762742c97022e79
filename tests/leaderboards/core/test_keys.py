"""Names of Redis keys."""

import re
from collections.abc import Iterator
from datetime import date

import pytest

from foundation.redis.slots import slot_of
from foundation.sync.keys import has_names_for_cluster, use_names_for_cluster
from leaderboards.core.keys import PeriodKeyFamily, board, family, ids, partition, recent, zset, zset_of_partition
from likes.core.keys import DayKeys, KindKeys, ThingKeys, is_of_a_thing, thing_of


def test_a_period_is_named_after_board_and_label_and_all_beside_it_wears_its_name_as_the_hash_tag() -> None:
    named = PeriodKeyFamily(zset(1, "2017-37"))

    assert named.zset == "LeaderBoard_1_2017-37"
    assert named.gen == "{LeaderBoard_1_2017-37}:gen"
    for key in named.all_keys[1:]:
        assert re.fullmatch(r"\{LeaderBoard_1_2017-37\}:[a-z-]+", key)
    fixed = [
        name
        for name in dir(PeriodKeyFamily)
        if isinstance(getattr(PeriodKeyFamily, name), property) and name not in ("all_keys", "is_compact", "moved")
    ]
    assert sorted(named.all_keys) == sorted({named.zset, *(getattr(named, name) for name in fixed)})


def test_scores_of_a_compact_family_are_in_buckets_of_as_many_numbers_as_have_fifty_of_its_players() -> None:
    plain, compact = family(zset(1, "2017-37"), is_compact=False), family(zset(1, "2017-37"), is_compact=True)
    part = family(zset_of_partition(1, "2017-37", 3, 16), is_compact=True, partitions=16)

    assert (plain.is_compact, plain.has_levels, plain.members) == (False, False, "{LeaderBoard_1_2017-37}:members")
    assert (compact.is_compact, compact.has_levels, compact.per_bucket) == (True, True, 50)
    assert compact.members == "{LeaderBoard_1_2017-37}:numbers:50"
    assert part.members.endswith("}_2017-37:numbers:800")
    assert {compact.members, compact.scores} <= {*compact.all_keys}


def test_ids_are_the_boards_or_a_competitions_own() -> None:
    assert ids(board(1), "2026-11-20", 17) == "{LeaderBoard_1}:ids:2026-11-20:17"
    assert ids(zset(1, "c7"), "2026-11-20", 17) == "{LeaderBoard_1_c7}:ids:2026-11-20:17"


@pytest.fixture
def in_a_cluster() -> Iterator[None]:
    before = has_names_for_cluster()
    use_names_for_cluster(True)
    yield
    use_names_for_cluster(before)


@pytest.mark.usefixtures("in_a_cluster")
def test_in_a_cluster_what_one_script_uses_is_in_one_slot() -> None:
    week, cup = PeriodKeyFamily(zset(1, "2017-37")), PeriodKeyFamily(zset(1, "c7"))

    assert (week.zset, week.gen) == ("{LeaderBoard_1}_2017-37", "{LeaderBoard_1}_2017-37:gen")
    assert (cup.zset, cup.gen) == ("LeaderBoard_1_c7", "{LeaderBoard_1_c7}:gen")
    of_board = {*week.all_keys, *PeriodKeyFamily(zset(1, "2017-38")).all_keys, ids(board(1), "2026-11-20", 17)}
    of_cup = {*cup.all_keys, ids(zset(1, "c7"), "2026-11-20", 17), recent(zset(1, "c7"), "ann")}
    assert len(of_board) == 2 * len(week.all_keys) + 1
    assert len({slot_of(key) for key in of_board}) == len({slot_of(key) for key in of_cup}) == 1


@pytest.mark.usefixtures("in_a_cluster")
def test_likes_that_redis_decides_and_days_are_in_one_slot_each_and_views_are_not() -> None:
    kind, day = KindKeys("note"), DayKeys(date(2026, 11, 20))
    things = [ThingKeys("note", thing, is_decided=True) for thing in ("1", "a.b:c", "gen")]
    decided = {*kind.all_keys, *(key for each in things for key in (each.liked_by, each.count, each.amounts))}
    days = {
        day.visitors,
        day.attendance,
        day.hits,
        day.scratch,
        day.staged_hits(3),
        DayKeys(date(2026, 11, 21)).visitors,
    }

    assert len(decided) == len(kind.all_keys) + 9
    assert len({slot_of(key) for key in decided}) == len({slot_of(key) for key in days}) == 1
    assert [thing_of(each.liked_by) for each in things] == ["1", "a.b:c", "gen"]
    assert all(is_of_a_thing(each.count) for each in things)
    assert not any(is_of_a_thing(key) for key in kind.all_keys)
    assert ThingKeys("note", "1").count == "{note:1}:likes_count"


def test_what_score_ranges_need_is_in_the_slot_of_a_partition_and_no_other_family_has_it() -> None:
    name = zset_of_partition(1, "2017-37", 3, 16)
    plain, ranged = family(name, is_compact=False, partitions=16), family(name, False, 16, has_ranges=True)

    added = {*ranged.all_keys} - {*plain.all_keys}

    of_slots = {key for slot in (0, 1) for key in (ranged.range(slot), ranged.range_head(slot))}
    assert added == {ranged.moved, *of_slots}
    assert len(added) == 5
    assert len({slot_of(key) for key in ranged.all_keys}) == 1


@pytest.mark.parametrize("number", [-1, 4, 15])
def test_a_partition_that_a_board_does_not_have_is_no_search_without_end(number: int) -> None:
    with pytest.raises(ValueError, match="in 4 partitions has none"):
        partition(17, number, 4)
