"""Names of Redis keys."""

import re

from leaderboards.core.keys import PeriodKeyFamily, board, ids, zset


def test_a_period_is_named_after_board_and_label_and_all_beside_it_wears_its_name_as_the_hash_tag() -> None:
    family = PeriodKeyFamily(zset(1, "2017-37"))

    assert family.zset == "LeaderBoard_1_2017-37"
    assert family.gen == "{LeaderBoard_1_2017-37}:gen"
    for key in family.all_keys[1:]:
        assert re.fullmatch(r"\{LeaderBoard_1_2017-37\}:[a-z-]+", key)
    fixed = [
        name
        for name in dir(PeriodKeyFamily)
        if isinstance(getattr(PeriodKeyFamily, name), property) and name != "all_keys"
    ]
    assert sorted(family.all_keys) == sorted({family.zset, *(getattr(family, name) for name in fixed)})


def test_ids_are_the_boards_or_a_competitions_own() -> None:
    assert ids(board(1), "2026-11-20", 17) == "{LeaderBoard_1}:ids:2026-11-20:17"
    assert ids(zset(1, "c7"), "2026-11-20", 17) == "{LeaderBoard_1_c7}:ids:2026-11-20:17"
