"""What leaving players out comes to, before it is done: the same count as of any other act, and final periods too."""

from typing import Any

import pytest

from foundation import clock
from leaderboards import selectors
from leaderboards.admin.moderation.ban_preview import ban_preview_lines
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.models import Board, Player
from leaderboards.selectors.previews.exclusion import preview_exclusion
from leaderboards.selectors.previews.rank_moves import moves_in
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.periods.close import close_due
from tests.leaderboards.services.restricting import keep_out
from tests.leaderboards.services.site import DAY, NOON, make_board, period_of, score

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

CROWD = {"ann": 9, "bob": 9, "cid": 7, "dan": 7, "eve": 5, "fay": 1}


def crowded(ties: str, **settings: Any) -> Board:
    board = make_board("sql", ties=ties, **settings)
    score(board, CROWD, NOON)
    return board


def number(player: str) -> int:
    return Player.objects.get(external_id=player).pk


def listed(board: Board, period: str) -> dict[str, int | None]:
    clear_hidden_cache()
    return {row.player: row.rank for row in selectors.standings(board, period, 0, 50).rows}


@pytest.mark.parametrize("ties", ["first_come", "last_come", "shared", "dense"])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_ranks_are_counted_as_where_scores_are_voided(ties: str, order: str) -> None:
    board = crowded(ties, order=order)
    period = period_of(board)
    keep_out("hidden", board, "dan")

    for player in ("ann", "bob", "cid", "eve", "fay"):
        assert preview_exclusion([number(player)]).moved == moves_in(period, {number(player): None}), player


@pytest.mark.parametrize("player", ["ann", "cid", "fay"])
@pytest.mark.parametrize("ties", ["first_come", "shared", "dense"])
def test_final_periods_are_told_with_what_really_moves_there(
    ties: str, player: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON + 9 * DAY)
    board = crowded(ties)
    label = period_of(board).label
    close_due(NOON + 9 * DAY)
    before = listed(board, label)

    told, words = preview_exclusion([number(player)]), ban_preview_lines([number(player)], banned=True)
    keep_out("hidden", board, player, at=clock.now())
    after, back = listed(board, label), preview_exclusion([number(player)], banned=False)

    firsts = [{each for each, rank in ranks.items() if rank == 1} for ranks in (before, after)]
    moved = sum(before.get(each) != after.get(each) for each in CROWD)
    assert (told.moved, told.finals) == (RankChanges(), 1)
    assert told.moved_finals == RankChanges(int(firsts[0] != firsts[1]), moved) == back.moved_finals
    assert words[0].startswith("1 final period shows them no more, and the others move up there too: ")
