"""Write many rows in one statement: as one array per column (``unnest``) on PostgreSQL, as VALUES on SQLite.

Values that all rows share are sent once. The trap: a time per row has the type ``milliseconds`` and is sent as whole
milliseconds; anything finer is cut off.
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
    """A table, its columns with a value per row (name → PostgreSQL type), and its columns that all rows share."""

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
    """Send an INSERT of at least one row; ``shared`` are the values of the shared columns. Returns the cursor."""
    if connection.vendor == "postgresql":
        return statements.execute(*_as_arrays(table, rows, tail, shared))
    names = ", ".join(f'"{name}"' for name in (*table.shared, *table.columns))
    marks = f"({', '.join(['%s'] * (len(table.shared) + len(table.columns)))})"
    kinds = (*table.shared.values(), *table.columns.values())
    cells = [_to_sqlite(cell, kind) for row in rows for cell, kind in zip((*shared, *row), kinds, strict=True)]
    return statements.execute(
        f"INSERT INTO {table.name} ({names}) VALUES {', '.join([marks] * len(rows))} {tail}",
        cells,
    )


def _as_arrays(
    table: InsertTarget, rows: Sequence[tuple[Cell, ...]], tail: str, shared: Sequence[Cell]
) -> tuple[str, list[Any]]:
    """Return the statement and its parameters; columns that are None in all rows are omitted."""
    columns = zip(table.columns, zip(*rows, strict=True), strict=True)
    filled = {name: cells for name, cells in columns if cells.count(None) < len(cells)}
    names = ", ".join(f'"{name}"' for name in (*table.shared, *filled))
    shared_values = [f"%s::{kind}" for kind in table.shared.values()]
    row_values = [_row_value(name, table.columns[name]) for name in filled]
    arrays = ", ".join(f"%s::{_array_type(table.columns[name])}[]" for name in filled)
    aliases = ", ".join(f'"{name}"' for name in filled)
    text = (
        f"INSERT INTO {table.name} ({names}) SELECT {', '.join(shared_values + row_values)}"
        f" FROM unnest({arrays}) AS row ({aliases}) {tail}"
    )
    return text, [*shared, *map(as_array, filled.values())]


def _array_type(kind: str) -> str:
    return "bigint" if kind == "milliseconds" else kind


def _row_value(name: str, kind: str) -> str:
    """Return the expression for a column of ``unnest``."""
    return f"timestamptz 'epoch' + \"{name}\" * interval '1 ms'" if kind == "milliseconds" else f'"{name}"'


def one_of(column: str, kind: str, values: Collection[Cell]) -> Q | RawSQL:
    """Return the condition ``column IN values`` with a single parameter; the query must have one table only."""
    if connection.vendor == "postgresql":
        return RawSQL(*one_of_sql(f'"{column}"', kind, values), BooleanField())  # noqa: S611 - names of our own columns
    return Q(**{f"{column}__in": values})


def one_of_sql(column: str, kind: str, values: Collection[Cell]) -> tuple[str, list[Any]]:
    """Return the condition ``column IN values`` as SQL, and its parameters.

    A single value is compared with ``=``, since PostgreSQL can reuse that plan; for an array it plans each time.
    """
    if connection.vendor == "postgresql":
        if len(values) == 1:
            return f"{column} = %s::{kind}", list(values)
        return f"{column} = ANY(%s::{kind}[])", [as_array(values)]
    return f"{column} IN ({', '.join(['%s'] * len(values))})", list(values)


def as_array(cells: Collection[Cell]) -> str:
    """Return a PostgreSQL array literal. psycopg's own adaptation, cell by cell, takes many times as long."""
    types = set(map(type, cells))
    if types <= _NUMBERS:
        return f"{{{','.join(map(str, cells))}}}"
    if types == {str}:
        joined = '","'.join(map(str, cells))
        needs_no_escapes = "\\" not in joined and joined.count('"') == 2 * (len(cells) - 1)
        if needs_no_escapes:
            return f'{{"{joined}"}}'
    return f"{{{','.join(map(_escape, cells))}}}"


def _escape(cell: Cell) -> str:
    if cell is None:
        return "NULL"
    if isinstance(cell, str):
        return '"' + cell.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f'"{cell.isoformat()}"' if isinstance(cell, datetime) else str(cell)


def _to_sqlite(cell: Cell, kind: str) -> Cell:
    if kind == "milliseconds" and isinstance(cell, int):
        cell = from_milliseconds(cell)
    return str(connection.ops.adapt_datetimefield_value(cell)) if isinstance(cell, datetime) else cell
