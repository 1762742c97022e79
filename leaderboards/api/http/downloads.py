"""Files that are streamed: whatever can be read twice, in parts, with an ETag once it never changes again."""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import chain, repeat

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from foundation.chunks import in_chunks
from foundation.http.encoding import when
from leaderboards.api.http.responses import etag_matches, with_etag
from leaderboards.core.input.csv_cells import raw_cell, safe_cell
from leaderboards.selectors import Row
from leaderboards.selectors.exports.cached_files import CachedFile, cache_file, compress_file, read_cached_file
from leaderboards.selectors.exports.export_slots import ExportSlot

ROWS_A_CHUNK = 500
CSV = "text/csv; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Download:
    """``read`` begins anew each time: when it was so, and the file in parts."""

    name: str
    content_type: str
    private: bool
    read: Callable[[], tuple[datetime, Iterator[bytes]]]

    def open(self) -> HttpResponseBase:
        """What changes by the second is kept by nobody."""
        with ExportSlot() as turn:
            response = self._streamed(turn)
        response["Cache-Control"] = "private, no-store" if self.private else "no-store"
        return response

    def final(self, request: HttpRequest, stamp: Callable[[], str] | None = None) -> HttpResponseBase:
        """What never changes, with its ETag; with a ``stamp`` it is kept under that, and not made again."""
        kept = read_cached_file(stamp()) if stamp else None
        if kept is not None and etag_matches(request, kept.tag):
            return self._unchanged(kept)
        with ExportSlot() as turn:
            made = kept or self._made(stamp)
            if etag_matches(request, made.tag):
                return self._unchanged(made)
            response = self._streamed(turn, None if made.packed is None else made)
        return with_etag(response, made.tag, self.private)

    def _made(self, stamp: Callable[[], str] | None) -> CachedFile:
        before = stamp() if stamp else None
        as_of, parts = self.read()
        made = compress_file(as_of, parts)
        if stamp and before == stamp():  # else it changed while it was made
            cache_file(before, made)
        return made

    def _unchanged(self, made: CachedFile) -> HttpResponse:
        response = HttpResponse(status=304, headers={"As-Of": when(made.as_of)})
        del response["Content-Type"]
        return with_etag(response, made.tag, self.private)

    def _streamed(self, turn: ExportSlot, made: CachedFile | None = None) -> StreamingHttpResponse:
        as_of, parts = self.read() if made is None else (made.as_of, made.parts())
        # The first part is read here: what fails at once is refused properly instead of breaking off.
        content = turn.hold_while_streaming(chain([next(parts)], parts))
        response = StreamingHttpResponse(content, content_type=self.content_type)
        response["Content-Disposition"] = f'attachment; filename="{self.name}"'
        response["As-Of"] = when(as_of)
        return response


class _Line:
    """What the csv writer writes to: it hands each line back."""

    def write(self, line: str) -> str:
        return line


@dataclass(frozen=True, slots=True)
class MoreColumns:
    """Further columns of texts behind the others; ``texts`` gives the cells of some rows, for each row as many."""

    names: Sequence[str] = ()
    texts: Callable[[Sequence[Row]], Iterable[Sequence[str]]] = lambda rows: repeat((), len(rows))


NO_MORE = MoreColumns()


def csv_parts(
    columns: Sequence[str], rows: Iterable[Row], raw: bool = False, more: MoreColumns = NO_MORE
) -> Iterator[bytes]:
    """Rows as CSV, the header in the first part; ``columns`` are the criteria, none on boards of points.

    Texts that a spreadsheet would run are made harmless, unless ``raw``.
    """
    cell = raw_cell if raw else safe_cell
    writer = csv.writer(_Line(), lineterminator="\r\n")
    header = ["rank", "player", "name", *(columns or ["points"]), "achieved_at", "tied", *more.names]
    lines = [str(writer.writerow(header))]
    for several in in_chunks(rows, ROWS_A_CHUNK):
        for row, texts in zip(several, more.texts(several), strict=True):
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
