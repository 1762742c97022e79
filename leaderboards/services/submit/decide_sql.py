"""Deciding in SQL: the submit of ``hybrid`` and ``sql`` boards, one period in one transaction.

The order of effects: barrier → lock standings → evaluate → submissions → standings → announce to Redis
(``hybrid``) → commit → publish (``services/sync/publish.py``). If the announcement fails, the standings are marked
``pending_publish`` and the period stale, and the transaction commits all the same: the resync shows them later.
Players without a standing get one in transactions of their own, before anything is locked.

The insert finds out whether an id was used before. It is looked up only where the insert would be too late: before a
player gets a standing, before an entry is refused, and once one of the ids turns out to be used (decision 0058).
"""

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from operator import attrgetter

from django.db import OperationalError, transaction

from foundation.db.pipeline import pipelined
from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import SunwiError
from foundation.failpoints import failpoint
from foundation.messages import Message
from leaderboards.core.input.entries import Entry
from leaderboards.core.packing.layout import Packed
from leaderboards.core.plausibility import Limits, PlausibilityChecker
from leaderboards.core.ranking.policies import StandingState, evaluate
from leaderboards.core.submissions import Status
from leaderboards.errors import (
    Banned,
    Implausible,
    OutcomeUnknown,
    PeriodClosed,
    RequestExpired,
    RulesChanged,
    StorageUnavailable,
    TooManyAttempts,
    UnknownBoard,
)
from leaderboards.models import Period, PeriodState
from leaderboards.selectors.catalog.boards import clear_board_cache
from leaderboards.selectors.catalog.periods import clear_period_cache
from leaderboards.selectors.moderation.plausibility import watch_of
from leaderboards.services.events import Event
from leaderboards.services.submit.entry_content import content, id_reused_error
from leaderboards.services.submit.group_commit import BatchAborted, abort_batch_on_error
from leaderboards.services.submit.items import Item
from leaderboards.services.submit.outcomes import EntryDecision, refused
from leaderboards.services.submit.pending_items import IdAlreadyUsed, IdUnchecked, PendingItems
from leaderboards.services.submit.quarantine import (
    BreachingItem,
    IdTaken,
    implausible_error,
    points_of,
    store_quarantined,
    total_of,
)
from leaderboards.services.submit.request_periods import refuse_delayed
from leaderboards.services.submit.sql_failures import CommitState, detect_unknown_commit, should_retry
from leaderboards.services.sync.publish import write_and_publish
from leaderboards.stores.sql.locks import LockedStanding, ensure_standings, lock_period_and_standings
from leaderboards.stores.sql.writes import (
    StandingRow,
    SubmissionBatch,
    SubmissionRow,
    count_attempts,
    insert_submissions,
)

logger = logging.getLogger(__name__)

TRIES = 5
EVALUATION_CHUNK = 250
BATCH_LOCK_TIMEOUT_MS = 50  # for any lock: a batch must not wait for a lock that only one of its entries needs
_EXPECTED = (SunwiError, IdAlreadyUsed, IdTaken, IdUnchecked, Period.DoesNotExist, *CONNECTION_ERRORS)


def decide(
    items: Sequence[Item], service: str, at: datetime, dry_run: bool = False, limits: Limits | None = None
) -> dict[int, EntryDecision]:
    """Evaluate and apply the items of one period, in order, except those that break ``limits``; decisions by position.

    New players, a deadlock, or an id that was used before start the transaction again. A lock timeout does not: another
    holder may keep the lock for longer. A batch is aborted then, so that only entries that need the lock wait for it.
    """
    pending = PendingItems(items, service, at, limits is not None)
    try:
        while pending.tries < TRIES:
            if (decisions := _try_once(pending, service, at, dry_run, limits)) is not None:
                return pending.duplicates | decisions
    except (PeriodClosed, RulesChanged, RequestExpired) as error:
        pending.check_new_ids()
        return pending.refuse_all(error)
    except Period.DoesNotExist:
        clear_board_cache()  # the board was deleted after this process cached it
        clear_period_cache()
        return pending.refuse_all(UnknownBoard(Message("There is no board %(board)s.", board=items[0].period.board_id)))
    except OutcomeUnknown as error:
        logger.exception("SQL went away while it committed")
        return pending.refuse_all(error)
    if items[0].in_batch:
        raise BatchAborted("Another transaction holds a lock that one of these entries needs.")
    busy = StorageUnavailable(Message("Too many requests for the same players or ids at once; try again."))
    return pending.refuse_all(busy)


