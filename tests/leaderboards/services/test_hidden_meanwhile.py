"""What is written down goes by who is hidden now, and not by what the process has remembered for a second."""

from collections.abc import Callable
from unittest.mock import patch

import pytest

from leaderboards.models import Period, Player, RankHistoryEntry
from leaderboards.selectors.rankings.sql_ranking import closed_ranking, ranking
from leaderboards.selectors.visibility.hidden import hidden_in
from leaderboards.services.moderation import restrict as restricting
from leaderboards.services.moderation.restrict import hidden_in_period, restrict
from leaderboards.services.periods.close import close_period
from leaderboards.services.periods.rank_history import record_rank_history
from tests.leaderboards.services.site import DAY, NOON, crowd, make_board

Ranks = dict[int, int]


def kept(period: Period) -> Ranks:
    assert record_rank_history(period, NOON, NOON)
    return dict(RankHistoryEntry.objects.values_list("player", "rank"))


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
        restrict([numbers["ann"]], hidden_in_period(period), "False.", NOON, None)

    assert written(period) == {numbers["bob"]: 1, numbers["cid"]: 2}
