"""Submitting scores: the one door, for the API, the import and the simulated players.

The order of effects: find boards and competitions → answer ids that were quarantined or used before, where deciding
would not tell, or too late → refuse who has not joined → find or open periods → decide a period at a time, in the order
of first appearance; a competition whose freeze is due is frozen just before, by the one who really applies something.
Every entry stands alone: what one is refused for never touches its neighbours.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime

from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import SunwiError
from leaderboards import metrics, selectors
from leaderboards.core.input.entries import Entry
from leaderboards.core.plausibility import Limits
from leaderboards.core.submissions import Caller, Outcome, Status, UnreadableEntry
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Period, Storage
from leaderboards.services import events
from leaderboards.services.events import Event
from leaderboards.services.submit import decide_redis, decide_sql, duplicates
from leaderboards.services.submit.decision import EntryDecision, outcome, refused
from leaderboards.services.submit.group_commit import BatchAborted, abort_batch_on_error
from leaderboards.services.submit.quarantine import find_quarantined
from leaderboards.services.submit.resolve import Item, Periods, Target, Targets, not_joined


def submit(
    entries: Sequence[Entry | UnreadableEntry],
    caller: Caller,
    at: datetime,
    *,
    dry_run: bool = False,
    ranks: bool = False,
) -> list[Outcome]:
    """Judge and apply ``entries``, which happened by ``at``; one outcome each, in their order.

    ``dry_run`` judges and applies nothing. ``ranks`` adds each player's rank before and after the request.
    """
    return _Request(caller, at, dry_run).answer(entries, ranks and not dry_run)


def submit_batch(entries: Sequence[Entry], caller: Caller, at: datetime, *, ranks: bool = False) -> list[Outcome]:
    """The same for entries of several requests. Raises ``BatchAborted`` where they would have to wait for one of them,
    or one of them fails as nothing that is foreseen: nothing is done then.
    """
    return _Request(caller, at, dry_run=False, in_batch=True).answer(entries, ranks)


def backfill(entries: Sequence[Entry], caller: Caller, at: datetime) -> list[Outcome]:
    """The same for entries of the past, whose periods are opened however long ago they ended."""
    return _Request(caller, at, dry_run=False, backfilled=True).answer(entries, ranks=False)


logger = logging.getLogger(__name__)

Ranked = tuple[Period, str]
Decide = Callable[[Sequence[Item], str, datetime, bool, Limits | None], dict[int, EntryDecision]]


class _Request:
    def __init__(
        self, caller: Caller, at: datetime, dry_run: bool, backfilled: bool = False, in_batch: bool = False
    ) -> None:
        self._caller = caller
        self._at = at
        self._dry_run = dry_run
        self._backfilled = backfilled
        self._in_company = in_batch
        self._periods = Periods(at, backfilled, in_batch)
        self._targets: dict[int, Target] = {}
        self._items: dict[int, Item] = {}
        self._decided: dict[int, EntryDecision] = {}

    def answer(self, entries: Sequence[Entry | UnreadableEntry], ranks: bool) -> list[Outcome]:
        read = [entry for entry in entries if isinstance(entry, Entry)]
        with abort_batch_on_error(self._in_company):
            groups = self._prepared(read)
            before = self._ranks(groups, read) if ranks else {}
        for items in groups:
            self._apply(items[0].period, items)
        self._follow_the_order(read)
        outcomes = [self._outcome(entry) for entry in entries]
        if not self._dry_run:
            metrics.count_submissions((self._board_of(each), each.status, each.code) for each in outcomes)
        return self._with_ranks(outcomes, before, self._ranks(groups, read)) if ranks else outcomes

    def _board_of(self, outcome: Outcome) -> int | None:
        """The number of its board, if there is such a board."""
        target = self._targets.get(outcome.position)
        return target.board.seq if target else None

    def _prepared(self, entries: Collection[Entry]) -> Collection[list[Item]]:
        """The items that are to be decided, by period; nothing has been applied."""
        self._find_targets(entries)
        self._find_repeated()
        groups = self._grouped()
        if self._in_company and len(groups) > 1:
            raise BatchAborted("What is decided first cannot be taken back for the second.")
        return groups

    def _find_repeated(self) -> None:
        """What was quarantined is told so again, also where it was accepted since and its id counts by now."""
        asked = [(self._targets[place].entry, self._targets[place].board) for place in self._to_ask()]
        if not self._caller.is_trusted:
            self._decided |= find_quarantined(asked, self._caller.service)
            asked = [each for each in asked if each[0].position not in self._decided]
        self._decided |= duplicates.find_duplicates(asked, self._caller.service, self._at)

    def _to_ask(self) -> Collection[int]:
        """Who has an id that is looked up ahead. Of the others, whose items are kept, deciding tells if it was used.

        It would not where a repetition that is judged leaves something behind: what is rehearsed or imported, of a
        competition, or may be quarantined; nor where an entry is refused, or opens a period. And of several periods of
        a board, one is decided when another has changed the standing that a repetition is told.
        """
        with_id = {place for place, target in self._targets.items() if target.entry.external_id is not None}
        if not with_id or self._dry_run or self._backfilled:
            return with_id
        met: dict[int, set[int]] = defaultdict(set)
        for place, target in self._targets.items():
            if target.event is None and (self._caller.is_trusted or not target.board.may_quarantine):
                item = self._periods.item_if_period_open(target)
                if item is not None:
                    self._items[place] = item
                met[target.board.seq].add(item.period.pk if item else 0)
        for place in list(self._items):
            if len(met[self._targets[place].board.seq]) > 1:
                del self._items[place]
        return with_id - self._items.keys()

    def _follow_the_order(self, entries: Iterable[Entry]) -> None:
        """A repetition was looked up before its neighbours counted: it tells the standing that those before it made."""
        if all(decided.status != Status.DUPLICATE for decided in self._decided.values()):
            return
        latest: dict[Ranked, EntryDecision] = {}
        for entry in entries:
            decided = self._decided.get(entry.position)
            if decided is None or decided.period is None or decided.error is not None:
                continue
            key = (decided.period, entry.player)
            if decided.status == Status.DUPLICATE and key in latest:
                self._decided[entry.position] = decided._replace(state=latest[key].state)
            else:
                latest[key] = decided

    def _apply(self, period: Period, items: Sequence[Item]) -> None:
        in_redis = period.board.storage == Storage.REDIS
        self._decided |= self._decide(decide_redis.decide if in_redis else decide_sql.decide, items)

    def _decide(self, decide: Decide, items: Sequence[Item]) -> dict[int, EntryDecision]:
        try:
            self._freeze(items[0].event)
            limits = None if self._caller.is_trusted else items[0].period.board.limits
            return decide(items, self._caller.service, self._at, self._dry_run, limits)
        except CONNECTION_ERRORS:
            logger.exception("SQL went away while it decided")
            gone = refused(StorageUnavailable("What decides for this board is away; try again."))
        except StorageUnavailable as error:
            logger.exception("a competition could not be frozen")
            gone = refused(error)
        return {item.entry.position: gone for item in items}

    def _freeze(self, event: Event | None) -> None:
        """Raises ``StorageUnavailable`` where that cannot be done, and nothing may come before."""
        if event is not None and event.freeze_due and not self._dry_run:
            events.source().freeze(event.number, self._at)

    def _find_targets(self, entries: Collection[Entry]) -> None:
        targets = Targets(entries, self._caller, self._at)
        for entry in entries:
            target = targets.of(entry)
            if isinstance(target, SunwiError):
                self._decided[entry.position] = refused(target)
            else:
                self._targets[entry.position] = target

    def _grouped(self) -> Collection[list[Item]]:
        """The items that are still to be decided, by period."""
        groups: dict[int, list[Item]] = defaultdict(list)
        absent = not_joined(target for place, target in self._targets.items() if place not in self._decided)
        self._decided |= {place: refused(error) for place, error in absent.items()}
        for place, target in self._targets.items():
            if place in self._decided:
                continue
            try:
                item = self._items.get(place) or self._periods.item(target)
            except SunwiError as error:
                self._decided[place] = refused(error)
            except CONNECTION_ERRORS:
                logger.exception("SQL went away while a period was opened")
                self._decided[place] = refused(StorageUnavailable("What decides for this board is away; try again."))
            else:
                groups[item.period.pk].append(item)
        return groups.values()

    def _outcome(self, entry: Entry | UnreadableEntry) -> Outcome:
        if isinstance(entry, UnreadableEntry):
            return Outcome(
                position=entry.position,
                status=Status.REJECTED,
                player=entry.player,
                board=entry.board,
                competition=entry.competition,
                code=entry.error.code,
                detail=entry.error.detail,
            )
        return outcome(entry, self._targets.get(entry.position), self._decided[entry.position])

    def _ranks(self, groups: Collection[Sequence[Item]], entries: Iterable[Entry]) -> dict[Ranked, int | None]:
        """The present ranks of everybody whom the request touches, or has touched when it was sent before; of who has
        none, None."""
        players: dict[Period, set[str]] = defaultdict(set)
        grouped = {item.entry.position: item.period for items in groups for item in items}
        for entry in entries:
            target, decided = self._targets.get(entry.position), self._decided.get(entry.position)
            period = decided.period if decided else grouped.get(entry.position)
            if period and not (target and target.hides_ranks):
                players[period].add(entry.player)
        asked = {period: selectors.ranks(period, names) for period, names in players.items()}
        return {(period, name): asked[period].get(name) for period, names in players.items() for name in names}

    def _with_ranks(
        self, outcomes: Sequence[Outcome], before: Mapping[Ranked, int | None], after: Mapping[Ranked, int | None]
    ) -> list[Outcome]:
        """Each accepted outcome with its player's rank after and before the request. A repetition may tell of a period
        that was not asked for before; there the request has changed nothing."""
        found = []
        for each in outcomes:
            period = self._decided[each.position].period if each.position in self._decided else None
            if each.status.is_accepted and period and each.player and not each.hides_ranks:
                key = (period, each.player)
                rank = after.get(key)
                found.append(each._replace(rank=rank, previous_rank=before.get(key, rank)))
            else:
                found.append(each)
        return found
