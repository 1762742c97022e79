"""SQL decides: the submit of ``hybrid`` and ``sql`` boards, one period in one transaction.

The order of effects: barrier → lock standings → judge → submissions → standings → announce to Redis
(``hybrid``) → commit → publish (``services/sync/publish.py``). An announcement that failed marks its standings
``pending_publish`` and the period stale, and the transaction commits all the same: settling shows them later. Who has
no standing yet is given one in transactions of their own, before anything is locked.

Whether an id was used before is told by the insert. It is looked up only where that would come too late: before
somebody is given a standing, before an entry is refused, and where one of the ids was used (decision 0058).
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
from leaderboards.services.submit.decision import EntryDecision, refused
from leaderboards.services.submit.duplicates import content, id_reused_error
from leaderboards.services.submit.group_commit import BatchAborted, abort_batch_on_error
from leaderboards.services.submit.items import Item
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
from leaderboards.stores.sql.locks import LockedStanding, lock_period_and_standings, lock_timeout
from leaderboards.stores.sql.writes import (
    StandingRow,
    SubmissionBatch,
    SubmissionRow,
    count_attempts,
    insert_submissions,
    make_players,
    make_standings,
)

logger = logging.getLogger(__name__)

TRIES = 5
EVALUATION_CHUNK = 250
BATCH_LOCK_TIMEOUT_MS = 50  # for any lock, since some of it need others
_FORESEEN = (SunwiError, IdAlreadyUsed, IdTaken, IdUnchecked, Period.DoesNotExist, *CONNECTION_ERRORS)


def decide(
    items: Sequence[Item], service: str, at: datetime, dry_run: bool = False, limits: Limits | None = None
) -> dict[int, EntryDecision]:
    """Judge and apply the items of one period, in order, but for what breaks ``limits``; the decisions by position.

    Newcomers, a deadlock, or an id that was used before start the transaction again. A lock that PostgreSQL did not
    give in time does not: who has it may have it for longer. A company dissolves then: so long only they wait who must.
    """
    left = PendingItems(items, service, at, limits is not None)
    try:
        while left.tries < TRIES:
            decided = _started(left, service, at, dry_run, limits)
            if decided is not None:
                return left.found | decided
    except (PeriodClosed, RulesChanged, RequestExpired) as error:
        left.check_new_ids()
        return left.refused(error)
    except Period.DoesNotExist:
        return left.refused(_vanished(items[0].period))
    except OutcomeUnknown as error:
        logger.exception("SQL went away while it committed")
        return left.refused(error)
    if items[0].in_batch:
        raise BatchAborted("Somebody else has a lock that one of these entries needs.")
    return left.refused(StorageUnavailable("Too many requests for the same players or ids at once; try again."))


def _started(
    left: PendingItems, service: str, at: datetime, dry_run: bool, limits: Limits | None
) -> dict[int, EntryDecision] | None:
    """The decisions, if nothing was in the way of one start. None says to start again with what is left."""
    used = False
    try:
        decided, newcomers = _decide_once(left.items, service, at, dry_run, limits)
        if not newcomers:
            return decided
        used = left.check_new_ids()
        if not used:
            with abort_batch_on_error(left.items[0].in_batch, expected_errors=CONNECTION_ERRORS):
                _admit(left.items[0].period, newcomers, at, _patience(left.items))
            failpoint("submit.after_admitted")
    except IdUnchecked:
        used = left.check_new_ids()
    except (IdAlreadyUsed, IdTaken):
        used = left.check_all_ids()
    except OperationalError as error:
        again, used = should_retry(error), left.check_new_ids()
        if not (again or used):
            left.tries = TRIES
    left.tries += not used  # each that was used is decided, so this ends
    return None


def _vanished(period: Period) -> UnknownBoard:
    """Its board was deleted since somebody here read it: nobody counts on that reading any more."""
    clear_board_cache()
    clear_period_cache()
    return UnknownBoard(f"There is no board {period.board_id}.")


def _decide_once(
    items: Sequence[Item], service: str, at: datetime, dry_run: bool, limits: Limits | None
) -> tuple[dict[int, EntryDecision], Collection[str]]:
    """The decisions; or none, and the players who have no standing yet. Raises ``PeriodClosed``."""
    if not items:
        return {}, ()
    names = {item.entry.player for item in items}
    with (
        detect_unknown_commit() as commit,
        abort_batch_on_error(items[0].in_batch, commit.may_have_committed, _FORESEEN),
        transaction.atomic(),
    ):
        if dry_run:
            _admit(items[0].period, names, at)
        period, locked = lock_period_and_standings(items[0].period, names, _patience(items))
        if period.state != PeriodState.OPEN:
            raise PeriodClosed(f"Period {period.label} is closed.")
        if period.rules_json != items[0].period.rules_json:
            raise RulesChanged
        refuse_delayed(items)
        newcomers = names - locked.keys()
        known_to_all = () if newcomers else items
        players = {row.player_id: name for name, row in locked.items()}
        watch = watch_of(items[0].period, limits, players, at) if limits and known_to_all else None
        judging = _Judging(period, locked, items[0].event, watch)
        if dry_run:
            judging.take(known_to_all)
            transaction.set_rollback(True)
        else:
            _write(judging, known_to_all, service, at, commit)
    return judging.decided, newcomers


def _patience(items: Sequence[Item]) -> int | None:
    """How long any lock is waited for, in ms; None is as long as everywhere."""
    return BATCH_LOCK_TIMEOUT_MS if items[0].in_batch else None


def _admit(period: Period, players: Collection[str], at: datetime, wait_ms: int | None = None) -> None:
    """Give players what deciding locks: each step in a transaction of its own, so that no lock outlives it."""
    with lock_timeout(wait_ms):
        make_players(players, at)
    with lock_timeout(wait_ms):
        make_standings(period, players)


class _Judging:
    """Items of one period judged in order over the locked standings, and what is to be written then."""

    def __init__(
        self,
        period: Period,
        locked: dict[str, LockedStanding],
        event: Event | None = None,
        watch: PlausibilityChecker | None = None,
    ) -> None:
        self.period = period
        self.competition = event.number if event else 0
        self._most = event.attempts if event else None
        players = [row.player_id for row in locked.values()]
        self._made = Counter[int]() if self._most is None else count_attempts(period, players)
        self.locked = locked
        self.decided: dict[int, EntryDecision] = {}
        self.submissions: list[SubmissionRow] = []
        self.watch = watch
        self.broken: list[BreachingItem] = []
        self._refused: dict[str, Implausible] = {}
        self._states = {name: row.state for name, row in locked.items()}
        self._packed: dict[str, Packed] = {}
        self._said: dict[str, str] = {}

    def take(self, items: Sequence[Item]) -> list[SubmissionRow]:
        """Judge items, in order; the submissions of those that were accepted. Raises ``IdUnchecked``."""
        before = len(self.submissions)
        for item in items:
            try:
                status = self._judge(item)
            except SunwiError as error:
                if item.id_unchecked:
                    raise IdUnchecked from error
                self.decided[item.entry.position] = refused(error)._replace(
                    period=self.period if isinstance(error, Implausible) else None
                )
            else:
                self.decided[item.entry.position] = EntryDecision(status, self.period, self._states[item.entry.player])
        return self.submissions[before:]

    def changed(self) -> list[StandingRow]:
        """The standings that are others than they were, sorted by player."""
        rows = []
        for name, packed in self._packed.items():
            locked, state = self.locked[name], self._states[name]
            if state != locked.state:
                rows.append(StandingRow(locked.player_id, name, packed.member, state, packed.score, locked.version + 1))
        return sorted(rows, key=attrgetter("player_id"))

    def _judge(self, item: Item) -> Status:
        entry, locked = item.entry, self.locked[item.entry.player]
        if locked.banned:
            raise Banned("This player may not score.")
        if entry.external_id is not None and entry.external_id in self._said:
            if self._said[entry.external_id] != content(entry):
                raise id_reused_error(entry)
            if entry.external_id in self._refused:
                raise self._refused[entry.external_id]
            return Status.DUPLICATE
        if self._most is not None and self._made[locked.player_id] >= self._most:
            raise TooManyAttempts(f"All attempts are used: this competition gives {self._most}.")
        old = self._states[entry.player]
        at_ms = self.period.layout.quantize(item.at_ms)
        new = evaluate(self.period.rules, old, StandingState(item.value, at_ms))
        self._refuse_implausible(item, old)
        if new is not old:
            self._packed[entry.player] = self.period.layout.pack(new.value, new.at_ms, entry.player)
            self._states[entry.player] = new
        self._made[locked.player_id] += 1
        self.submissions.append(SubmissionRow(locked.player_id, item.value, at_ms, entry.at, entry.external_id))
        if entry.external_id is not None:
            self._said[entry.external_id] = content(entry)
        return Status.UNCHANGED if new == old else Status.UPDATED

    def _refuse_implausible(self, item: Item, old: StandingState | None) -> None:
        """Raises ``Implausible`` for what breaks a limit; what does not is noted for those after it."""
        if self.watch is None:
            return
        entry, points = item.entry, points_of(item)
        breach = self.watch.breach(entry.player, points, total_of(item, old))
        if breach is None:
            self.watch.note(entry.player, points)
            return
        refusal = implausible_error(breach.rule)
        self.broken.append(BreachingItem(item, self.locked[entry.player].player_id, breach))
        if entry.external_id is not None:
            self._said[entry.external_id], self._refused[entry.external_id] = content(entry), refusal
        raise refusal


def _write(judging: _Judging, items: Sequence[Item], service: str, at: datetime, commit: CommitState) -> None:
    """Submissions, then standings and Redis, and the end of it. SQL writes the first while the next are judged.

    Ids are sure before Redis is told anything. What is quarantined is written ahead of the others.
    """
    period, kept = judging.period, []
    sending = SubmissionBatch(period, judging.competition, service, at)
    parts = [items[start : start + EVALUATION_CHUNK] for start in range(0, len(items), EVALUATION_CHUNK)]
    judged: Iterable[list[SubmissionRow]] = map(judging.take, parts)
    if judging.watch is not None:
        judged = list(judged)
        store_quarantined(judging.broken, service, at)
    with pipelined() as statements:
        for submissions in judged:
            if submissions:
                kept.append(insert_submissions(statements, sending, submissions))
                statements.mark_idle()
        if not kept:
            commit.is_sent = bool(judging.broken)  # it ends with the block around
            return
        changed = judging.changed()
        if any(row.external_id is not None for row in judging.submissions):
            statements.wait()
            if sum(each.rowcount for each in kept) < len(judging.submissions):
                raise IdAlreadyUsed
        write_and_publish(statements, period, changed, at)
        commit.is_sent = True
        statements.commit()
    commit.is_acknowledged = True
