"""What boards count for ``/metrics``. A board is named by its number, as far as that is known to be one's."""

from collections import Counter
from collections.abc import Iterable

from foundation.monitoring import minutes
from foundation.monitoring.instruments import LONG, LabelledCounter, LabelledHistogram
from leaderboards.core.submissions import Status

NO_BOARD = "none"  # the entry could not be read, or names no board
MOST_BOARDS = 200  # of each process, times the outcomes that there are

_submissions = LabelledCounter(
    "sunwi_submissions_total",
    "Entries that were submitted, by board and outcome.",
    ["board", "outcome"],
    most=MOST_BOARDS * len(Status),
)
_refused = LabelledCounter("sunwi_refusals_total", "Entries that were rejected, by the code of the refusal.", ["code"])
_together = LabelledHistogram(
    "sunwi_decided_together", "How many requests of single scores were decided as one.", bounds=(1, 2, 3, 5, 8, 12, 25)
)
_asked = LabelledCounter(
    "sunwi_pages_asked_total", "Pages of standings asked of Redis, by who had their rows.", ["rows"]
)
_closing = LabelledHistogram(
    "sunwi_close_seconds", "Seconds that closing a period took, once it was to be.", bounds=LONG
)


def count_submissions(told: Iterable[tuple[int | None, Status, str | None]]) -> None:
    """Count entries: each its board (None where there is none such), outcome, and the code of a refusal."""
    found = [(str(board or NO_BOARD), status, code) for board, status, code in told]
    if len(found) == 1:
        _submissions.add(*found[0][:2])
    else:
        for labels, count in Counter(each[:2] for each in found).items():
            _submissions.add(*labels, count=count)
    for _, status, code in found:
        if status is Status.REJECTED and code:
            _refused.add(code)
    if len(found) == 1:
        board, status, code = found[0]
        minutes.add(board, code if status is Status.REJECTED else None)
        return
    by_refusal = Counter((board, code if status is Status.REJECTED else None) for board, status, code in found)
    for (board, refusal), count in by_refusal.items():
        minutes.add(board, refusal, count)


def count_batch(requests: int) -> None:
    """Count so many requests that were decided as one."""
    _together.add(requests)


def count_page_read(were_kept: bool) -> None:
    """Count a page of standings: whether this process had its rows as they are."""
    _asked.add("kept" if were_kept else "read")


def observe_close(seconds: float) -> None:
    """Count the closing of a period, or a try at it."""
    _closing.add(seconds)
