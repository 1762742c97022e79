"""The metrics of boards for ``/metrics``. The label of a board is its number."""

from collections import Counter
from collections.abc import Iterable

from foundation.monitoring import minutes
from foundation.monitoring.instruments import LONG, LabelledCounter, LabelledHistogram
from leaderboards.core.submissions import Status

NO_BOARD = "none"  # the entry could not be read, or its board does not exist
MOST_BOARDS = 200  # that are told before the first entry; as many more may follow

_submissions = LabelledCounter(
    "sunwi_submissions_total",
    "Entries that were submitted, by board and outcome.",
    ["board", "outcome"],
    most=2 * MOST_BOARDS * len(Status),
)
_refusals = LabelledCounter("sunwi_refusals_total", "Entries that were rejected, by the code of the refusal.", ["code"])
for _outcome in Status:
    _submissions.start(NO_BOARD, _outcome)
_batch_sizes = LabelledHistogram(
    "sunwi_group_commit_batch_size",
    "Requests of single scores in one group commit.",
    bounds=(1, 2, 3, 5, 8, 12, 25),
)
_page_reads = LabelledCounter(
    "sunwi_page_reads_total",
    "Reads of a page of standings, by whether this process had its rows in its cache.",
    ["rows"],
)
_page_reads.start("cached")
_page_reads.start("read")
_close_seconds = LabelledHistogram(
    "sunwi_close_seconds", "Seconds that closing a period took, once it was to be.", bounds=LONG
)


def start_boards(boards: Iterable[int]) -> None:
    """Let these boards be told, each outcome as 0: what is first told with an event hides that event from rules."""
    for board in boards:
        for outcome in Status:
            _submissions.start(str(board), outcome)


def count_submissions(outcomes: Iterable[tuple[int | None, Status, str | None]]) -> None:
    """Count entries. Each has a board (None if it does not exist), a status, and the code of a refusal."""
    entries = [(str(board or NO_BOARD), status, code) for board, status, code in outcomes]
    if len(entries) == 1:
        _submissions.add(*entries[0][:2])
    else:
        for labels, count in Counter(entry[:2] for entry in entries).items():
            _submissions.add(*labels, count=count)
    for _, status, code in entries:
        if status is Status.REJECTED and code:
            _refusals.add(code)
    if len(entries) == 1:
        board, status, code = entries[0]
        minutes.add(board, code if status is Status.REJECTED else None)
        return
    by_refusal = Counter((board, code if status is Status.REJECTED else None) for board, status, code in entries)
    for (board, refusal), count in by_refusal.items():
        minutes.add(board, refusal, count)


def count_batch(requests: int) -> None:
    """Count a batch of single-score requests by its size."""
    _batch_sizes.add(requests)


def count_page_read(were_cached: bool) -> None:
    """Count a read of a page of standings: whether this process had its current rows in its cache."""
    _page_reads.add("cached" if were_cached else "read")


def observe_close(seconds: float) -> None:
    """Count an attempt to close a period, successful or not."""
    _close_seconds.add(seconds)
