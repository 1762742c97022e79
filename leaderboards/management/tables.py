"""CSV files of commands: read rows, and write rejected rows.

Invalid UTF-8 is read as lone surrogates (``core/input/csv_table.py``), and written as the same bytes into the file of
rejected rows.
"""

import csv
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import FileIO, StringIO
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import IO

from django.core.management.base import CommandError

from leaderboards.core.input.csv_table import CsvRow, CsvTable
from leaderboards.core.submissions import Outcome
from leaderboards.import_errors import BadTable

ROW = "row"
REASONS = [ROW, "code", "detail"]  # the last columns of a table of rejected rows
DELIMITERS = {"comma": ",", "tab": "\t", "semicolon": ";"}


@contextmanager
def open_table(file: Path, delimiter: str = "comma") -> "Iterator[Table]":
    """Open the table in ``file``; ``delimiter`` names one of ``DELIMITERS``.

    Raises ``CommandError`` if it cannot be read.
    """
    try:
        stream = file.open("rb")
    except OSError as error:
        raise CommandError(f"{file} can not be read: {error.strerror}.") from error
    with stream:
        yield Table(file, stream, DELIMITERS[delimiter])


class Table:
    """A CSV file with a header."""

    def __init__(self, file: Path, stream: IO[bytes], delimiter: str = ",") -> None:
        self.file = file
        self.delimiter = delimiter
        self.size = file.stat().st_size
        self._bytes = stream
        with self._as_command_error(str(file)):
            self._csv = CsvTable(stream, delimiter)
        self.header = self._csv.header

    def column(self, name: str, option: str) -> str:
        """Return ``name`` if the table has this column. Raises ``CommandError``."""
        if name not in self.header and (other := self._other_delimiter()):
            raise CommandError(f"{option}: {self.file.name} has one column as it is read: try --delimiter {other}.")
        with self._as_command_error(f"{option}: {self.file.name}"):
            return self._csv.column(name)

    def _other_delimiter(self) -> str | None:
        """The name of the delimiter that the only column's name contains, if there is one."""
        if len(self.header) > 1:
            return None
        return next((name for name, mark in DELIMITERS.items() if mark in self.header[0]), None)

    def lines(self) -> Iterator[CsvRow]:
        """Yield every row, also those that are too long or too short."""
        with self._as_command_error(str(self.file)):
            yield from self._csv.lines()

    def bytes_read(self) -> int:
        """Return the number of bytes read so far; 0 for a pipe, which cannot tell."""
        return self._bytes.tell() if self._bytes.seekable() else 0

    @contextmanager
    def _as_command_error(self, subject: str) -> Iterator[None]:
        try:
            yield
        except BadTable as error:
            raise CommandError(error.detail.replace("The file", subject, 1)) from error


class RejectedRows:
    """``FILE.rejected.csv`` next to the table, or in the working directory if that is not writable.

    If there is one already, somebody may be mending it: then ``FILE.rejected-2.csv``, and so on.

    It has the table's delimiter, so that it can be mended and imported with the same options. The column ``row`` has
    ``row_id`` if that is given: an import by ``row`` takes it for the id, so a row that counts does not count again.
    Surplus cells stand behind the last column, so that the row stays refused until it is mended. The file is created
    with the first rejected row. It ends with a whole row, also on a disk that is full.
    """

    def __init__(self, table: Table, row_id: Callable[[CsvRow], str] | None = None) -> None:
        folder = table.file.parent if os.access(table.file.parent, os.W_OK) else Path.cwd()
        self._first = folder / f"{table.file.stem}.rejected.csv"
        self.file = self._first
        self._row_id = row_id
        self._is_second = table.header[-len(REASONS) :] == REASONS  # rejected rows of rejected rows
        self._header = table.header[: -len(REASONS)] if self._is_second else table.header
        self._delimiter = table.delimiter
        self._stream: FileIO | None = None

    def __enter__(self) -> "RejectedRows":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream:
            self._stream.close()

    @property
    def earlier(self) -> Path | None:
        """The file of an earlier import, if this one was written beside it."""
        return self._first if self.file != self._first else None

    @property
    def is_written(self) -> bool:
        """Return whether any row was rejected."""
        return self._stream is not None

    def add(self, rejected: Sequence[tuple[CsvRow, Outcome]]) -> None:
        """Write the rows unchanged, each with its number and why it was rejected: all or none of them.

        Raises ``RejectsUnwritten``.
        """
        if not rejected:
            return
        try:
            if self._stream is None:
                self._stream = self._open()
                self._write([[*self._header, *REASONS], *(self._cells_of(*each) for each in rejected)])
            else:
                self._write([self._cells_of(*each) for each in rejected])
        except OSError as error:
            raise RejectsUnwritten(self.file, [line.number for line, _ in rejected], error) from error

    def _cells_of(self, line: CsvRow, outcome: Outcome) -> list[object]:
        cells = [*_cells(line.cells, self._header), self._row_of(line), outcome.code, outcome.detail]
        return [*cells, *(line.cells.get(None) or ())]

    def _open(self) -> FileIO:
        """Open the first name that is free."""
        for nth in count(2):
            try:
                return FileIO(self.file, "x")
            except FileExistsError:
                self.file = self._first.with_name(f"{self._first.stem}-{nth}.csv")
        raise AssertionError("The numbers do not end.")

    def _row_of(self, line: CsvRow) -> object:
        """Return the row's id or number, which a table of rejected rows has already."""
        if self._is_second:
            return line.cells.get(ROW) or line.number
        return line.number if self._row_id is None else self._row_id(line)

    def _write(self, rows: Iterable[Sequence[object]]) -> None:
        """Append the rows, or raise ``OSError`` and leave the file as it was, or none if it was empty."""
        if self._stream is None:
            raise ValueError("the file is not open")
        text = StringIO(newline="")
        csv.writer(text, delimiter=self._delimiter).writerows(rows)
        left, good = memoryview(text.getvalue().encode(errors="surrogateescape")), self._stream.tell()
        try:
            while left:
                left = left[self._stream.write(left) or 0 :]
        except BaseException:
            self._stream.truncate(good)
            if not good:
                self.file.unlink()
                self._stream.close()
                self._stream = None
            raise


class RejectsUnwritten(CommandError):
    """Rows that were rejected are in no file: their numbers, and what was wrong with the file."""

    def __init__(self, file: Path, numbers: list[int], error: OSError) -> None:
        named = ", ".join(map(str, numbers))
        super().__init__(
            f"{file} cannot be written: {error.strerror}. These rejected rows are not in it: {named}. Make room, and "
            "import them and the rest."
        )


def _cells(cells: Mapping[str | None, str | list[str] | None], header: list[str]) -> list[str]:
    return [str(cells.get(name) or "") for name in header]
