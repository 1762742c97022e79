"""CSV files of commands: read rows, and write rejected rows.

Invalid UTF-8 is read as lone surrogates (``core/input/csv_table.py``), and written as the same bytes into the file of
rejected rows.
"""

import csv
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO

from django.core.management.base import CommandError

from leaderboards.core.input.csv_table import CsvRow, CsvTable
from leaderboards.core.submissions import Outcome
from leaderboards.import_errors import BadTable


@contextmanager
def open_table(file: Path) -> "Iterator[Table]":
    """Open the table in ``file``. Raises ``CommandError`` if it cannot be read."""
    try:
        stream = file.open("rb")
    except OSError as error:
        raise CommandError(f"{file} can not be read: {error.strerror}.") from error
    with stream:
        yield Table(file, stream)


class Table:
    """A CSV file with a header."""

    def __init__(self, file: Path, stream: IO[bytes]) -> None:
        self.file = file
        self.size = file.stat().st_size
        self._bytes = stream
        with self._as_command_error(str(file)):
            self._csv = CsvTable(stream)
        self.header = self._csv.header

    def column(self, name: str, option: str) -> str:
        """Return ``name`` if the table has this column. Raises ``CommandError``."""
        with self._as_command_error(f"{option}: {self.file.name}"):
            return self._csv.column(name)

    def lines(self) -> Iterator[CsvRow]:
        """Yield every row, also those that are too long or too short."""
        with self._as_command_error(str(self.file)):
            yield from self._csv.lines()

    def bytes_read(self) -> int:
        """Return the number of bytes read so far."""
        return self._bytes.tell()

    @contextmanager
    def _as_command_error(self, subject: str) -> Iterator[None]:
        try:
            yield
        except BadTable as error:
            raise CommandError(error.detail.replace("The file", subject, 1)) from error


class RejectedRows:
    """``FILE.rejected.csv`` next to the table, or in the working directory if that is not writable.

    The file is created with the first rejected row.
    """

    def __init__(self, table: Table) -> None:
        folder = table.file.parent if os.access(table.file.parent, os.W_OK) else Path.cwd()
        self.file = folder / f"{table.file.stem}.rejected.csv"
        self._header = table.header
        self._stream: IO[str] | None = None

    def __enter__(self) -> "RejectedRows":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream:
            self._stream.close()

    @property
    def is_written(self) -> bool:
        """Return whether any row was rejected."""
        return self._stream is not None

    def add(self, line: CsvRow, outcome: Outcome) -> None:
        """Write the row unchanged, with its number and why it was rejected."""
        if self._stream is None:
            self._stream = self.file.open("w", encoding="utf-8", errors="surrogateescape", newline="")
            csv.writer(self._stream).writerow([*self._header, "row", "code", "detail"])
        cells = [*_cells(line.cells, self._header), line.number, outcome.code, outcome.detail]
        csv.writer(self._stream).writerow(cells)


def _cells(cells: Mapping[str | None, str | list[str] | None], header: list[str]) -> list[str]:
    return [str(cells.get(name) or "") for name in header]
