"""Export of a whole period as CSV, streamed from one SQL statement.

A redis board is mirrored first; if Redis does not answer, the header ``Live: false`` says that the newest scores may be
missing. The trap: while a period is open its CSV has no ETag: computing one would mean reading the whole period.
"""

import logging
from collections.abc import Iterator
from datetime import datetime
from functools import partial

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from ninja import Router

from foundation import clock
from foundation.errors import Unavailable
from leaderboards import selectors
from leaderboards.api.http.access import OptionalKey, is_private, standings_to_read
from leaderboards.api.http.downloads import CSV, Download
from leaderboards.api.http.parameters import METADATA_COLUMN, PERIOD, RAW, SEQ, WholeNumber
from leaderboards.models import OVER_STATES, Board, Period, Storage
from leaderboards.selectors.exports.cached_files import fingerprint_of
from leaderboards.selectors.exports.standings_csv import NO_MORE, csv_parts
from leaderboards.services.sync.mirror import mirror

logger = logging.getLogger(__name__)

router = Router(tags=["standings"], auth=OptionalKey())


@router.get("/boards/{seq}/standings.csv")
def export_standings(
    request: HttpRequest,
    seq: WholeNumber = SEQ,
    period: str = PERIOD,
    raw: bool = RAW,
    metadata: bool = METADATA_COLUMN,
) -> HttpResponseBase:
    """A whole period as CSV; texts that a spreadsheet would run have an apostrophe before them, unless `raw`."""
    board = standings_to_read(request, seq)
    at = clock.now()
    label = selectors.find_period_info(board, period, at).label
    stored = selectors.find_period_row(board, label, at)
    live = stored is None or is_mirrored(stored)
    download = _download(board, label, stored, (raw, metadata))
    if stored and never_changes(stored):
        # Metadata may change where the result does not: a file with it is not cached.
        response = download.final(request, None if metadata else partial(fingerprint_of, stored, "board", raw))
        response["Content-Hash"] = selectors.content_hash_of(stored)
    else:
        response = download.open()
    response["Live"] = "true" if live else "false"
    return response


def _download(board: Board, label: str, stored: Period | None, form: tuple[bool, bool]) -> Download:
    """Return the file; ``form`` is whether texts are raw, and whether there is a column of metadata."""
    raw, metadata = form
    more = NO_MORE.with_metadata() if metadata else NO_MORE
    columns = [field.name for field in (stored.rules if stored else board.rules).fields]

    def read() -> tuple[datetime, Iterator[bytes]]:
        as_of, rows = selectors.export_rows(board, label, metadata)
        return as_of, csv_parts(columns, rows, raw, more)

    return Download(f"board-{board.seq}-{label}.csv", CSV, is_private(board), read)


def is_mirrored(period: Period) -> bool:
    """Mirror a redis board to SQL; whether SQL has all submissions then."""
    if period.board.storage != Storage.REDIS or never_changes(period):
        return True
    try:
        mirror(period)
    except Unavailable as error:
        logger.info("period %s is exported without a mirror pass: %s", period.pk, error.detail)
        return False
    return not period.is_stale


def never_changes(period: Period) -> bool:
    """Whether the period's rows are final."""
    return period.state in OVER_STATES
