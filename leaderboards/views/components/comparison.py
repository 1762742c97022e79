"""What a page that compares two players shows: both sides, the gap in words, their lines over time, who won more."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from foundation import clock
from leaderboards import formats
from leaderboards.core.comparison import Line, Tally, drawn_lines, tally
from leaderboards.core.input.points import points_number
from leaderboards.core.periods import window_of
from leaderboards.core.ranking.rules import Order
from leaderboards.errors import BadLabel
from leaderboards.models import Board, PeriodState, Player
from leaderboards.selectors import PeriodInfo, Row, Standings
from leaderboards.selectors.history.compared import PairAt, final_pairs, pair_over_time
from leaderboards.selectors.history.final_ranks import MOST_PERIODS
from leaderboards.views.components.table_rows import gap_between, result
from leaderboards.views.components.window_dates import dates_text

PERIODS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: the player, their row if they are ranked, the result as text, and whether they are ahead."""

    player: Player
    row: Row | None
    result: str
    is_ahead: bool = False


@dataclass(frozen=True, slots=True)
class Lines:
    """Both lines over time, the bounds of their axis as text, and a table with the same: moment and both values."""

    first: Line
    second: Line
    of_points: bool
    best: str
    worst: str
    table: list[tuple[datetime, str, str]]


@dataclass(frozen=True, slots=True)
class PeriodOfBoth:
    """A final period: its label and dates, both ranks with whether they were shared, and who was ahead (0, 1 or 2)."""

    label: str
    dates: str
    ranks: tuple[tuple[int, bool], tuple[int, bool]]
    ahead: int


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Who was ahead how often, and the latest of these periods, of so many final ones that were ``looked_at``."""

    tally: Tally
    latest: list[PeriodOfBoth]
    looked_at: int = MOST_PERIODS


def sides_of(standings: Standings, players: tuple[Player, Player]) -> tuple[Side, Side]:
    """Return both sides, in the order of ``players``. With equal ranks neither is ahead."""
    rows = {row.player: row for row in standings.rows}
    best_first = standings.rows
    is_level = len(best_first) < 2 or _are_level(best_first[0], best_first[1])
    first, second = (
        Side(
            each,
            rows.get(each.external_id),
            result(standings.board, rows[each.external_id]) if each.external_id in rows else "",
            not is_level and best_first[0].player == each.external_id,
        )
        for each in players
    )
    return first, second


def gap_text(standings: Standings) -> str:
    """Return how far both are apart, such as "214 points"; empty if they are level or not both ranked."""
    if len(standings.rows) < 2:
        return ""
    better, worse = standings.rows[0], standings.rows[1]
    if _are_level(better, worse):
        return ""
    return gap_between(standings.board, worse, better).text or _("by time alone")


def lines_of(standings: Standings, sides: tuple[Side, Side]) -> Lines | None:
    """Return both lines; None unless both are ranked and their past is known."""
    if sides[0].row is None or sides[1].row is None:
        return None
    moments = pair_over_time(standings, (sides[0].row, sides[1].row))
    rules, of_points = standings.rules, standings.rules.of_points
    values = [[each.first for each in moments], [each.second for each in moments]]
    greater_is_up = of_points and rules.order is Order.DESC
    drawn = drawn_lines([each.at for each in moments], values, greater_is_up=greater_is_up)
    if drawn is None:
        return None
    known = sorted(value for line in values for value in line if value is not None)
    worst, best = (known[0], known[-1]) if greater_is_up else (known[-1], known[0])
    top, bottom = (_text(standings.board, value, of_points, rules.decimals) for value in (best, worst))
    return Lines(drawn[0], drawn[1], of_points, top, bottom, _table(standings, moments))


def head_to_head(board: Board, players: tuple[Player, Player]) -> HeadToHead:
    """Return who was better in the final periods that both were in."""
    pairs = final_pairs(board, players[0].external_id, players[1].external_id)
    latest = [
        PeriodOfBoth(
            one.label,
            _dates(board, one.label),
            ((one.rank, one.tied), (other.rank, other.tied)),
            0 if one.rank == other.rank else 1 if one.rank < other.rank else 2,
        )
        for one, other in pairs[:PERIODS_SHOWN]
    ]
    return HeadToHead(tally((one.rank, other.rank) for one, other in pairs), latest)


def _dates(board: Board, label: str) -> str:
    """Return the dates of a final period; its label if the board's calendar has changed since."""
    try:
        window = window_of(board.calendar, label)
    except BadLabel:
        return label
    shown = PeriodInfo(label, window.starts_at, window.ends_at, PeriodState.FINAL)
    return dates_text(board, shown, clock.now())


def _are_level(better: Row, worse: Row) -> bool:
    return better.rank is not None and better.rank == worse.rank


def _table(standings: Standings, moments: Sequence[PairAt]) -> list[tuple[datetime, str, str]]:
    board, rules = standings.board, standings.rules
    return [
        (
            each.at,
            _text(board, each.first, rules.of_points, rules.decimals),
            _text(board, each.second, rules.of_points, rules.decimals),
        )
        for each in reversed(moments)
    ]


def _text(board: Board, value: int | None, of_points: bool, decimals: int) -> str:
    if value is None:
        return "–"
    return formats.points(board, points_number(value, decimals)) if of_points else formats.number(value)
