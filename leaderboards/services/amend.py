"""Amending a standing that is set aside: what a person writes in its place, by the rules that entries are read by.

Redis decides over such a board, so the standing is set there, and the mirror brings it to SQL like any other.
The trap: the player may score meanwhile. What is no longer as the person saw it stays as it is.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from foundation import redis
from foundation.models import DeadLetter
from foundation.sync import barrier
from leaderboards.core.bodies import read_json
from leaderboards.core.entries import Entry, read_entry, read_value
from leaderboards.core.instants import milliseconds
from leaderboards.core.points import scaled
from leaderboards.core.policies import State, judge
from leaderboards.core.rules import Update
from leaderboards.errors import BadEntry, BadTime, StandingMoved
from leaderboards.models import Period
from leaderboards.services.mirror import living_period, mirror_letter
from leaderboards.stores.zset_writes import Put, ZsetWriter, held_text, state_from


@dataclass(frozen=True, slots=True)
class SetAside:
    """A standing as Redis has it; without a score the player is not ranked."""

    score: float | None
    state: State | None


def look(letter: DeadLetter, period: Period) -> SetAside:
    """The standing that the letter is about. Raises what the link raises."""
    [seen] = ZsetWriter(redis.boards()).look(period, [(letter.payload["player"], None)])
    state = None if seen.score is None else state_from(period, seen.score, seen.member, seen.held)
    return SetAside(seen.score, state)


def read_state(period: Period, player: str, worth: str, at: datetime) -> State:
    """What a person wrote: points, or fields as JSON. Raises what an entry is refused with."""
    sent = {"points": worth} if period.rules.of_points else {"fields": _read_fields(worth)}
    entry = read_entry({"board": period.board_id, "player": player, "at": at.isoformat(), **sent}, 0)
    if not period.window.contains(at):
        raise BadTime(f"`at` lies outside period {period.label}.")
    state = State(_value(period, entry), period.layout.quantize(milliseconds(at)))
    period.layout.pack(state.value, state.at_ms, player)
    return judge(period.rules, None, state)


def amend(letter: DeadLetter, state: State, seen: float | None) -> str:
    """Set the standing, if its score is still ``seen``, and mirror it; why SQL still refuses it, or nothing.

    Raises what the link raises, ``PeriodClosed``, ``StorageUnavailable`` or ``StandingMoved``.
    """
    player = letter.payload["player"]
    with transaction.atomic():
        barrier.hold_shared(letter.payload["period"])
        period = living_period(letter)
        packed = period.layout.pack(state.value, state.at_ms, player)
        put = Put(player, packed.score, packed.member)
        if not ZsetWriter(redis.boards()).amend(period, put, held_text(period, state), seen):
            raise StandingMoved(f"{player} has scored meanwhile: look again.")
    return mirror_letter(letter, period)


def _read_fields(worth: str) -> object:
    try:
        return read_json(worth.encode())
    except ValueError as error:
        raise BadEntry(f'The fields are written as JSON, such as {{"stage": 12}}. {error}') from error


def _value(period: Period, entry: Entry) -> tuple[int, ...]:
    """Of a sum the total, which ``judge`` bounds; else what a single entry may be."""
    if period.rules.update is Update.INCREMENT and entry.points is not None:
        return (scaled(entry.points, period.rules.decimals),)
    return read_value(period.rules, entry)
