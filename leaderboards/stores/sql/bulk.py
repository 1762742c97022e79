"""Many rows in one statement: on PostgreSQL they travel as one array per column (``unnest``), on SQLite as VALUES.

What is the same for all rows of a call travels once. The trap: a time that a row holds for itself travels as whole
milliseconds, kind ``milliseconds``; finer ones would be cut.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import BooleanField, Q
from django.db.models.expressions import RawSQL

from foundation.db.pipeline import StatementRunner
from leaderboards.core.instants import from_milliseconds

Cell = int | float | str | bool | datetime | None

_NUMBERS = {int, float, bool}


@dataclass(frozen=True, slots=True)
class InsertTarget:
    """A table's name, the columns that each row has for itself (name → PostgreSQL type), and those all rows share."""

    name: str
    columns: Mapping[str, str]
    shared: Mapping[str, str] = field(default_factory=dict)


def insert(table: str, columns: Mapping[str, str], rows: Sequence[tuple[Cell, ...]], tail: str) -> int:
    """Insert ``rows`` into ``columns`` (name → PostgreSQL type); returns how many rows were written."""
    return int(send_rows(StatementRunner(), InsertTarget(table, columns), rows, tail).rowcount) if rows else 0


def send_rows(
    statements: StatementRunner,
    table: InsertTarget,
    rows: Sequence[tuple[Cell, ...]],
    tail: str,
    shared: Sequence[Cell] = (),
) -> Any:
    """Send the INSERT of at least one row, all with the cells ``shared``. Its cursor knows how many it wrote."""
    if connection.vendor == "postgresql":
        return statements.execute(*_as_arrays(table, rows, tail, shared))
    names = ", ".join(f'"{name}"' for name in (*table.shared, *table.columns))
    marks = f"({', '.join(['%s'] * (len(table.shared) + len(table.columns)))})"
    kinds = (*table.shared.values(), *table.columns.values())
    cells = [_plain(cell, kind) for row in rows for cell, kind in zip((*shared, *row), kinds, strict=True)]
    return statements.execute(
        f"INSERT INTO {table.name} ({names}) VALUES {', '.join([marks] * len(rows))} {tail}",
        cells,
    )


def _as_arrays(
    table: InsertTarget, rows: Sequence[tuple[Cell, ...]], tail: str, shared: Sequence[Cell]
) -> tuple[str, list[Any]]:
    """The statement and its parameters; a column that holds nothing in all rows is left out."""
    columns = zip(table.columns, zip(*rows, strict=True), strict=True)
    filled = {name: cells for name, cells in columns if cells.count(None) < len(cells)}
    names = ", ".join(f'"{name}"' for name in (*table.shared, *filled))
    once = [f"%s::{kind}" for kind in table.shared.values()]
    each = [_taken(name, table.columns[name]) for name in filled]
    arrays = ", ".join(f"%s::{_travels_as(table.columns[name])}[]" for name in filled)
    aliases = ", ".join(f'"{name}"' for name in filled)
    text = (
        f"INSERT INTO {table.name} ({names}) SELECT {', '.join(once + each)}"
        f" FROM unnest({arrays}) AS row ({aliases}) {tail}"
    )
    return text, [*shared, *map(as_array, filled.values())]


def _travels_as(kind: str) -> str:
    return "bigint" if kind == "milliseconds" else kind


def _taken(name: str, kind: str) -> str:
    """What is made of a column that has arrived."""
    return f"timestamptz 'epoch' + \"{name}\" * interval '1 ms'" if kind == "milliseconds" else f'"{name}"'


def one_of(column: str, kind: str, values: Collection[Cell]) -> Q | RawSQL:
    """The condition that ``column`` of the one table that is asked is one of ``values``: one parameter for them all."""
    if connection.vendor == "postgresql":
        return RawSQL(*one_of_sql(f'"{column}"', kind, values), BooleanField())  # noqa: S611 (names are ours)
    return Q(**{f"{column}__in": values})


def one_of_sql(column: str, kind: str, values: Collection[Cell]) -> tuple[str, list[Any]]:
    """The same as SQL, and its parameters. For one value PostgreSQL keeps its plan; for an array it plans each time."""
    if connection.vendor == "postgresql":
        if len(values) == 1:
            return f"{column} = %s::{kind}", list(values)
        return f"{column} = ANY(%s::{kind}[])", [as_array(values)]
    return f"{column} IN ({', '.join(['%s'] * len(values))})", list(values)


def as_array(cells: Collection[Cell]) -> str:
    """An array as PostgreSQL spells it. psycopg asks each cell how, which takes many times as long."""
    kinds = set(map(type, cells))
    if kinds <= _NUMBERS:
        return f"{{{','.join(map(str, cells))}}}"
    if kinds == {str}:
        said = '","'.join(map(str, cells))
        if "\\" not in said and said.count('"') == 2 * (len(cells) - 1):  # nothing in them needs to be spelled
            return f'{{"{said}"}}'
    return f"{{{','.join(map(_spelled, cells))}}}"


def _spelled(cell: Cell) -> str:
    if cell is None:
        return "NULL"
    if isinstance(cell, str):
        return '"' + cell.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f'"{cell.isoformat()}"' if isinstance(cell, datetime) else str(cell)


def _plain(cell: Cell, kind: str) -> Cell:
    """A value as SQLite takes it."""
    if kind == "milliseconds" and isinstance(cell, int):
        cell = from_milliseconds(cell)
    return str(connection.ops.adapt_datetimefield_value(cell)) if isinstance(cell, datetime) else cell
