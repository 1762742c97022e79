"""The past of two players on a board: at the kept moments of a period, and in the final periods that both were in."""

from dataclasses import dataclass
from datetime import datetime

from leaderboards.core.input.points import scaled
from leaderboards.models import Board
from leaderboards.selectors.history.final_ranks import PastRank, past_ranks
from leaderboards.selectors.history.movement import movement
from leaderboards.selectors.history.race import NO_HISTORY, PlayerHistory, Snapshot, player_histories, race_snapshots
from leaderboards.selectors.rankings.standings import Row, Standings


@dataclass(frozen=True, slots=True)
class PairAt:
    """What both had at a moment: points (scaled) on boards of points, else ranks; None where that is not known."""

    at: datetime
    first: int | None
    second: int | None


def pair_over_time(standings: Standings, rows: tuple[Row, Row]) -> list[PairAt]:
    """Return what both had at the moments that the race shows, and now; empty if none were kept."""
    board, period, rules = standings.board, standings.period, standings.rules
    players = [row.player for row in rows]
    snapshots = race_snapshots(board, period, rules, movement(board, period, players).since)
    histories = player_histories(snapshots, players) if snapshots else None
    if snapshots is None or histories is None or not snapshots.columns:
        return []
    of_both = [histories.get(player, NO_HISTORY) for player in players]
    past = [PairAt(each.at, *(_then(each, one, rules.of_points) for one in of_both)) for each in snapshots.columns]
    now = min(standings.as_of, period.ends_at or standings.as_of)
    return [*past, PairAt(now, *(_now(row, rules.of_points, rules.decimals) for row in rows))]


def final_pairs(board: Board, first: str, second: str) -> list[tuple[PastRank, PastRank]]:
    """Return the ranks of both in the latest final periods that both were ranked in, the latest first.

    Periods are those of ``past_ranks``, so at most ``MOST_PERIODS``. Two statements.
    """
    ranks = {each.label: each for each in past_ranks(board, second)}
    return [(each, ranks[each.label]) for each in reversed(past_ranks(board, first)) if each.label in ranks]


def _then(snapshot: Snapshot, history: PlayerHistory, of_points: bool) -> int | None:
    return (history.points if of_points else history.ranks).get(snapshot.pk)


def _now(row: Row, of_points: bool, decimals: int) -> int | None:
    return scaled(row.points or 0, decimals) if of_points else row.rank
