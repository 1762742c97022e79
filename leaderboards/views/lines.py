"""Rows as a page writes them: rank with ties, points as text, and how far it is to the next."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.utils.translation import gettext as _

from leaderboards import formats
from leaderboards.models import Board
from leaderboards.selectors import Row

WIDEST_COLUMNS = 16  # characters that numbers may take on a phone; wider criteria stand in one cell, as words


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table; ``cells`` stand under the columns' headings."""

    player: str
    name: str
    rank: int | None
    tied: bool
    cells: list[str]
    achieved_at: datetime | None
    is_me: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """From one row to another: ``text`` says how far, empty if they are level."""

    text: str
    name: str
    rank: int | None


def columns(board: Board, rows: Sequence[Row]) -> list[str]:
    """The headings of what is ranked by."""
    if not rows or rows[0].fields is None:
        return [formats.points_heading(board)]
    names = formats.shown_fields(rows[0].fields)
    return [formats.field_name(name) for name in names] if in_columns(board, names) else [_("Result")]


def in_columns(board: Board, names: Sequence[str]) -> bool:
    """Whether the criteria fit columns of their own, however great their values become."""
    widths = {field.name: len(formats.number(field.maximum)) for field in board.rules.fields}
    return all(name in widths for name in names) and sum(widths.values()) <= WIDEST_COLUMNS


def lines(board: Board, rows: Sequence[Row], me: str | None) -> list[Line]:
    """Every row as a line."""
    return [
        Line(row.player, row.name, row.rank, (row.tied or 1) > 1, cells(board, row), row.achieved_at, row.player == me)
        for row in rows
    ]


def cells(board: Board, row: Row) -> list[str]:
    """What a row is ranked by, one text for each column."""
    if row.fields is None:
        return [formats.points(board, row.points or 0)]
    names = formats.shown_fields(row.fields)
    if in_columns(board, names):
        return [formats.number(row.fields[name]) for name in names]
    return [result(board, row)]


def result(board: Board, row: Row) -> str:
    """What a row is ranked by, as one text with units."""
    if row.fields is None:
        return formats.measured(board, row.points or 0)
    names = formats.shown_fields(row.fields)
    return "\N{NO-BREAK SPACE}· ".join(formats.named_number(name, row.fields[name]) for name in names)


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
        return formats.measured(board, apart) if apart else ""
    for name in formats.shown_fields(me.fields):
        if between := abs(me.fields[name] - other.fields[name]):
            return formats.named_number(name, between)
    return ""
