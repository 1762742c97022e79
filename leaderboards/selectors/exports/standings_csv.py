"""Standings as CSV, in parts: for the API, for commands and for the folder of an export."""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import repeat

from foundation.chunks import in_chunks
from foundation.http.encoding import when
from leaderboards.core.input.csv_cells import raw_cell, safe_cell
from leaderboards.selectors.rankings.standings import Row

ROWS_PER_CHUNK = 500


class _Line:
    """A file for the csv writer that returns each line."""

    def write(self, line: str) -> str:
        return line


@dataclass(frozen=True, slots=True)
class MoreColumns:
    """Further text columns behind the others; ``texts`` returns the cells of each row in a chunk."""

    names: Sequence[str] = ()
    texts: Callable[[Sequence[Row]], Iterable[Sequence[str]]] = lambda rows: repeat((), len(rows))

    def with_metadata(self) -> "MoreColumns":
        """Return the same columns with ``metadata`` behind them: compact JSON, empty for none."""
        return MoreColumns((*self.names, "metadata"), self._with_metadata)

    def _with_metadata(self, rows: Sequence[Row]) -> Iterator[Sequence[str]]:
        return ((*texts, row.metadata or "") for row, texts in zip(rows, self.texts(rows), strict=True))


NO_MORE = MoreColumns()


def csv_parts(
    columns: Sequence[str],
    rows: Iterable[Row],
    raw: bool = False,
    more: MoreColumns = NO_MORE,
    line_end: str = "\r\n",
) -> Iterator[bytes]:
    """Rows as CSV in parts, the header first; ``columns`` are the criteria, empty on boards of points.

    Texts that a spreadsheet would run as formulas are escaped, unless ``raw``. Lines end as RFC 4180 has it; commands
    end theirs with "\\n".
    """
    cell = raw_cell if raw else safe_cell
    writer = csv.writer(_Line(), lineterminator=line_end)
    header = ["rank", "player", "name", *(columns or ["points"]), "achieved_at", "tied", *more.names]
    lines = [str(writer.writerow(header))]
    for chunk in in_chunks(rows, ROWS_PER_CHUNK):
        for row, texts in zip(chunk, more.texts(chunk), strict=True):
            lines.append(str(writer.writerow([*_cells(row, columns, cell), *map(cell, texts)])))
        yield "".join(lines).encode()
        lines = []
    if lines:
        yield "".join(lines).encode()


def _cells(row: Row, columns: Sequence[str], cell: Callable[[object], object]) -> list[object]:
    fields = row.fields or {}
    values: list[object] = [fields[name] for name in columns] or [f"{Decimal(row.points or 0):f}"]
    achieved_at = when(row.achieved_at) if row.achieved_at else ""
    return [row.rank, cell(row.player), cell(row.name), *values, achieved_at, row.tied]
