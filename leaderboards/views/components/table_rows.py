"""Rows of standings for display: rank with ties, points as text, and gaps between rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Protocol

from django.utils.translation import gettext as _

from leaderboards import formats
from leaderboards.core.ranking.rules import Rules
from leaderboards.models import Board
from leaderboards.selectors import Movement, Row, Standings
from leaderboards.selectors.player_data.names import countries_of

WIDEST_COLUMNS = 16  # characters of numbers that fit on a phone; wider criteria share one cell as text


class Scored(Protocol):
    """Anything with a score: points, or fields by name."""

    @property
    def points(self) -> int | Decimal | None:
        """None on boards of criteria."""

    @property
    def fields(self) -> dict[str, int] | None:
        """None on boards of points."""


@dataclass(frozen=True, slots=True)
class Move:
    """A change of rank: ``by`` ranks ``up`` or ``down``, the ``same``, or ``new``."""

    direction: str
    by: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table; ``cells`` follow the columns.

    ``tied_count`` is how many players share the rank; it is 0 except in the first row of each rank on a page.
    ``gap`` is the distance to the next better rank on the page, empty if there is none.
    ``nth`` is its place on the page, from 1.
    ``gained`` holds the cells of points by day as HTML; ``within`` is the place among the rows of a filter, 0 for none.
    """

    player: str
    name: str
    rank: int | None
    tied: bool
    cells: list[str]
    achieved_at: datetime | None
    is_me: bool
    tied_count: int = 0
    is_first_of_rank: bool = False
    first_page: int = 1
    gap: str = ""
    move: Move | None = None
    gained: str = ""
    country: str = ""
    within: int = 0
    nth: int = 0


@dataclass(frozen=True, slots=True)
class Gap:
    """The distance to another row; ``text`` is empty if they are level."""

    text: str
    name: str
    rank: int | None


def columns(standings: Standings) -> list[str]:
    """Return the headings of the columns of scores."""
    if not standings.rules.fields:
        return [formats.points_heading(standings.board)]
    names = [field.name for field in standings.rules.fields]
    return [formats.field_name(name) for name in names] if in_columns(standings.rules) else [_("Result")]


def in_columns(rules: Rules) -> bool:
    """Whether each criterion gets its own column; this depends on the width of its largest value."""
    return sum(len(formats.number(field.maximum)) for field in rules.fields) <= WIDEST_COLUMNS


def lines(
    standings: Standings, rows: Sequence[Row], me: str | None, movement: Movement | None = None, page_size: int = 50
) -> list[Line]:
    """Return ``rows`` as lines; ``movement`` holds the earlier ranks, if known."""
    shown = []
    countries = countries_of(row.player for row in rows)
    for nth, row in enumerate(rows):
        is_first_of_rank = nth == 0 or rows[nth - 1].rank != row.rank
        tied = (row.tied or 1) > 1
        shown.append(
            Line(
                row.player,
                row.name,
                row.rank,
                tied,
                cells(standings, row),
                row.achieved_at,
                row.player == me,
                tied_count=(row.tied or 0) if is_first_of_rank and tied else 0,
                is_first_of_rank=is_first_of_rank and row.rank is not None,
                first_page=(row.ahead or 0) // page_size + 1,
                gap=_gap_text(standings.board, row, rows[:nth]),
                move=move_of(row, movement),
                country=countries.get(row.player, ""),
                nth=nth + 1,
            )
        )
    return shown


def _gap_text(board: Board, row: Row, above: Sequence[Row]) -> str:
    better = next((each for each in reversed(above) if each.rank != row.rank), None)
    if better is None or row.points is None or better.points is None:
        return ""
    gap = abs(Decimal(row.points) - Decimal(better.points))
    return formats.gap(board, gap) if gap else ""


def move_of(row: Row, movement: Movement | None) -> Move | None:
    """Return the change of rank against ``movement``; None if it is unknown."""
    if movement is None or row.rank is None:
        return None
    if row.player not in movement.ranks:
        return Move("new") if movement.is_whole else None
    by = movement.ranks[row.player] - row.rank
    return Move("up" if by > 0 else "down" if by < 0 else "same", abs(by))


def cells(standings: Standings, row: Row) -> list[str]:
    """Return the score of a row, one text for each column."""
    if row.fields is None:
        return [formats.points(standings.board, row.points or 0)]
    if in_columns(standings.rules):
        return [formats.number(row.fields[field.name]) for field in standings.rules.fields]
    return [result(standings.board, row)]


def result(board: Board, row: Scored) -> str:
    """Return the score of a row as one text with units."""
    if row.fields is None:
        return formats.points_with_unit(board, row.points or 0)
    names = formats.shown_fields(row.fields)
    return "\N{NO-BREAK SPACE}· ".join(formats.named_number(name, row.fields[name]) for name in names)


def top_words(board: Board, rows: Sequence[Row]) -> str:
    """Describe the first three rows in one line, for link previews of other sites."""
    if not rows:
        return _("Nobody has scored yet.")
    return " · ".join(
        f"{formats.place(row.rank or nth, tied=(row.tied or 1) > 1)}. {row.name} {result(board, row)}"
        for nth, row in enumerate(rows[:3], 1)
    )


def gap_ahead(board: Board, me: Row, rows: Sequence[Row]) -> Gap | None:
    """Return the gap to the nearest better rank among ``rows`` (best first); None if there is none."""
    above = [row for row in rows if (row.rank or 0) < (me.rank or 0)]
    return gap_between(board, me, above[-1]) if above else None


def gap_behind(board: Board, me: Row, rows: Sequence[Row]) -> Gap | None:
    """Return the gap to the nearest worse rank among ``rows``; None if there is none."""
    below = [row for row in rows if (row.rank or 0) > (me.rank or 0)]
    return gap_between(board, me, below[0]) if below else None


def gap_between(board: Board, me: Row, other: Row) -> Gap:
    """Return the distance between two rows."""
    return Gap(_distance(board, me, other), other.name, other.rank)


def _distance(board: Board, me: Row, other: Row) -> str:
    if me.fields is None or other.fields is None:
        apart = abs(Decimal(me.points or 0) - Decimal(other.points or 0))
        return formats.gap(board, apart, with_unit=True) if apart else ""
    for name in formats.shown_fields(me.fields):
        if between := abs(me.fields[name] - other.fields[name]):
            return formats.named_distance(name, between)
    return ""
