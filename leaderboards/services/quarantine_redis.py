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

from foundation import redis
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.sql import AWAY
from leaderboards.core.entries import Entry
from leaderboards.core.instants import milliseconds
from leaderboards.core.plausibility import Breach, Field, Limits, Past, Watch
from leaderboards.core.policies import State
from leaderboards.errors import StorageUnavailable
from leaderboards.selectors.hidden import hidden_in
from leaderboards.selectors.reading import of_the_present
from leaderboards.services.decided import Decided, refused
from leaderboards.services.ids import bucketed, content, reused
from leaderboards.services.quarantine import Broken, IdTaken, claimed, keep, points_of, quarantined, total_of
from leaderboards.services.resolve import Item
from leaderboards.stores.sql_writes import player_numbers
from leaderboards.stores.zset_recent import Lately, RecentLists, Row, mark_of
from leaderboards.stores.zset_writes import ZsetWriter

TRIES = 5


@dataclass(slots=True)
class _Judged:
    """What broke a limit, by position, and what is to be noted, by player."""

    broken: dict[int, Breach] = field(default_factory=dict)
    passed: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))


def hold_back(
    items: Sequence[Item], limits: Limits, service: str, at: datetime, dry_run: bool
) -> Mapping[int, Decided]:
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
        lately = of_the_present(period, lambda: lists.read(players, hidden)) if asks else _nothing(players)
        judged = _judge(items, marks, lately, limits, milliseconds(at))
        failpoint("quarantine.before_note")
        if dry_run or not limits.needs_past or lists.note(lately, judged.passed):
            return judged.broken
    raise StorageUnavailable("Too many requests for the same players at once; try again.")


def _mark(entry: Entry, service: str) -> str:
    """Of what was said under an id, so that other content under it is judged anew."""
    return token_hex(8) if entry.external_id is None else mark_of(service, entry.external_id, content(entry))


def _nothing(players: Sequence[str]) -> Lately:
    return Lately(dict.fromkeys(players, ()), dict.fromkeys(players), None)


def _judge(items: Sequence[Item], marks: Mapping[int, str], lately: Lately, limits: Limits, now_ms: int) -> _Judged:
    """Each beside what was there and those before it; what passed before, under its id, passes again."""
    known = {row.mark for rows in lately.rows.values() for row in rows}
    past = {player: [row.past for row in rows] for player, rows in lately.rows.items()}
    first = lately.first.value[0] if lately.first is not None else None
    watch = Watch(limits, items[0].period.rules, now_ms, past, Field(first))
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
        states[entry.player] = State((total,), 0)
        judged.passed[entry.player].append(Row(mark, Past(points, now_ms)))
    return judged


def _counted(held: Sequence[Item], service: str) -> set[int]:
    """The positions of those whose id has counted before, whatever it said then."""
    asked = [(item.entry.position, own) for item in held if (own := bucketed(item.entry, service))]
    if not asked:
        return set()
    found = ZsetWriter(redis.boards()).counted(held[0].period.ids_of, [own for _, own in asked])
    return {position for (position, _), before in zip(asked, found, strict=True) if before}


def _quarantine(
    held: Sequence[Item], broken: Mapping[int, Breach], service: str, at: datetime, dry_run: bool
) -> Mapping[int, Decided]:
    said = {item.entry.position: quarantined(broken[item.entry.position], item.period) for item in held}
    if dry_run or not held:
        return said
    once = _once(held)
    kept = {item.entry.external_id: item for item in once}
    said |= {
        item.entry.position: refused(reused(item.entry))
        for item in held
        if item not in once and content(item.entry) != content(kept[item.entry.external_id].entry)
    }
    try:
        return said | _keep(once, broken, service, at)
    except (*AWAY, Unavailable):
        away = refused(StorageUnavailable("What decides for this board is away; try again."))
        return dict.fromkeys(said, away)


def _once(held: Sequence[Item]) -> list[Item]:
    """Without those whose id stands before them in the same request."""
    found = {item.entry.external_id or f"\0{item.entry.position}": item for item in reversed(held)}
    return sorted(found.values(), key=lambda item: item.entry.position)


def _keep(held: Sequence[Item], broken: Mapping[int, Breach], service: str, at: datetime) -> dict[int, Decided]:
    """Keep them. Those whose id another request has quarantined in this moment are told what that was told."""
    numbers = player_numbers({item.entry.player for item in held}, at)
    found: dict[int, Decided] = {}
    for _ in range(TRIES):
        rows = [
            Broken(item, numbers[item.entry.player], broken[item.entry.position])
            for item in held
            if item.entry.position not in found
        ]
        try:
            with transaction.atomic():
                keep(rows, service, at)
        except IdTaken:
            found |= claimed([(item.entry, item.period.board) for item in held], service)
        else:
            return found
    raise StorageUnavailable("Too many requests for the same ids at once; try again.")
