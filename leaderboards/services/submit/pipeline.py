"""Submitting scores: the only way in, for the API, the import and the simulated players.

One pipe: resolve → known ids → periods → decide → answer. Each step hands its values to the next:

1. ``resolve`` finds boards, competitions and the periods that are open already.
2. Ids that were quarantined or used before are answered, where deciding would find out too late or not at all.
3. ``place_in_periods`` refuses players who have not joined, and opens periods.
4. Entries are decided one period at a time, in the order of first appearance. A competition whose freeze is due is
   frozen just before.
5. Each entry gets its outcome. Entries are independent: a refusal of one never affects its neighbours.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import Unavailable
from foundation.messages import Message
from leaderboards import metrics, selectors
from leaderboards.core.input.entries import Entry
from leaderboards.core.submissions import Caller, Outcome, Status, UnreadableEntry
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Period, Storage
from leaderboards.services import events
from leaderboards.services.events import Event
from leaderboards.services.submit import decide_dynamodb, decide_redis, decide_sql, duplicates
from leaderboards.services.submit.group_commit import BatchAborted, abort_batch_on_error
from leaderboards.services.submit.items import Item, Request, Target
from leaderboards.services.submit.outcomes import EntryDecision, outcome, refused, unreadable
from leaderboards.services.submit.quarantine import find_quarantined
from leaderboards.services.submit.resolve import place_in_periods, resolve

logger = logging.getLogger(__name__)

AnyEntry = Entry | UnreadableEntry
Decisions = Mapping[int, EntryDecision]  # by position
RankKey = tuple[Period, str]
Ranks = Mapping[RankKey, int | None]


def submit(
    entries: Sequence[AnyEntry], caller: Caller, at: datetime, *, dry_run: bool = False, ranks: bool = False
) -> list[Outcome]:
    """Evaluate and apply ``entries``, which were received ``at``; one outcome each, in their order.

    ``dry_run`` evaluates and applies nothing. ``ranks`` adds each player's rank before and after the request.
    """
    return _run(entries, Request(caller, at, dry_run=dry_run), with_ranks=ranks and not dry_run)


def submit_batch(entries: Sequence[Entry], caller: Caller, at: datetime, *, ranks: bool = False) -> list[Outcome]:
    """The same for entries of several requests.

    Raises ``BatchAborted``, with nothing done, if all would wait for what one entry needs, or if one fails in an
    unexpected way.
    """
    return _run(entries, Request(caller, at, in_batch=True), with_ranks=ranks)


def backfill(entries: Sequence[Entry], caller: Caller, at: datetime) -> list[Outcome]:
    """The same for past entries: their periods are opened however long ago they ended."""
    return _run(entries, Request(caller, at, is_backfill=True), with_ranks=False)


class _Prepared(NamedTuple):
    """What is known before anything is applied; ``groups`` are the items to decide, by period."""

    targets: Mapping[int, Target]
    decisions: Decisions
    groups: Sequence[Sequence[Item]]


def _run(entries: Sequence[AnyEntry], request: Request, with_ranks: bool) -> list[Outcome]:
    readable = [entry for entry in entries if isinstance(entry, Entry)]
    with abort_batch_on_error(request.in_batch):
        prepared = _prepare(readable, request)
        ranks_before = _ranks(readable, prepared, prepared.decisions) if with_ranks else {}
    applied = [_decide(items, request) for items in prepared.groups]
    decisions = _with_latest_standings(readable, _merged(prepared.decisions, *applied))
    outcomes = _outcomes(entries, prepared.targets, decisions)
    if not request.dry_run:
        _count(outcomes, prepared.targets)
    if not with_ranks:
        return outcomes
    return _with_ranks(outcomes, decisions, ranks_before, _ranks(readable, prepared, decisions))


def _prepare(entries: Collection[Entry], request: Request) -> _Prepared:
    """Resolve entries, answer known ids, and place the rest in periods."""
    resolved = resolve(entries, request)
    unresolved = {position: refused(error) for position, error in resolved.refusals.items()}
    known = _known_ids(
        [target for position, target in resolved.targets.items() if position not in resolved.open_items], request
    )
    groups, refusals = place_in_periods(resolved, without=known)
    if request.in_batch and len(groups) > 1:
        raise BatchAborted("Of two periods, the first could not be undone if the second fails.")
    unplaced = {position: refused(error) for position, error in refusals.items()}
    return _Prepared(resolved.targets, _merged(unresolved, known, unplaced), groups)


def _known_ids(targets: Iterable[Target], request: Request) -> Decisions:
    """The decisions on entries whose id was quarantined or used before.

    An id that was quarantined is answered as such, also if its entry was accepted since and counts by now.
    """
    with_id = [(each.entry, each.board) for each in targets if each.entry.external_id is not None]
    if not with_id:
        return {}
    service = request.caller.service
    quarantined = {} if request.caller.is_trusted else find_quarantined(with_id, service)
    others = [(entry, board) for entry, board in with_id if entry.position not in quarantined]
    return _merged(quarantined, duplicates.find_duplicates(others, service, request.at))


def _decide(items: Sequence[Item], request: Request) -> Decisions:
    """Decide the items of one period where its board decides: in Redis, in DynamoDB or in SQL."""
    period = items[0].period
    decide = decide_redis.decide if period.board.storage == Storage.REDIS else decide_sql.decide
    decide = decide_dynamodb.decide if period.board.storage == Storage.DYNAMODB else decide
    try:
        _freeze(items[0].event, request)
        limits = None if request.caller.is_trusted else period.board.limits
        return decide(items, request.caller.service, request.at, request.dry_run, limits)
    except CONNECTION_ERRORS:
        logger.exception("SQL went away while it decided")
        refusal = refused(StorageUnavailable(Message("The server that stores this board does not answer; try again.")))
    except StorageUnavailable as error:
        logger.exception("a competition could not be frozen")
        refusal = refused(error)
    return {item.entry.position: refusal for item in items}


def _freeze(event: Event | None, request: Request) -> None:
    """Freeze the competition if that is due. Raises ``StorageUnavailable`` if it fails: then nothing may change."""
    if event is not None and event.freeze_due and not request.dry_run:
        events.source().freeze(event.number, request.at)


def _with_latest_standings(entries: Iterable[Entry], decisions: Decisions) -> Decisions:
    """The decisions; duplicates report the standing that the entries before them in this request made.

    They were looked up before those entries counted.
    """
    if all(decision.status != Status.DUPLICATE for decision in decisions.values()):
        return decisions
    latest: dict[RankKey, EntryDecision] = {}
    updated: dict[int, EntryDecision] = {}
    for entry in entries:
        decision = decisions[entry.position]
        if decision.period is None or decision.error is not None:
            continue
        key = (decision.period, entry.player)
        if decision.status == Status.DUPLICATE and key in latest:
            updated[entry.position] = decision._replace(state=latest[key].state)
        else:
            latest[key] = decision
    return _merged(decisions, updated)


def _merged(*parts: Decisions) -> Decisions:
    return {position: decision for part in parts for position, decision in part.items()}


def _outcomes(entries: Iterable[AnyEntry], targets: Mapping[int, Target], decisions: Decisions) -> list[Outcome]:
    return [
        unreadable(entry)
        if isinstance(entry, UnreadableEntry)
        else outcome(entry, targets.get(entry.position), decisions[entry.position])
        for entry in entries
    ]


def _count(outcomes: Iterable[Outcome], targets: Mapping[int, Target]) -> None:
    """Count outcomes in the metrics, by the number of the board if there is such a board."""
    metrics.count_submissions(
        [
            (targets[each.position].board.seq if each.position in targets else None, each.status, each.code)
            for each in outcomes
        ]
    )


def _ranks(entries: Iterable[Entry], prepared: _Prepared, decisions: Decisions) -> Ranks:
    """The present ranks of the players of this request, and of those whose entries it repeats; None is no rank.

    None too where no store answers now: what becomes of the entries is told all the same.
    """
    periods_to_decide = {item.entry.position: item.period for items in prepared.groups for item in items}
    players: dict[Period, set[str]] = defaultdict(set)
    for entry in entries:
        target, decision = prepared.targets.get(entry.position), decisions.get(entry.position)
        period = decision.period if decision else periods_to_decide.get(entry.position)
        if period and not (target and target.event and target.event.hides_ranks):
            players[period].add(entry.player)
    found = {period: _ranks_if_told(period, names) for period, names in players.items()}
    return {(period, name): found[period].get(name) for period, names in players.items() for name in names}


def _ranks_if_told(period: Period, players: Collection[str]) -> Mapping[str, int]:
    try:
        return selectors.ranks(period, players)
    except Unavailable as error:
        logger.warning("period %s: ranks of entries are left out: %s", period, error.detail)
        return {}


def _with_ranks(outcomes: Iterable[Outcome], decisions: Decisions, before: Ranks, after: Ranks) -> list[Outcome]:
    """The outcomes; accepted ones have their player's rank after and before the request.

    A repetition may report a period that had not been read before: there the request has changed nothing.
    """
    ranked = []
    for each in outcomes:
        decision = decisions.get(each.position)
        period = decision.period if decision else None
        if each.status.is_accepted and period and each.player and not each.hides_ranks:
            key = (period, each.player)
            rank = after.get(key)
            ranked.append(each._replace(rank=rank, previous_rank=before.get(key, rank)))
        else:
            ranked.append(each)
    return ranked
