"""Rows as a page writes them: rank with ties, points as text, and how far it is to the next."""

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

WIDEST_COLUMNS = 16  # characters that numbers may take on a phone; wider criteria stand in one cell, as words


class Scored(Protocol):
    """What a player has, in whatever stands beside it: points, or fields by name."""

    @property
    def points(self) -> int | Decimal | None:
        """None on boards of criteria."""

    @property
    def fields(self) -> dict[str, int] | None:
        """None on boards of points."""


@dataclass(frozen=True, slots=True)
class Move:
    """Against where a player stood before: ``by`` places ``up`` or ``down``, the ``same``, or ``new``."""

    direction: str
    by: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table; ``cells`` stand under the columns' headings.

    ``tied_count`` is how many share the rank, told in the first row of each rank on a page; in others it is 0.
    ``gap`` is how far it is to the next better rank in sight, empty where there is none.
    ``gained`` are the cells of points by day, as HTML.
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


@dataclass(frozen=True, slots=True)
class Gap:
    """From one row to another: ``text`` says how far, empty if they are level."""

    text: str
    name: str
    rank: int | None


def columns(found: Standings) -> list[str]:
    """The headings of what is ranked by."""
    if not found.rules.fields:
        return [formats.points_heading(found.board)]
    names = [field.name for field in found.rules.fields]
    return [formats.field_name(name) for name in names] if in_columns(found.rules) else [_("Result")]


def in_columns(rules: Rules) -> bool:
    """Whether the criteria fit columns of their own, however great their values become."""
    return sum(len(formats.number(field.maximum)) for field in rules.fields) <= WIDEST_COLUMNS


def lines(
    found: Standings, rows: Sequence[Row], me: str | None, movement: Movement | None = None, page_size: int = 50
) -> list[Line]:
    """``rows`` of the standings as lines; ``movement`` says where they stood before, where that is known."""
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
                cells(found, row),
                row.achieved_at,
                row.player == me,
                tied_count=(row.tied or 0) if is_first_of_rank and tied else 0,
                is_first_of_rank=is_first_of_rank and row.rank is not None,
                first_page=(row.ahead or 0) // page_size + 1,
                gap=_gap_text(found.board, row, rows[:nth]),
                move=move_of(row, movement),
                country=countries.get(row.player, ""),
            )
        )
    return shown


def _gap_text(board: Board, row: Row, above: Sequence[Row]) -> str:
    better = next((each for each in reversed(above) if each.rank != row.rank), None)
    if better is None or row.points is None or better.points is None:
        return ""
    return formats.points(board, abs(Decimal(row.points) - Decimal(better.points)))


def move_of(row: Row, movement: Movement | None) -> Move | None:
    """How a row has moved against ``movement``; None where nothing is known of before."""
    if movement is None or row.rank is None:
        return None
    if row.player not in movement.ranks:
        return Move("new") if movement.is_whole else None
    by = movement.ranks[row.player] - row.rank
    return Move("up" if by > 0 else "down" if by < 0 else "same", abs(by))


def cells(found: Standings, row: Row) -> list[str]:
    """What a row is ranked by, one text for each column."""
    if row.fields is None:
        return [formats.points(found.board, row.points or 0)]
    if in_columns(found.rules):
        return [formats.number(row.fields[field.name]) for field in found.rules.fields]
    return [result(found.board, row)]


def result(board: Board, row: Scored) -> str:
    """What a row is ranked by, as one text with units."""
    if row.fields is None:
        return formats.points_with_unit(board, row.points or 0)
    names = formats.shown_fields(row.fields)
    return "\N{NO-BREAK SPACE}· ".join(formats.named_number(name, row.fields[name]) for name in names)


def top_words(board: Board, rows: Sequence[Row]) -> str:
    """The first three rows in one line, as other sites show it beside a link."""
    if not rows:
        return _("Nobody has scored yet.")
    return " · ".join(
        f"{formats.place(row.rank or nth, tied=(row.tied or 1) > 1)}. {row.name} {result(board, row)}"
        for nth, row in enumerate(rows[:3], 1)
    )


def gap_ahead(board: Board, me: Row, rows: Sequence[Row]) -> Gap | None:
    """To the nearest better rank among ``rows`` (best first); None for the first, or if none is in sight."""
    above = [row for row in rows if (row.rank or 0) < (me.rank or 0)]
    return _gap(board, me, above[-1]) if above else None


def gap_behind(board: Board, me: Row, rows: Sequence[Row]) -> Gap | None:
    """To the nearest worse rank among ``rows``; None for the last, or if none is in sight."""
    below = [row for row in rows if (row.rank or 0) > (me.rank or 0)]
    return _gap(board, me, below[0]) if below else None


def _gap(board: Board, me: Row, other: Row) -> Gap:
    return Gap(_distance(board, me, other), other.name, other.rank)


def _distance(board: Board, me: Row, other: Row) -> str:
    if me.fields is None or other.fields is None:
        apart = abs(Decimal(me.points or 0) - Decimal(other.points or 0))
        return formats.points_with_unit(board, apart) if apart else ""
    for name in formats.shown_fields(me.fields):
        if between := abs(me.fields[name] - other.fields[name]):
            return formats.named_number(name, between)
    return ""
