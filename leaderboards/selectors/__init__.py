"""What is read: boards, periods, rows in their places, distributions. Nothing here changes anything."""

from leaderboards.selectors.boards import board_by_seq, board_of_the_moment, boards_listed
from leaderboards.selectors.distribution import Bin, Distribution, distribution
from leaderboards.selectors.export import content_hash_of, export_rows
from leaderboards.selectors.movement import Movement, RankThen, movement, ways
from leaderboards.selectors.past import BestRank, FinalPlace, PastRank, best_ranks, final_places, past_ranks, winners
from leaderboards.selectors.periods import (
    CURRENT,
    PeriodShown,
    periods_begun,
    periods_listed,
    shown_period,
    stored_period,
)
from leaderboards.selectors.players import boards_of, players_called
from leaderboards.selectors.running import Running, running_periods
from leaderboards.selectors.standings import (
    NOBODY,
    BoardPage,
    PlayerRow,
    Row,
    Standings,
    around,
    beside,
    board_page,
    named,
    near,
    player_row,
    ranks,
    share_below,
    standings,
    view,
)

__all__ = [
    "CURRENT",
    "NOBODY",
    "BestRank",
    "Bin",
    "BoardPage",
    "Distribution",
    "FinalPlace",
    "Movement",
    "PastRank",
    "PeriodShown",
    "PlayerRow",
    "RankThen",
    "Row",
    "Running",
    "Standings",
    "around",
    "beside",
    "best_ranks",
    "board_by_seq",
    "board_of_the_moment",
    "board_page",
    "boards_listed",
    "boards_of",
    "content_hash_of",
    "distribution",
    "export_rows",
    "final_places",
    "movement",
    "named",
    "near",
    "past_ranks",
    "periods_begun",
    "periods_listed",
    "player_row",
    "players_called",
    "ranks",
    "running_periods",
    "share_below",
    "shown_period",
    "standings",
    "stored_period",
    "view",
    "ways",
    "winners",
]
