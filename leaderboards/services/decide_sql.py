"""SQL decides: the submit of ``hybrid`` and ``sql`` boards, one period in one transaction.

The order of effects: players → barrier → lock standings → judge → submissions → standings → put to
Redis → commit → the put is sure. A put that failed marks its standings ``unput`` and the period
stale, and the transaction commits all the same: settling puts them later.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.db import OperationalError, transaction

from foundation.errors import SunwiError
from foundation.sql import AWAY
from leaderboards.core.policies import State, judge
from leaderboards.core.submissions import Status
from leaderboards.errors import (
    Banned,
    OutcomeUnknown,
    PeriodClosed,
    StorageUnavailable,
    TooManyAttempts,
    UnknownBoard,
)
from leaderboards.models import Period, Player
from leaderboards.models import State as PeriodState
from leaderboards.selectors.boards import forget_boards
from leaderboards.selectors.periods import forget_periods
from leaderboards.services.decided import Decided, refused
from leaderboards.services.events import Event
from leaderboards.services.ids import content, known, reused
from leaderboards.services.put import put_and_write
from leaderboards.services.resolve import Item
from leaderboards.stores import barrier
from leaderboards.stores.sql_writes import (
    Held,
    StandingRow,
    SubmissionRow,
    attempts_made,
    ensure_players,
    insert_submissions,
    lock_standings,
    make_players,
)

logger = logging.getLogger(__name__)

TRIES = 5


class _IdRaced(Exception):
    """Another transaction has just committed one of our ids: look again."""


def decide(items: Sequence[Item], service: str, at: datetime, dry_run: bool = False) -> dict[int, Decided]:
    """Judge and apply the items of one period, in order; the decisions by position.

    A deadlock, or an id that another request used in this moment, starts the transaction again.
    """
    found: dict[int, Decided] = {}
    for _ in range(TRIES):
        fresh = [item for item in items if item.entry.position not in found]
        try:
            return found | _decide_once(fresh, service, at, dry_run)
        except Period.DoesNotExist:
            return {item.entry.position: _vanished(item) for item in items} | found
        except _IdRaced:
            found |= known([(item.entry, item.period.board) for item in fresh], service, at)
        except OperationalError as error:
            if not _is_contention(error):
                raise
            logger.warning("contention in SQL; starting the transaction again", exc_info=True)
    gone = StorageUnavailable("Too many requests for the same players or ids at once; try again.")
    return {item.entry.position: refused(gone) for item in items} | found


def _vanished(item: Item) -> Decided:
    """Its board was deleted since somebody here read it: nobody counts on that reading any more."""
    forget_boards()
    forget_periods()
    return refused(UnknownBoard(f"There is no board {item.period.board_id}."))


def _is_contention(error: OperationalError) -> bool:
    """A deadlock or a serialization failure (PostgreSQL), or a lock not had in time (SQLite)."""
    return getattr(error.__cause__, "sqlstate", None) in ("40P01", "40001", "55P03") or "locked" in str(error)


def _decide_once(items: Sequence[Item], service: str, at: datetime, dry_run: bool) -> dict[int, Decided]:
    if not items:
        return {}
    names = [item.entry.player for item in items]
    if not dry_run:
        make_players(names, at)  # in a statement of its own, so that no lock of players outlives it
    with _telling_commit() as commit, transaction.atomic():
        barrier.hold_shared(items[0].period.pk)
        period = Period.objects.get(pk=items[0].period.pk)
        period.board = items[0].period.board  # of the last seconds: only its storage counts here, which never changes
        if period.state != PeriodState.OPEN:
            return {item.entry.position: refused(PeriodClosed(f"Period {period.label} is closed.")) for item in items}
        players = ensure_players(names, at)
        held = lock_standings(period, {player.pk: name for name, player in players.items()})
        judging = _Judging(period, players, held, items[0].event)
        for item in items:
            judging.take(item)
        if dry_run:
            transaction.set_rollback(True)
        else:
            _write(judging, service, at)
        commit.reached = not dry_run
    return judging.decided


@dataclass
class _Commit:
    """Whether everything before the COMMIT went well."""

    reached: bool = False


@contextmanager
def _telling_commit() -> Iterator[_Commit]:
    """Around a transaction: where SQL goes away in its COMMIT, nobody knows whether the entries count."""
    commit = _Commit()
    try:
        yield commit
    except AWAY as error:
        if not commit.reached:
            raise
        raise OutcomeUnknown("SQL did not say whether it kept the entries; send those with an `id` again.") from error


class _Judging:
    """Items of one period judged in order over the locked standings, and what is to be written then."""

    def __init__(
        self, period: Period, players: dict[str, Player], held: dict[int, Held], event: Event | None = None
    ) -> None:
        self.period = period
        self.competition = event.number if event else 0
        self._most = event.attempts if event else None
        self._made = Counter[int]() if self._most is None else attempts_made(period, list(held))
        self.players = players
        self.held = held
        self.states: dict[int, State | None] = {pk: row.state for pk, row in held.items()}
        self.decided: dict[int, Decided] = {}
        self.submissions: list[SubmissionRow] = []
        self._said: dict[str, str] = {}

    def take(self, item: Item) -> None:
        """Judge one item."""
        try:
            status = self._judge(item)
        except SunwiError as error:
            self.decided[item.entry.position] = refused(error)
            return
        state = self.states[self.players[item.entry.player].pk]
        self.decided[item.entry.position] = Decided(status, self.period, state)

    def changed(self) -> list[int]:
        """The players whose standing is another than it was, sorted."""
        return sorted(pk for pk, row in self.held.items() if self.states[pk] != row.state)

    def _judge(self, item: Item) -> Status:
        entry, player = item.entry, self.players[item.entry.player]
        if player.banned_at is not None:
            raise Banned("This player may not score.")
        if entry.external_id is not None and entry.external_id in self._said:
            if self._said[entry.external_id] != content(entry):
                raise reused(entry)
            return Status.DUPLICATE
        if self._most is not None and self._made[player.pk] >= self._most:
            raise TooManyAttempts(f"All attempts are used: this competition gives {self._most}.")
        old = self.states[player.pk]
        new = judge(self.period.rules, old, State(item.value, self.period.layout.quantize(item.at_ms)))
        self.period.layout.pack(new.value, new.at_ms, entry.player)
        self.states[player.pk] = new
        self._made[player.pk] += 1
        self.submissions.append(SubmissionRow(player.pk, item.value, item.at_ms, entry.at, entry.external_id))
        if entry.external_id is not None:
            self._said[entry.external_id] = content(entry)
        return Status.UNCHANGED if new == old else Status.UPDATED


def _write(judging: _Judging, service: str, at: datetime) -> None:
    """Submissions, then Redis, then standings with the mark of whether Redis has them."""
    period, submissions = judging.period, judging.submissions
    if insert_submissions(period, service, submissions, judging.competition, at) < len(submissions):
        raise _IdRaced
    names = {player.pk: name for name, player in judging.players.items()}
    put_and_write(period, [_standing_row(judging, pk, names[pk]) for pk in judging.changed()], names, at)


def _standing_row(judging: _Judging, player_id: int, name: str) -> StandingRow:
    state, version = judging.states[player_id], judging.held[player_id].version + 1
    if state is None:
        return StandingRow(player_id, name, None, None, version)
    packed = judging.period.layout.pack(state.value, state.at_ms, name)
    return StandingRow(player_id, packed.member, state, packed.score, version)
