"""Holding back what breaks a limit of plausibility on boards that Redis decides over, ahead of the script that applies.

The order of effects: read what the players sent lately → judge → note what passes, if nobody else has noted anything
meanwhile, else begin again → quarantine the rest in SQL. The trap: an entry that is sent again may break a limit though
it counted; whether it did is asked of Redis, and then it goes on to be told so.
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
from foundation.redis import client as redis
from leaderboards.core.input.entries import Entry
from leaderboards.core.instants import milliseconds
from leaderboards.core.plausibility import Breach, FieldLeader, Limits, PastSubmission, PlausibilityChecker
from leaderboards.core.ranking.policies import StandingState
from leaderboards.errors import StorageUnavailable
from leaderboards.selectors.rankings.store_routing import retry_if_stale
from leaderboards.selectors.visibility.hidden import hidden_in
from leaderboards.services.submit.decision import EntryDecision, refused
from leaderboards.services.submit.duplicates import bucketed, content, id_reused_error
from leaderboards.services.submit.items import Item
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
class _Judged:
    """What broke a limit, by position, and what is to be noted, by player."""

    broken: dict[int, Breach] = field(default_factory=dict)
    passed: dict[str, list[RecentRow]] = field(default_factory=lambda: defaultdict(list))


def quarantine_implausible(
    items: Sequence[Item], limits: Limits, service: str, at: datetime, dry_run: bool
) -> Mapping[int, EntryDecision]:
    """The items of one period that are not to be applied, with what is said of them; the others are noted.

    Raises ``Unavailable`` where Redis cannot be asked: then nothing may be applied.
    """
    try:
        broken = _judge_and_note(items, limits, service, at, dry_run)
        held = [item for item in items if item.entry.position in broken]
        counted = _counted(held, service)
    except redis.RedisSilent as error:  # nothing was applied
        raise StorageUnavailable("What decides for this board is away; try again.") from error
    fresh = {item.entry.position: broken[item.entry.position] for item in held if item.entry.position not in counted}
    return _quarantine([item for item in held if item.entry.position in fresh], fresh, service, at, dry_run)


def _judge_and_note(
    items: Sequence[Item], limits: Limits, service: str, at: datetime, dry_run: bool
) -> Mapping[int, Breach]:
    period = items[0].period
    lists = RecentLists(redis.boards(), period, limits)
    marks = {item.entry.position: _mark(item.entry, service) for item in items}
    players = list(dict.fromkeys(item.entry.player for item in items))
    asks = limits.needs_past or limits.field_jump is not None
    hidden = hidden_in(period) if limits.field_jump is not None else ()
    for _ in range(TRIES):
        lately = retry_if_stale(period, lambda: lists.read(players, hidden)) if asks else _nothing(players)
        judged = _judge(items, marks, lately, limits, milliseconds(at))
        failpoint("quarantine.before_note")
        if dry_run or not limits.needs_past or lists.note(lately, judged.passed):
            return judged.broken
    raise StorageUnavailable("Too many requests for the same players at once; try again.")


def _mark(entry: Entry, service: str) -> str:
    """Of what was said under an id, so that other content under it is judged anew."""
    return token_hex(8) if entry.external_id is None else entry_fingerprint(service, entry.external_id, content(entry))


def _nothing(players: Sequence[str]) -> RecentSubmissions:
    return RecentSubmissions(dict.fromkeys(players, ()), dict.fromkeys(players), None)


def _judge(
    items: Sequence[Item], marks: Mapping[int, str], lately: RecentSubmissions, limits: Limits, now_ms: int
) -> _Judged:
    """Each beside what was there and those before it; what passed before, under its id, passes again."""
    known = {row.mark for rows in lately.rows.values() for row in rows}
    past = {player: [row.past for row in rows] for player, rows in lately.rows.items()}
    first = lately.first.value[0] if lately.first is not None else None
    watch = PlausibilityChecker(limits, items[0].period.rules, now_ms, past, FieldLeader(first))
    judged, states = _Judged(), dict(lately.states)
    for item in items:
        entry, points, mark = item.entry, points_of(item), marks[item.entry.position]
        if mark in known:
            continue
        total = total_of(item, states[entry.player])
        breach = watch.breach(entry.player, points, total)
        if breach is not None:
            judged.broken[entry.position] = breach
            continue
        known.add(mark)
        watch.note(entry.player, points)
        states[entry.player] = StandingState((total,), 0)
        judged.passed[entry.player].append(RecentRow(mark, PastSubmission(points, now_ms)))
    return judged


def _counted(held: Sequence[Item], service: str) -> set[int]:
    """The positions of those whose id has counted before, whatever it said then."""
    asked = [(item.entry.position, own) for item in held if (own := bucketed(item.entry, service))]
    if not asked:
        return set()
    found = ZsetWriter(redis.boards()).look_up_ids(held[0].period.id_namespace, [own for _, own in asked])
    return {position for (position, _), before in zip(asked, found, strict=True) if before}


def _quarantine(
    held: Sequence[Item], broken: Mapping[int, Breach], service: str, at: datetime, dry_run: bool
) -> Mapping[int, EntryDecision]:
    said = {item.entry.position: quarantined_decision(broken[item.entry.position], item.period) for item in held}
    if dry_run or not held:
        return said
    once = _once(held)
    kept = {item.entry.external_id: item for item in once}
    said |= {
        item.entry.position: refused(id_reused_error(item.entry))
        for item in held
        if item not in once and content(item.entry) != content(kept[item.entry.external_id].entry)
    }
    try:
        return said | _keep(once, broken, service, at)
    except (*CONNECTION_ERRORS, Unavailable):
        away = refused(StorageUnavailable("What decides for this board is away; try again."))
        return dict.fromkeys(said, away)


def _once(held: Sequence[Item]) -> list[Item]:
    """Without those whose id stands before them in the same request."""
    found = {item.entry.external_id or f"\0{item.entry.position}": item for item in reversed(held)}
    return sorted(found.values(), key=lambda item: item.entry.position)


def _keep(held: Sequence[Item], broken: Mapping[int, Breach], service: str, at: datetime) -> dict[int, EntryDecision]:
    """Keep them. Those whose id another request has quarantined in this moment are told what that was told."""
    numbers = player_ids_by_external_id({item.entry.player for item in held}, at)
    found: dict[int, EntryDecision] = {}
    for _ in range(TRIES):
        rows = [
            BreachingItem(item, numbers[item.entry.player], broken[item.entry.position])
            for item in held
            if item.entry.position not in found
        ]
        try:
            with transaction.atomic():
                store_quarantined(rows, service, at)
        except IdTaken:
            found |= find_quarantined([(item.entry, item.period.board) for item in held], service)
        else:
            return found
    raise StorageUnavailable("Too many requests for the same ids at once; try again.")
