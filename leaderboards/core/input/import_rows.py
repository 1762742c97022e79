"""Compress rows of an uploaded table until they are applied, and unpack them.

Lone surrogates (bytes that were not UTF-8) and rows of the wrong length are preserved.
"""

import json
import zlib
from collections.abc import Iterator, Sequence

from leaderboards.core.input.csv_table import CsvRow

EXTRA_CELLS = "…"  # replaces cells beyond the header


def pack_rows(header: Sequence[str], lines: Sequence[CsvRow]) -> bytes:
    """Return the rows as bytes; cells in the order of ``header``."""
    rows = [[line.number, None in line.cells, *(line.cells.get(name) for name in header)] for line in lines]
    return zlib.compress(json.dumps(rows).encode("ascii"))


def unpack_rows(header: Sequence[str], content: bytes) -> Iterator[CsvRow]:
    """Yield the rows in their order."""
    for number, is_too_long, *cells in json.loads(zlib.decompress(content)):
        by_column: dict[str | None, str | list[str] | None] = dict(zip(header, cells, strict=True))
        yield CsvRow(number, by_column | {None: [EXTRA_CELLS]} if is_too_long else by_column)
