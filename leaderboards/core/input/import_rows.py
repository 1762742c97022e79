"""Rows of an uploaded table as they are kept until they are applied: compressed, with all that was strange in them.

A lone surrogate (a byte that was no UTF-8) and a row of the wrong length come back as they went in.
"""

import json
import zlib
from collections.abc import Iterator, Sequence

from leaderboards.core.input.csv_table import CsvRow

EXTRA_CELLS = "…"  # what stands for cells beyond the header


def pack_rows(header: Sequence[str], lines: Sequence[CsvRow]) -> bytes:
    """The rows as bytes; cells in the order of ``header``."""
    rows = [[line.number, None in line.cells, *(line.cells.get(name) for name in header)] for line in lines]
    return zlib.compress(json.dumps(rows).encode("ascii"))


def unpack_rows(header: Sequence[str], content: bytes) -> Iterator[CsvRow]:
    """The rows again, in their order."""
    for number, is_too_long, *cells in json.loads(zlib.decompress(content)):
        found: dict[str | None, str | list[str] | None] = dict(zip(header, cells, strict=True))
        yield CsvRow(number, found | {None: [EXTRA_CELLS]} if is_too_long else found)
