"""What is submitted one by one, at the same moment, by the same service to the same board: decided as one request.

Who may join is who loses nothing by it: a few entries for one board of the calendar without limits of plausibility,
that really apply. Each entry happens when its own request came; ranks are those before and after all of it. One board,
so that what holds up another holds up nobody here; what holds up this one is waited for by none but those whose it is:
their company dissolves (decision 0063).
"""

from collections.abc import Hashable, Sequence
from datetime import datetime
from itertools import chain
from typing import NamedTuple

from foundation import clock
from leaderboards import metrics
from leaderboards.core.input.entries import Entry
from leaderboards.core.submissions import Caller, Outcome, UnreadableEntry
from leaderboards.errors import OutcomeUnknown
from leaderboards.selectors.catalog.boards import cached_boards
from leaderboards.services.submit.decision import outcome, refused
from leaderboards.services.submit.group_commit import AnswerMissing, BatchAborted, GroupCommit
from leaderboards.services.submit.pipeline import submit, submit_batch
from leaderboards.services.submit.request_periods import MAX_REQUEST_AGE
from leaderboards.stores.redis.writes import ENTRIES_PER_CALL

MAX_GROUPED_ENTRIES = 10  # of a request that joins others: a large one would hold them up, and saves little
MAX_WAIT_SECONDS = 0.1  # longer than a healthy server takes

Entries = Sequence[Entry | UnreadableEntry]


class _Request(NamedTuple):
    """What one request brought, and when it came."""

    entries: Entries
    caller: Caller
    at: datetime
    ranks: bool


def submit_grouped(entries: Entries, caller: Caller, at: datetime, *, ranks: bool = False) -> list[Outcome]:
    """Judge and apply ``entries``, which happened by ``at``, with others that come now; one outcome each, in their
    order. ``ranks`` adds each player's rank before and after what is decided together.

    Where their leader does not say what became of them they are all ``unknown``.
    """
    board = _only_board(entries)
    if board is None:
        return submit(entries, caller, at, ranks=ranks)
    key: Hashable = (caller, board, ranks)
    try:
        return _together.run(key, _Request(entries, caller, at, ranks))
    except BatchAborted:
        return submit(_arrived(entries, at), caller, clock.now(), ranks=ranks)
    except AnswerMissing:
        unknown = refused(OutcomeUnknown("Nobody said what became of the entry; send it again if it has an `id`."))
        return [outcome(entry, None, unknown) for entry in entries if isinstance(entry, Entry)]


def _only_board(entries: Entries) -> int | None:
    """The board that all entries are for, if they may join others."""
    if len(entries) > MAX_GROUPED_ENTRIES or not all(isinstance(each, Entry) and each.board for each in entries):
        return None
    numbers = {each.board for each in entries if each.board}
    boards = cached_boards(numbers) if len(numbers) == 1 else {}
    return next((number for number, board in boards.items() if not board.may_quarantine), None)


def _decide(requests: Sequence[_Request]) -> list[list[Outcome]]:
    """The outcomes of each, decided as if one had sent all entries. Raises ``BatchAborted``."""
    first = requests[0]
    metrics.count_batch(len(requests))
    if len(requests) == 1:
        return [submit(_arrived(first.entries, first.at), first.caller, clock.now(), ranks=first.ranks)]
    joined = chain.from_iterable(_arrived(each.entries, each.at) for each in requests)
    entries = [each._replace(position=position) for position, each in enumerate(joined)]
    outcomes = iter(submit_batch(entries, first.caller, clock.now(), ranks=first.ranks))
    return [[next(outcomes)._replace(position=own.position) for own in each.entries] for each in requests]


def _arrived(entries: Entries, at: datetime) -> list[Entry]:
    """The entries for a request that is made later than theirs: they know when theirs came.

    It is received when it is made. Whether it is held up is counted from there, so a purge of the time in which it
    queued misses nothing of it.
    """
    return [each._replace(received_at=at) for each in entries if isinstance(each, Entry)]


_together = GroupCommit(
    _decide,
    max_batch=ENTRIES_PER_CALL // MAX_GROUPED_ENTRIES,
    max_wait=MAX_WAIT_SECONDS,
    answer_timeout=MAX_REQUEST_AGE.total_seconds(),
)
