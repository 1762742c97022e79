"""What is read: boards, periods, rows in their places, distributions. Nothing here changes anything."""

from leaderboards.selectors.boards import board_by_seq, boards_listed
from leaderboards.selectors.distribution import Bin, Distribution, distribution
from leaderboards.selectors.export import export_rows
from leaderboards.selectors.periods import PeriodShown, periods_listed, shown_period, stored_period
from leaderboards.selectors.standings import (
    BoardPage,
    PlayerRow,
    Row,
    Standings,
    around,
    board_page,
    named,
    player_row,
    ranks,
    share_below,
    standings,
)

__all__ = [
    "Bin",
    "BoardPage",
    "Distribution",
    "PeriodShown",
    "PlayerRow",
    "Row",
    "Standings",
    "around",
    "board_by_seq",
    "board_page",
    "boards_listed",
    "distribution",
    "export_rows",
    "named",
    "periods_listed",
    "player_row",
    "ranks",
    "share_below",
    "shown_period",
    "standings",
    "stored_period",
]
