"""Rows as a page writes them: rank with ties, points as text, and how far it is to the next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.utils.translation import gettext as _

from leaderboards import formats
from leaderboards.models import Board
from leaderboards.selectors import Row

WIDEST_COLUMNS = 16  # characters that numbers may take on a phone; wider criteria stand in one cell, as words


@dataclass(frozen=True, slots=True)
class Move:
    """Against the final rank in the period before: ``by`` places ``up`` or ``down``, the ``same``, or ``new``."""

    way: str
    by: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table; ``cells`` stand under the columns' headings.

    ``equals`` is how many share the rank, told in the first row of each rank on a page; in others it is 0.
    ``gap`` is how far it is to the next better rank in sight, empty where there is none.
    """

    player: str
    name: str
    rank: int | None
    tied: bool
    cells: list[str]
    achieved_at: datetime | None
    is_me: bool
    equals: int = 0
    opens: bool = False
    begins_on: int = 1
    gap: str = ""
    move: Move | None = None


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


def lines(
    board: Board, rows: Sequence[Row], me: str | None, before: Mapping[str, int] | None = None, page_size: int = 50
) -> list[Line]:
    """Every row as a line. ``before`` are the final ranks of the period before, where there was one."""
    found = []
    for nth, row in enumerate(rows):
        opens = nth == 0 or rows[nth - 1].rank != row.rank
        tied = (row.tied or 1) > 1
        found.append(
            Line(
                row.player,
                row.name,
                row.rank,
                tied,
                cells(board, row),
                row.achieved_at,
                row.player == me,
                equals=(row.tied or 0) if opens and tied else 0,
                opens=opens and row.rank is not None,
                begins_on=(row.ahead or 0) // page_size + 1,
                gap=_gap_text(board, row, rows[:nth]),
                move=_move(row, before),
            )
        )
    return found


def _gap_text(board: Board, row: Row, above: Sequence[Row]) -> str:
    better = next((each for each in reversed(above) if each.rank != row.rank), None)
    if better is None or row.points is None or better.points is None:
        return ""
    return formats.points(board, abs(Decimal(row.points) - Decimal(better.points)))


def _move(row: Row, before: Mapping[str, int] | None) -> Move | None:
    if not before or row.rank is None:
        return None
    if row.player not in before:
        return Move("new")
    by = before[row.player] - row.rank
    return Move("up" if by > 0 else "down" if by < 0 else "same", abs(by))


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


def top_words(board: Board, rows: Sequence[Row]) -> str:
    """The first three rows in one line, as other sites show it beside a link."""
    if not rows:
        return _("Nobody has scored yet.")
    return " · ".join(f"{row.rank}. {row.name} {result(board, row)}" for row in rows[:3])


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
