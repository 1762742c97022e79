"""Group commit of single scores: requests of the same service for the same board are decided as one.

A request is grouped only if that costs it nothing: a few entries for one calendar board without plausibility limits,
and no dry run. Each entry keeps the time when its own request came; ranks are those before and after the whole batch.
Only requests for one board share a batch, so a slow board delays no other. A batch that would wait for a lock which
only some of its entries need is aborted, and its requests are decided alone (decision 0063).
"""

from collections.abc import Hashable, Sequence
from datetime import datetime
from itertools import chain
from typing import NamedTuple

from foundation import clock
from foundation.messages import Message
from leaderboards import metrics
from leaderboards.core.input.entries import Entry
from leaderboards.core.submissions import Caller, Outcome, UnreadableEntry
from leaderboards.errors import OutcomeUnknown
from leaderboards.selectors.catalog.boards import cached_boards
from leaderboards.services.submit.group_commit import AnswerMissing, BatchAborted, GroupCommit
from leaderboards.services.submit.outcomes import outcome, refused
from leaderboards.services.submit.pipeline import submit, submit_batch
from leaderboards.services.submit.request_periods import MAX_REQUEST_AGE
from leaderboards.stores.redis.writes import ENTRIES_PER_CALL

MAX_GROUPED_ENTRIES = 10  # of a request that is grouped: a large one would delay the others, and saves little
MAX_WAIT_SECONDS = 0.1  # longer than a healthy server takes

Entries = Sequence[Entry | UnreadableEntry]


class _Request(NamedTuple):
    """The entries of one request, and when it came."""

    entries: Entries
    caller: Caller
    at: datetime
    ranks: bool


def submit_grouped(entries: Entries, caller: Caller, at: datetime, *, ranks: bool = False) -> list[Outcome]:
    """Evaluate and apply ``entries``, received ``at``, together with other requests; one outcome each, in their order.

    ``ranks`` adds each player's rank before and after the batch. If the leading thread gives no answer, every entry is
    ``unknown``.
    """
    board = _only_board(entries)
    if board is None:
        return submit(entries, caller, at, ranks=ranks)
    key: Hashable = (caller, board, ranks)
    try:
        return _group_commit.run(key, _Request(entries, caller, at, ranks))
    except BatchAborted:
        return submit(_with_receive_time(entries, at), caller, clock.now(), ranks=ranks)
    except AnswerMissing:
        unknown = refused(
            OutcomeUnknown(Message("It is not known whether the entry counts; send it again if it has an `id`."))
        )
        return [outcome(entry, None, unknown) for entry in entries if isinstance(entry, Entry)]


def _only_board(entries: Entries) -> int | None:
    """The board that all entries are for, if the request may be grouped."""
    if len(entries) > MAX_GROUPED_ENTRIES or not all(isinstance(each, Entry) and each.board for each in entries):
        return None
    numbers = {each.board for each in entries if each.board}
    boards = cached_boards(numbers) if len(numbers) == 1 else {}
    return next((number for number, board in boards.items() if not board.may_quarantine), None)


def _decide(requests: Sequence[_Request]) -> list[list[Outcome]]:
    """The outcomes of each request, decided as if one request had sent all entries. Raises ``BatchAborted``."""
    first = requests[0]
    metrics.count_batch(len(requests))
    if len(requests) == 1:
        return [submit(_with_receive_time(first.entries, first.at), first.caller, clock.now(), ranks=first.ranks)]
    joined = chain.from_iterable(_with_receive_time(each.entries, each.at) for each in requests)
    entries = [each._replace(position=position) for position, each in enumerate(joined)]
    outcomes = iter(submit_batch(entries, first.caller, clock.now(), ranks=first.ranks))
    return [[next(outcomes)._replace(position=own.position) for own in each.entries] for each in requests]


def _with_receive_time(entries: Entries, at: datetime) -> list[Entry]:
    """The entries with the time when their own request came, to be decided in a request that is made later.

    The age limit of a request counts from that later moment, so a purge misses nothing of the time in the queue.
    """
    return [each._replace(received_at=at) for each in entries if isinstance(each, Entry)]


_group_commit = GroupCommit(
    _decide,
    max_batch=ENTRIES_PER_CALL // MAX_GROUPED_ENTRIES,
    max_wait=MAX_WAIT_SECONDS,
    answer_timeout=MAX_REQUEST_AGE.total_seconds(),
)