def _try_once(
    pending: PendingItems, service: str, at: datetime, dry_run: bool, limits: Limits | None
) -> dict[int, EntryDecision] | None:
    """The decisions, or None to start again with what is pending by then."""
    are_used = False
    try:
        decisions, new_players = _decide_once(pending.items, service, at, dry_run, limits)
        if not new_players:
            return decisions
        are_used = pending.check_new_ids()
        if not are_used:
            with abort_batch_on_error(pending.items[0].in_batch, expected_errors=CONNECTION_ERRORS):
                ensure_standings(pending.items[0].period, new_players, at, _lock_timeout_ms(pending.items))
            failpoint("submit.after_admitted")
    except IdUnchecked:
        are_used = pending.check_new_ids()
    except (IdAlreadyUsed, IdTaken):
        are_used = pending.check_all_ids()
    except OperationalError as error:
        retry, are_used = should_retry(error), pending.check_new_ids()
        if not (retry or are_used):
            pending.tries = TRIES
    pending.tries += not are_used  # used ids are decided now, so the loop ends
    return None


def _decide_once(
    items: Sequence[Item], service: str, at: datetime, dry_run: bool, limits: Limits | None
) -> tuple[dict[int, EntryDecision], Collection[str]]:
    """The decisions and no players; or no decisions, and the players without a standing. Raises ``PeriodClosed``."""
    if not items:
        return {}, ()
    players = {item.entry.player for item in items}
    with (
        detect_unknown_commit() as commit,
        abort_batch_on_error(items[0].in_batch, commit.may_have_committed, _EXPECTED),
        transaction.atomic(),
    ):
        if dry_run:
            ensure_standings(items[0].period, players, at)
        period, locked = lock_period_and_standings(items[0].period, players, _lock_timeout_ms(items))
        if period.state != PeriodState.OPEN:
            raise PeriodClosed(Message("Period %(period)s is closed.", period=period.label))
        if period.rules_json != items[0].period.rules_json:
            raise RulesChanged
        refuse_delayed(items)
        new_players = players - locked.keys()
        ready = () if new_players else items
        names_by_id = {row.player_id: name for name, row in locked.items()}
        checker = watch_of(items[0].period, limits, names_by_id, at) if limits and ready else None
        evaluator = _BatchEvaluator(period, locked, items[0].event, checker)
        if dry_run:
            evaluator.evaluate_all(ready)
            transaction.set_rollback(True)
        else:
            _write(evaluator, ready, service, at, commit)
    return evaluator.decisions, new_players


def _lock_timeout_ms(items: Sequence[Item]) -> int | None:
    """How long to wait for any lock; None is the server's default."""
    return BATCH_LOCK_TIMEOUT_MS if items[0].in_batch else None


