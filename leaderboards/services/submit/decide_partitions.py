"""Deciding in Redis in a divided period: a script for each partition, sent together.

Each partition succeeds or fails by itself. After its first failure nothing more is sent to it: entries that were not
sent are ``unavailable``; entries that were sent without an answer are ``unknown``.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import SunwiError, Unavailable
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.redis import client as redis
from foundation.redis.client import RedisSilent
from foundation.sync.redis_state import StaleGeneration
from leaderboards.errors import OutcomeUnknown, RequestExpired, RulesChanged
from leaderboards.models import Part, Period
from leaderboards.selectors.catalog.periods import reload_sync_state
from leaderboards.services.submit.duplicates import find_duplicates
from leaderboards.services.submit.group_commit import abort_batch_on_error
from leaderboards.services.submit.items import Item, player_of
from leaderboards.services.submit.outcomes import EntryDecision, refused
from leaderboards.services.submit.redis_entries import chunks, script_entries, to_decisions, unavailable
from leaderboards.services.submit.request_periods import refuse_delayed
from leaderboards.stores.redis.writes import EvaluatedEntry, ZsetWriter

logger = logging.getLogger(__name__)

Decisions = dict[int, EntryDecision]
_Answers = list[list[EvaluatedEntry] | Unavailable]


@dataclass(slots=True)
class _Queue:
    """What is still to be sent to a partition, by its place in ``Period.parts``; ``failure``: why nothing more is."""

    index: int
    chunks: list[Sequence[Item]]
    failure: SunwiError | None = None


def decide_in_partitions(items: Sequence[Item], service: str, at: datetime) -> Decisions:
    """Apply the items of a divided period, in rounds of a chunk for each partition; decisions by position."""
    if not items:
        return {}
    period, decisions = items[0].period, Decisions()
    rules, parts = period.rules_json, list(period.parts)
    queues = [_Queue(parts.index(part), list(chunks(own))) for part, own in period.by_part(items, player_of)]
    for queue in queues:
        queue.failure = unavailable() if parts[queue.index].stale_since is not None else None
    while waiting := [queue for queue in queues if queue.chunks and queue.failure is None]:
        failpoint("submit.before_script")
        try:
            decisions |= _send_round(period, waiting, rules, service)
        except (RulesChanged, RequestExpired) as error:
            for queue in waiting:
                queue.failure = error
        failpoint("submit.after_script")
    return decisions | _refusals(queues, service, at)


def _send_round(period: Period, queues: Sequence[_Queue], rules: object, service: str) -> Decisions:
    """Send the first chunk of each queue; once more to partitions that were resynced since their rows were read.

    What the first try has decided stays, whatever becomes of the second.
    """
    decisions = Decisions()
    stale = _take_answers(queues, _ask(period, queues, rules, service), service, decisions)
    again = _resynced_since(period, stale) if stale else []
    if again:
        try:
            answers = _ask(period, again, rules, service, is_first=False)
        except (RulesChanged, RequestExpired) as error:
            for queue in again:
                queue.failure = error
        else:
            for queue in _take_answers(again, answers, service, decisions):
                queue.failure = unavailable()
    for queue in stale:
        if queue not in again:
            queue.failure = unavailable()
    return decisions


def _resynced_since(period: Period, refused_queues: Sequence[_Queue]) -> list[_Queue]:
    """Read the rows of the partitions again; returns the queues whose partition has another generation by now."""
    refused_generations = [_part(period, queue).generation for queue in refused_queues]
    try:
        reload_sync_state(period)
        pairs = zip(refused_queues, refused_generations, strict=True)
        current = [(queue, _part(period, queue), generation) for queue, generation in pairs]
    except (*CONNECTION_ERRORS, Unavailable) as error:
        logger.warning("period %s: what was resynced is not known: %s", period, error)
        return []
    return [queue for queue, part, generation in current if part.generation != generation and part.stale_since is None]


def _ask(period: Period, queues: Sequence[_Queue], rules: object, service: str, is_first: bool = True) -> _Answers:
    if period.rules_json != rules:
        raise RulesChanged
    for queue in queues:
        refuse_delayed(queue.chunks[0])
    in_batch = is_first and queues[0].chunks[0][0].in_batch  # a batch is one chunk, so nothing was sent before
    with abort_batch_on_error(in_batch, expected_errors=(Unavailable,)):
        groups = [(_part(period, queue), script_entries(period, queue.chunks[0], service)) for queue in queues]
        send = ZsetWriter(redis.boards()).prepare_each(groups)
    return send()


def _part(period: Period, queue: _Queue) -> Part:
    return period.parts[queue.index]


def _take_answers(queues: Sequence[_Queue], answers: _Answers, service: str, decisions: Decisions) -> list[_Queue]:
    """Add the decisions on the chunks that were answered; returns the queues whose partition has another generation."""
    stale = list[_Queue]()
    for queue, answer in zip(queues, answers, strict=True):
        if isinstance(answer, StaleGeneration):  # nothing was done
            stale.append(queue)
        elif isinstance(answer, RedisSilent):
            unknown = OutcomeUnknown(Message("The store did not answer in time; send entries that have an `id` again."))
            decisions |= {item.entry.position: refused(unknown) for item in queue.chunks.pop(0)}
            queue.failure = unavailable()
        elif isinstance(answer, Unavailable):
            queue.failure = unavailable()
        else:
            decisions |= to_decisions(queue.chunks.pop(0), answer, service)
    return stale


def _refusals(queues: Sequence[_Queue], service: str, at: datetime) -> Decisions:
    """The decisions on what was not applied; ids that were used before are known though the rules have changed."""
    decisions = Decisions()
    for queue in queues:
        items = [item for chunk in queue.chunks for item in chunk]
        if queue.failure is not None:
            decisions |= {item.entry.position: refused(queue.failure) for item in items}
        if isinstance(queue.failure, RulesChanged):
            unchecked = [(item.entry, item.period.board) for item in items if item.id_unchecked]
            decisions |= find_duplicates(unchecked, service, at)
    return decisions
