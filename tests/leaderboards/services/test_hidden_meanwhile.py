"""What is written down goes by who is hidden now, and not by what the process has remembered for a second."""

from collections.abc import Callable
from unittest.mock import patch

import pytest

from leaderboards.models import KeptRank, Period, Player
from leaderboards.selectors.hidden import hidden_in
from leaderboards.selectors.ranked import closed_ranking, ranking
from leaderboards.services import restrict as restricting
from leaderboards.services.close import close_period
from leaderboards.services.keep_ranks import keep
from leaderboards.services.restrict import hiding_in, restrict
from tests.leaderboards.services.site import DAY, NOON, crowd, make_board

Ranks = dict[int, int]


def kept(period: Period) -> Ranks:
    assert keep(period, NOON, NOON)
    return dict(KeptRank.objects.values_list("player", "rank"))


def snapshot(period: Period) -> Ranks:
    found = ranking(period, 10)
    assert found.total == len(found.rows)
    return {row.player_id: row.rank for row in found.rows}


def last_snapshot(period: Period) -> Ranks:
    found = closed_ranking(period, 10)
    assert found.total == len(found.rows)
    return {row.player_id: row.rank for row in found.rows}


@pytest.mark.parametrize("written", [kept, snapshot, last_snapshot])
@pytest.mark.parametrize("storage", ["sql", "redis"])
def test_who_was_hidden_by_another_process_this_moment_is_not_written_down(
    storage: str, written: Callable[[Period], Ranks]
) -> None:
    period = crowd(make_board(storage), {"ann": 9, "bob": 7, "cid": 5})
    if written is last_snapshot:
        assert close_period(period, NOON + DAY).final
    period.refresh_from_db()
    assert not hidden_in(period)
    numbers = dict(Player.objects.values_list("external_id", "pk"))
    with patch.object(restricting, "forget_bans"):
        restrict([numbers["ann"]], hiding_in(period), "False.", NOON, None)

    assert written(period) == {numbers["bob"]: 1, numbers["cid"]: 2}
