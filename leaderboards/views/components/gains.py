"""Points by day: what each row gained on the last days, as bars, and today, as text.

Shown on boards that add points up. A day counts from its first snapshot to that of the next day
(``selectors/history/race.py``); the last day counts to the points of the row, so it is as live as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.utils.dateformat import format as spell
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from leaderboards import formats
from leaderboards.core.input.points import points_number, scaled
from leaderboards.core.ranking.rules import Update
from leaderboards.models import Board
from leaderboards.selectors import Row, Standings
from leaderboards.selectors.history.race import MOST_DAYS, NO_HISTORY, Day, PlayerHistory, RaceSnapshots
from leaderboards.views.components.table_rows import Line

BAR_HEIGHT = 22  # px; a day is as wide as a unit of the drawing
MINUS = "\N{MINUS SIGN}"


class RowGains(NamedTuple):
    """Points (scaled) by day, the earliest first, None where unknown; and the last of them as text."""

    by_day: tuple[int | None, ...]
    today: str


@dataclass(frozen=True, slots=True)
class PageGains:
    """The gains of all rows of a page, and the largest of one day. ``has_today`` while the period runs.

    ``days`` are the names of the days, ``decimals`` those of the board's points.
    """

    by_player: Mapping[str, RowGains]
    largest: int
    has_today: bool
    days: tuple[str, ...]
    decimals: int


def page_gains(
    standings: Standings, snapshots: RaceSnapshots, histories: Mapping[str, PlayerHistory], *, is_running: bool
) -> PageGains | None:
    """The gains of all rows. None if the board does not add points up, or no gain is known."""
    rules = standings.rules
    if not rules.of_points or rules.update is not Update.INCREMENT:
        return None
    if not snapshots.days:
        return None
    by_player = {
        row.player: row_gains(standings, row, snapshots, histories.get(row.player, NO_HISTORY))
        for row in standings.rows
    }
    known = [gain for gains in by_player.values() for gain in gains.by_day if gain is not None]
    if not known:
        return None
    zone, pattern = ZoneInfo(standings.board.timezone), pgettext("date format", "j M")
    days = tuple(spell(day.starts_at.astimezone(zone), pattern) for day in snapshots.days)
    return PageGains(by_player, max(known), is_running, days, rules.decimals)


def row_gains(standings: Standings, row: Row, snapshots: RaceSnapshots, history: PlayerHistory) -> RowGains:
    """The gains of one row."""
    decimals = standings.rules.decimals
    starts = [_points_at_start(day, history) for day in snapshots.days]
    ends = [*starts[1:], scaled(row.points or 0, decimals)]
    by_day = tuple(
        None if start is None or end is None else end - start for start, end in zip(starts, ends, strict=True)
    )
    return RowGains(by_day, signed(standings.board, by_day[-1], decimals))


def signed(board: Board, gain: int | None, decimals: int) -> str:
    """A gain with its sign, such as +214. Empty if unknown."""
    if gain is None:
        return ""
    text = formats.points(board, points_number(abs(gain), decimals))
    return text if not gain else f"{'+' if gain > 0 else MINUS}{text}"


def gain_cells(page: PageGains, gains: RowGains) -> str:
    """The table cells of a row as HTML: bars by day, and today's points."""
    today = f"<td>{gains.today}" if page.has_today else ""
    return f"<td>{_bars(gains, page.largest)}{today}"


def days_table(board: Board, page: PageGains, lines: Sequence[Line]) -> str:
    """The points by day of some rows as the head and body of a table, with names escaped."""
    heads = "".join(f"<th scope=col>{escape(each)}" for each in (_("Player"), *page.days))
    return f"<thead><tr>{heads}<tbody>{''.join(_row(board, page, line) for line in lines)}"


def _row(board: Board, page: PageGains, line: Line) -> str:
    gains = page.by_player.get(line.player)
    by_day = gains.by_day if gains else (None,) * len(page.days)
    cells = "".join(f"<td>{signed(board, gain, page.decimals) or '–'}" for gain in by_day)
    return f"<tr><th scope=row><bdi>{escape(line.name)}</bdi>{cells}"


def empty_cells(page: PageGains | None) -> str:
    """The cells of a row without known gains. Empty text if the page has no such columns."""
    return "" if page is None else gain_cells(page, RowGains((None,), ""))


def _bars(gains: RowGains, largest: int) -> str:
    """The days as bars, the numbers are in the table (``days_table``).

    They are one outline, whose heights count downwards from 0, because that is shorter to write; the style sheet turns
    it over, makes it wide, parts the days and sets off the last.
    """
    heights = [0 if gain is None else _height(gain, largest) for gain in gains.by_day]
    return f"<svg><path d={_path(heights)}></svg>" if any(heights) else ""


def _path(heights: Sequence[int]) -> str:
    """Return the bars of the days, the last of which ends at the right edge, as one outline."""
    known = next(nth for nth, height in enumerate(heights) if height)
    text, before = f"M{MOST_DAYS - len(heights) + known},0", 0
    for height in heights[known:]:
        text += ("" if height == before else f"V{height}") + "h1"
        before = height
    return f"{text}V0"


def _height(gain: int, largest: int) -> int:
    return min(BAR_HEIGHT, max(1, round(BAR_HEIGHT * gain / largest))) if largest > 0 else 1


def _points_at_start(day: Day, history: PlayerHistory) -> int | None:
    if day.is_first:
        return 0
    if day.snapshot is None:
        return None
    return history.points.get(day.snapshot.pk, 0 if day.snapshot.is_whole else None)
