"""Read CSV tables, and lists of boards in JSON, from files.

Bytes that are not UTF-8 become lone surrogates, so that only the row with them is refused. A file that cannot be read
as a whole is a ``BadTable``.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from typing import IO, Any

from foundation.messages import Message
from leaderboards.core.input.json_body import DuplicateKeys, read_json
from leaderboards.import_errors import BadTable

MOST_COLUMNS = 100
LONGEST_COLUMN = 200  # characters of its name


@dataclass(frozen=True, slots=True)
class CsvRow:
    """A row: its number, counted from 1 without the header, and its cells by column."""

    number: int
    cells: Mapping[str | None, str | list[str] | None]


class CsvTable:
    """A CSV table with a header. It can be read once."""

    def __init__(self, stream: IO[bytes], delimiter: str = ",") -> None:
        """Read the header. Raises ``BadTable`` if it is missing, too long, or names a column twice."""
        text = TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="")
        self._reader = csv.DictReader(text, strict=True, delimiter=delimiter)
        try:
            self.header: list[str] = [*(self._reader.fieldnames or ())]
        except csv.Error as error:
            raise BadTable(Message("The file is no CSV table: %(why)s.", why=error)) from error
        if len(self.header) > MOST_COLUMNS or max(map(len, self.header), default=0) > LONGEST_COLUMN:
            raise BadTable(
                Message(
                    "The first line names the columns: at most %(most)s, each in at most %(long)s characters.",
                    most=MOST_COLUMNS,
                    long=LONGEST_COLUMN,
                )
            )
        if not self.header:
            raise BadTable(Message("The file is empty: its first line must name the columns."))
        if len(set(self.header)) < len(self.header):
            raise BadTable(
                Message("The file names a column twice in its first line: %(columns)s.", columns=", ".join(self.header))
            )

    def column(self, name: str) -> str:
        """Return ``name`` if the table has such a column. Raises ``BadTable``."""
        if name not in self.header:
            raise BadTable(
                Message(
                    "The file has no column %(name)s; it has %(columns)s.",
                    name=repr(name),
                    columns=", ".join(self.header),
                )
            )
        return name

    def lines(self) -> Iterator[CsvRow]:
        """Yield every row, also those that are too long or too short. Raises ``BadTable`` at a row that is no CSV."""
        number = 0
        while True:
            number += 1
            try:
                yield CsvRow(number, next(self._reader))
            except StopIteration:
                return
            except csv.Error as error:
                raise BadTable(
                    Message("The file: row %(row)s is no CSV (%(error)s); stopped there.", row=number, error=error)
                ) from error


def read_boards(text: bytes) -> list[dict[str, Any]]:
    """Return the boards of ``{"boards": [{settings}, …]}``, with exact numbers. Raises ``BadTable``."""
    try:
        document = read_json(text)
    except ValueError as error:
        raise BadTable(str(error).replace("The body", "The file")) from error
    boards = document.get("boards") if isinstance(document, dict) and set(document) == {"boards"} else None
    if not isinstance(boards, list) or not all(isinstance(each, dict) for each in boards):
        raise BadTable(Message('The file must hold one object {"boards": [{"name": …}, …]} and nothing else.'))
    if any(isinstance(each, DuplicateKeys) for each in boards):
        raise BadTable(Message("The file: a board names a setting twice."))
    return boards