class _BatchEvaluator:
    """Evaluates items of one period in order over the locked standings, and collects what is to be written."""

    def __init__(
        self,
        period: Period,
        locked: dict[str, LockedStanding],
        event: Event | None = None,
        checker: PlausibilityChecker | None = None,
    ) -> None:
        self.period = period
        self.competition = event.number if event else 0
        self._max_attempts = event.attempts if event else None
        players = [row.player_id for row in locked.values()]
        self._attempts = Counter[int]() if self._max_attempts is None else count_attempts(period, players)
        self.locked = locked
        self.decisions: dict[int, EntryDecision] = {}
        self.submissions: list[SubmissionRow] = []
        self.checker = checker
        self.implausible: list[BreachingItem] = []
        self._states = {name: row.state for name, row in locked.items()}
        self._packed: dict[str, Packed] = {}
        self._entry_by_id: dict[str, Entry] = {}
        self._implausible_by_id: dict[str, Implausible] = {}

    def evaluate_all(self, items: Sequence[Item]) -> list[SubmissionRow]:
        """Evaluate items, in order; the submissions of the accepted ones. Raises ``IdUnchecked``."""
        before = len(self.submissions)
        for item in items:
            try:
                status = self._evaluate(item)
            except SunwiError as error:
                if item.id_unchecked:
                    raise IdUnchecked from error
                period = self.period if isinstance(error, Implausible) else None
                self.decisions[item.entry.position] = refused(error)._replace(period=period)
            else:
                self.decisions[item.entry.position] = EntryDecision(
                    status, self.period, self._states[item.entry.player]
                )
        return self.submissions[before:]

    def changed_standings(self) -> list[StandingRow]:
        """The standings that have changed, sorted by player."""
        rows = [
            StandingRow(locked.player_id, name, packed.member, self._states[name], packed.score, locked.version + 1)
            for name, packed in self._packed.items()
            if self._states[name] != (locked := self.locked[name]).state
        ]
        return sorted(rows, key=attrgetter("player_id"))

    def _evaluate(self, item: Item) -> Status:
        entry, locked = item.entry, self.locked[item.entry.player]
        if locked.banned:
            raise Banned(Message("This player may not score."))
        if entry.external_id is not None and entry.external_id in self._entry_by_id:
            return self._repeat(entry, entry.external_id)
        if self._max_attempts is not None and self._attempts[locked.player_id] >= self._max_attempts:
            raise TooManyAttempts(
                Message("All attempts are used: this competition gives %(number)s.", number=self._max_attempts)
            )
        old = self._states[entry.player]
        at_ms = self.period.layout.quantize(item.at_ms)
        new = evaluate(self.period.rules, old, StandingState(item.value, at_ms, entry.metadata, entry.operator))
        self._refuse_implausible(item, old)
        if new is not old:
            self._packed[entry.player] = self.period.layout.pack(new.value, new.at_ms, entry.player, locked.player_id)
            self._states[entry.player] = new
        self._attempts[locked.player_id] += 1
        row = (locked.player_id, item.value, at_ms, entry.at, entry.external_id, entry.operator, entry.metadata)
        self.submissions.append(SubmissionRow(*row))
        if entry.external_id is not None:
            self._entry_by_id[entry.external_id] = entry
        return Status.UNCHANGED if new == old else Status.UPDATED

    def _repeat(self, entry: Entry, external_id: str) -> Status:
        """The answer to an id that an earlier entry of this request has."""
        if content(self._entry_by_id[external_id]) != content(entry):
            raise id_reused_error(entry)
        if external_id in self._implausible_by_id:
            raise self._implausible_by_id[external_id]
        return Status.DUPLICATE

    def _refuse_implausible(self, item: Item, old: StandingState | None) -> None:
        """Raise ``Implausible`` if the item breaks a limit; else note it for the checks of later items."""
        if self.checker is None:
            return
        entry, points = item.entry, points_of(item)
        breach = self.checker.breach(entry.player, points, total_of(item, old))
        if breach is None:
            self.checker.note(entry.player, points)
            return
        refusal = implausible_error(breach.rule)
        self.implausible.append(BreachingItem(item, self.locked[entry.player].player_id, breach))
        if entry.external_id is not None:
            self._entry_by_id[entry.external_id] = entry
            self._implausible_by_id[entry.external_id] = refusal
        raise refusal


def _write(evaluator: _BatchEvaluator, items: Sequence[Item], service: str, at: datetime, commit: CommitState) -> None:
    """Write submissions, then standings to SQL and Redis, then commit. SQL writes a chunk while the next is evaluated.

    Ids are known to be new before Redis hears of the scores. Quarantined entries are written first.
    """
    period, inserts = evaluator.period, []
    batch = SubmissionBatch(period, evaluator.competition, service, at)
    chunks = [items[start : start + EVALUATION_CHUNK] for start in range(0, len(items), EVALUATION_CHUNK)]
    evaluated: Iterable[list[SubmissionRow]] = map(evaluator.evaluate_all, chunks)
    if evaluator.checker is not None:
        evaluated = list(evaluated)
        store_quarantined(evaluator.implausible, service, at)
    with pipelined() as statements:
        for submissions in evaluated:
            if submissions:
                inserts.append(insert_submissions(statements, batch, submissions))
                statements.mark_idle()
        if not inserts:
            commit.is_sent = bool(evaluator.implausible)  # the surrounding transaction commits
            return
        changed = evaluator.changed_standings()
        if any(row.external_id is not None for row in evaluator.submissions):
            statements.wait()
            if sum(each.rowcount for each in inserts) < len(evaluator.submissions):
                raise IdAlreadyUsed
        write_and_publish(statements, period, changed, at)
        commit.is_sent = True
        statements.commit()
    commit.is_acknowledged = True
