"""A whole period as CSV, streamed from one SQL statement.

A redis board is mirrored first; where Redis is away the header ``Live: false`` says that the newest scores may be
missing. The trap: while a period is open its CSV has no ETag, since nothing short of reading it all could tell.
"""

import csv
import logging
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from hashlib import blake2b
from itertools import chain

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from ninja import Router

from foundation import clock
from foundation.errors import Unavailable
from leaderboards import selectors
from leaderboards.api.access import Reads, board_to_read, is_private
from leaderboards.api.answers import has_already, tagged
from leaderboards.api.encoding import when
from leaderboards.api.parameters import PERIOD, SEQ, Whole
from leaderboards.models import Board, Period, State, Storage
from leaderboards.selectors import Row
from leaderboards.services.mirror import mirror

logger = logging.getLogger(__name__)

ROWS_A_CHUNK = 500

router = Router(tags=["standings"], auth=Reads())


@router.get("/boards/{seq}/standings.csv")
def export_standings(request: HttpRequest, seq: Whole = SEQ, period: str = PERIOD) -> HttpResponseBase:
    """A whole period as CSV."""
    board = board_to_read(request, seq)
    at = clock.now()
    label = selectors.shown_period(board, period, at).label
    stored = selectors.stored_period(board, label, at)
    live = stored is None or _is_mirrored(stored)
    columns = [field.name for field in (stored.rules if stored else board.rules).fields]
    export = _Export(board, label, columns)
    response = export.final(request) if stored and _never_changes(stored) else export.open()
    response["Live"] = "true" if live else "false"
    return response


class _Export:
    """One period of one board; ``columns`` are its criteria, none on boards of points."""

    def __init__(self, board: Board, label: str, columns: Sequence[str]) -> None:
        self._board = board
        self._label = label
        self._columns = columns

    def open(self) -> HttpResponseBase:
        """What changes by the second is kept by nobody."""
        response = self._streamed()
        response["Cache-Control"] = "private, no-store" if is_private(self._board) else "no-store"
        return response

    def final(self, request: HttpRequest) -> HttpResponseBase:
        """Read once for the ETag, and again only for a caller who does not have it."""
        digest = blake2b(digest_size=12)
        as_of, rows = selectors.export_rows(self._board, self._label)
        for part in _written(self._columns, rows):
            digest.update(part)
        tag = digest.hexdigest()
        if has_already(request, tag):
            response: HttpResponseBase = HttpResponse(status=304, headers={"As-Of": when(as_of)})
            del response["Content-Type"]
        else:
            response = self._streamed()
        return tagged(response, tag, is_private(self._board))

    def _streamed(self) -> StreamingHttpResponse:
        as_of, rows = selectors.export_rows(self._board, self._label)
        parts = _written(self._columns, rows)
        # The first part is read here: what fails at once is refused properly instead of breaking off.
        response = StreamingHttpResponse(chain([next(parts)], parts), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="board-{self._board.seq}-{self._label}.csv"'
        response["As-Of"] = when(as_of)
        return response


def _is_mirrored(period: Period) -> bool:
    """Whether SQL has everything that was submitted by now."""
    if period.board.storage != Storage.REDIS or _never_changes(period):
        return True
    try:
        mirror(period)
    except Unavailable as error:
        logger.info("period %s is exported without a mirror pass: %s", period.pk, error.detail)
        return False
    return period.stale_since is None


def _never_changes(period: Period) -> bool:
    return period.state in (State.FINAL, State.EXPIRED)


class _Line:
    """What the csv writer writes to: it hands each line back."""

    def write(self, line: str) -> str:
        return line


def _written(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[bytes]:
    """The CSV in parts, its header in the first."""
    writer = csv.writer(_Line(), lineterminator="\r\n")
    lines = [str(writer.writerow(["rank", "player", "name", *(columns or ["points"]), "achieved_at", "tied"]))]
    for row in rows:
        lines.append(str(writer.writerow(_cells(row, columns))))
        if len(lines) >= ROWS_A_CHUNK:
            yield "".join(lines).encode()
            lines = []
    yield "".join(lines).encode()


def _cells(row: Row, columns: Sequence[str]) -> list[object]:
    fields = row.fields or {}
    values: list[object] = [fields[name] for name in columns] or [f"{Decimal(row.points or 0):f}"]
    achieved_at = when(row.achieved_at) if row.achieved_at else ""
    return [row.rank, row.player, row.name, *values, achieved_at, row.tied]
