"""Quarantining implausible entries of ``redis`` boards, ahead of the script that applies.

The order of effects: read the players' recent submissions → check → note the plausible ones, or start again if another
request has noted any meanwhile → quarantine the rest in SQL. The trap: a repetition may break a limit though the entry
counted; its id is looked up in Redis, and if it counted the entry passes on to the script, which answers ``duplicate``.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from secrets import token_hex

from django.db import transaction

from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.redis import client as redis
from leaderboards.core.input.entries import Entry
from leaderboards.core.instants import milliseconds
from leaderboards.core.plausibility import Breach, FieldLeader, Limits, PastSubmission, PlausibilityChecker
from leaderboards.core.ranking.policies import StandingState, evaluate
from leaderboards.errors import OutOfRange, StorageUnavailable
from leaderboards.models import Part
from leaderboards.selectors.rankings.store_routing import retry_if_stale
from leaderboards.selectors.visibility.hidden import hidden_in
from leaderboards.services.submit.entry_content import bucketed, content, id_reused_error
from leaderboards.services.submit.items import Item
from leaderboards.services.submit.outcomes import EntryDecision, refused
from leaderboards.services.submit.quarantine import (
    BreachingItem,
    IdTaken,
    find_quarantined,
    points_of,
    quarantined_decision,
    store_quarantined,
    total_of,
)
from leaderboards.stores.redis.recent import RecentLists, RecentRow, RecentSubmissions, entry_fingerprint
from leaderboards.stores.redis.writes import ZsetWriter
from leaderboards.stores.sql.writes import player_ids_by_external_id

TRIES = 5


@dataclass(slots=True)
class _Checked:
    """The breaches by position, and the rows to be noted by player."""

    broken: dict[int, Breach] = field(default_factory=dict)
    passed: dict[str, list[RecentRow]] = field(default_factory=lambda: defaultdict(list))


def quarantine_implausible(
    items: Sequence[Item], limits: Limits, service: str, at: datetime, dry_run: bool
) -> Mapping[int, EntryDecision]:
    """The decisions on items of one family of a period that must not be applied, by position; the others are noted.

    Raises ``Unavailable`` if Redis does not answer: then nothing may be applied.
    """
    try:
        breaches = _check_and_note(items, limits, service, at, dry_run)
        breaching = [item for item in items if item.entry.position in breaches]
        counted = _counted(breaching, service)
    except redis.RedisSilent as error:  # nothing was applied
        raise StorageUnavailable(Message("The server that stores this board does not answer; try again.")) from error
    new = [item for item in breaching if item.entry.position not in counted]
    return _quarantine(new, breaches, service, at, dry_run)


def _check_and_note(
    items: Sequence[Item], limits: Limits, service: str, at: datetime, dry_run: bool
) -> Mapping[int, Breach]:
    period = items[0].period
    marks = {item.entry.position: _fingerprint(item.entry, service) for item in items}
    players = list(dict.fromkeys(item.entry.player for item in items))
    needs_lists = limits.needs_past or limits.field_jump is not None
    hidden = hidden_in(period) if limits.field_jump is not None else ()
    for _ in range(TRIES):
        recent = _no_submissions(players)
        if needs_lists:
            recent = retry_if_stale(period, lambda: _lists(items, limits).read(players, hidden))
        checked = _check(items, marks, recent, limits, milliseconds(at))
        failpoint("quarantine.before_note")
        if dry_run or not limits.needs_past or _lists(items, limits).note(recent, checked.passed):
            return checked.broken
    raise StorageUnavailable(Message("Too many requests for the same players at once; try again."))


def _lists(items: Sequence[Item], limits: Limits) -> RecentLists:
    return RecentLists(redis.boards(), _part(items), limits)


def _part(items: Sequence[Item]) -> Part:
    return items[0].period.part_of(items[0].entry.player)


def _fingerprint(entry: Entry, service: str) -> str:
    """The fingerprint of id and content, so that other content under the same id is checked anew."""
    return token_hex(8) if entry.external_id is None else entry_fingerprint(service, entry.external_id, content(entry))


def _no_submissions(players: Sequence[str]) -> RecentSubmissions:
    return RecentSubmissions(dict.fromkeys(players, ()), dict.fromkeys(players), None)


def _check(
    items: Sequence[Item], marks: Mapping[int, str], recent: RecentSubmissions, limits: Limits, now_ms: int
) -> _Checked:
    """Check each item against recent submissions and the items before it.

    An id that passed before with the same content passes again.
    """
    known = {row.mark for rows in recent.rows.values() for row in rows}
    past = {player: [row.past for row in rows] for player, rows in recent.rows.items()}
    first = recent.first.value[0] if recent.first is not None else None
    checker = PlausibilityChecker(limits, items[0].period.rules, now_ms, past, FieldLeader(first))
    checked, states = _Checked(), dict(recent.states)
    for item in items:
        entry, points, mark = item.entry, points_of(item), marks[item.entry.position]
        if mark in known:
            continue
        total = total_of(item, states[entry.player])
        breach = checker.breach(entry.player, points, total)
        if breach is not None:
            checked.broken[entry.position] = breach
            continue
        known.add(mark)
        checker.note(entry.player, points)
        states[entry.player] = _state_after(item, states[entry.player])
        checked.passed[entry.player].append(RecentRow(mark, PastSubmission(points, now_ms)))
    return checked


def _state_after(item: Item, old: StandingState | None) -> StandingState | None:
    new = StandingState(item.value, item.at_ms, operator=item.entry.operator)
    try:
        return evaluate(item.period.rules, old, new)
    except OutOfRange:  # the script refuses it
        return old


def _counted(items: Sequence[Item], service: str) -> set[int]:
    """The positions of items whose id has counted before, with any content."""
    with_id = [(item.entry.position, own) for item in items if (own := bucketed(item.entry, service))]
    if not with_id:
        return set()
    found = ZsetWriter(redis.boards()).look_up_ids([(_part(items).id_namespace, own) for _, own in with_id])
    return {position for (position, _), before in zip(with_id, found, strict=True) if before}


def _quarantine(
    items: Sequence[Item], breaches: Mapping[int, Breach], service: str, at: datetime, dry_run: bool
) -> Mapping[int, EntryDecision]:
    decisions = {
        item.entry.position: quarantined_decision(breaches[item.entry.position], item.period) for item in items
    }
    if dry_run or not items:
        return decisions
    once = _first_of_each_id(items)
    by_id = {item.entry.external_id: item for item in once}
    decisions |= {
        item.entry.position: refused(id_reused_error(item.entry))
        for item in items
        if item not in once and content(item.entry) != content(by_id[item.entry.external_id].entry)
    }
    try:
        return decisions | _store(once, breaches, service, at)
    except (*CONNECTION_ERRORS, Unavailable):
        away = refused(StorageUnavailable(Message("The server that stores this board does not answer; try again.")))
        return dict.fromkeys(decisions, away)


def _first_of_each_id(items: Sequence[Item]) -> list[Item]:
    """The items without those whose id an earlier item has."""
    first = {item.entry.external_id or f"\0{item.entry.position}": item for item in reversed(items)}
    return sorted(first.values(), key=lambda item: item.entry.position)


def _store(
    items: Sequence[Item], breaches: Mapping[int, Breach], service: str, at: datetime
) -> dict[int, EntryDecision]:
    """Store items; the decisions on those whose id another request has quarantined at the same moment."""
    numbers = player_ids_by_external_id({item.entry.player for item in items}, at)
    found: dict[int, EntryDecision] = {}
    for _ in range(TRIES):
        rows = [
            BreachingItem(item, numbers[item.entry.player], breaches[item.entry.position])
            for item in items
            if item.entry.position not in found
        ]
        try:
            with transaction.atomic():
                store_quarantined(rows, service, at)
        except IdTaken:
            found |= find_quarantined([(item.entry, item.period.board) for item in items], service)
        else:
            return found
    raise StorageUnavailable(Message("Too many requests for the same ids at once; try again."))
