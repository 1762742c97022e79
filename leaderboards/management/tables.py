"""Tables as files: rows in, rejected rows out.

Bytes that are no UTF-8 become lone surrogates on the way in, so the row that holds them is refused by
itself, and go back as the same bytes into the file of rejected rows.
"""

import csv
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType
from typing import IO

from django.core.management.base import CommandError

from leaderboards.core.submissions import Outcome
from leaderboards.services.import_scores import Line


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
        self._reader = csv.DictReader(TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline=""), strict=True)
        try:
            self.header: list[str] = [*(self._reader.fieldnames or ())]
        except csv.Error as error:
            raise CommandError(f"{file} is no CSV table: {error}.") from error
        if not self.header:
            raise CommandError(f"{file} is empty: its first line must name the columns.")
        if len(set(self.header)) < len(self.header):
            raise CommandError(f"{file} names a column twice in its first line: {', '.join(self.header)}.")

    def column(self, name: str, option: str) -> str:
        """``name``, if the table has such a column."""
        if name not in self.header:
            raise CommandError(f"{option}: {self.file.name} has no column {name!r}; it has {', '.join(self.header)}.")
        return name

    def lines(self) -> Iterator[Line]:
        """Every row, also those that are too long or too short."""
        number = 0
        while True:
            number += 1
            try:
                yield Line(number, next(self._reader))
            except StopIteration:
                return
            except csv.Error as error:
                raise CommandError(f"{self.file}: row {number} is no CSV ({error}); stopped there.") from error

    def bytes_read(self) -> int:
        """How far reading has come."""
        return self._bytes.tell()


class Rejects:
    """``FILE.rejected.csv`` beside the table (or, where that may not be written, here): made when first needed."""

    def __init__(self, table: Table) -> None:
        folder = table.file.parent if os.access(table.file.parent, os.W_OK) else Path.cwd()
        self.file = folder / f"{table.file.stem}.rejected.csv"
        self._header = table.header
        self._stream: IO[str] | None = None

    def __enter__(self) -> "Rejects":
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

    def add(self, line: Line, outcome: Outcome) -> None:
        """Keep the row as it was, with its number and why it was rejected."""
        if self._stream is None:
            self._stream = self.file.open("w", encoding="utf-8", errors="surrogateescape", newline="")
            csv.writer(self._stream).writerow([*self._header, "row", "code", "detail"])
        cells = [*_cells(line.cells, self._header), line.number, outcome.code, outcome.detail]
        csv.writer(self._stream).writerow(cells)


def _cells(cells: Mapping[str | None, str | list[str] | None], header: list[str]) -> list[str]:
    return [str(cells.get(name) or "") for name in header]
