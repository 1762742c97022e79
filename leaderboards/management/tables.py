"""Tables as files: rows in, rejected rows out.

Bytes that are no UTF-8 become lone surrogates on the way in (``core/input/csv_table.py``), and go back as the same
bytes into the file of rejected rows.
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
from leaderboards.errors import BadTable


@contextmanager
def open_table(file: Path) -> "Iterator[Table]":
    """The table in ``file``, until it is closed. Raises ``CommandError`` where there is none."""
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
        with self._refused(str(file)):
            self._csv = CsvTable(stream)
        self.header = self._csv.header

    def column(self, name: str, option: str) -> str:
        """``name``, if the table has such a column."""
        with self._refused(f"{option}: {self.file.name}"):
            return self._csv.column(name)

    def lines(self) -> Iterator[CsvRow]:
        """Every row, also those that are too long or too short."""
        with self._refused(str(self.file)):
            yield from self._csv.lines()

    def bytes_read(self) -> int:
        """How far reading has come."""
        return self._bytes.tell()

    @contextmanager
    def _refused(self, subject: str) -> Iterator[None]:
        try:
            yield
        except BadTable as error:
            raise CommandError(error.detail.replace("The file", subject, 1)) from error


class RejectedRows:
    """``FILE.rejected.csv`` beside the table (or, where that may not be written, here): made when first needed."""

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
        """Whether any row was rejected."""
        return self._stream is not None

    def add(self, line: CsvRow, outcome: Outcome) -> None:
        """Keep the row as it was, with its number and why it was rejected."""
        if self._stream is None:
            self._stream = self.file.open("w", encoding="utf-8", errors="surrogateescape", newline="")
            csv.writer(self._stream).writerow([*self._header, "row", "code", "detail"])
        cells = [*_cells(line.cells, self._header), line.number, outcome.code, outcome.detail]
        csv.writer(self._stream).writerow(cells)


def _cells(cells: Mapping[str | None, str | list[str] | None], header: list[str]) -> list[str]:
    return [str(cells.get(name) or "") for name in header]
