"""Amend a standing that is a dead letter: staff writes another value, which is checked like an entry.

Redis decides such a board, so the standing is set in Redis, and the mirror copies it to SQL as usual. The trap: the
player may score meanwhile. A standing that is no longer as the person saw it is left unchanged.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from foundation.messages import Message
from foundation.models import DeadLetter
from foundation.redis import client as redis
from foundation.sync import barrier
from leaderboards.core.input.entries import Entry, read_entry, read_value
from leaderboards.core.input.json_body import read_json
from leaderboards.core.input.points import scaled
from leaderboards.core.instants import milliseconds
from leaderboards.core.ranking.policies import StandingState, evaluate
from leaderboards.core.ranking.rules import Update
from leaderboards.errors import BadEntry, BadTime, StandingChanged
from leaderboards.models import Period
from leaderboards.services.sync.mirror import active_period_of, mirror_letter
from leaderboards.stores.redis.stored_states import state_from, stored_state_text
from leaderboards.stores.redis.writes import ZsetRow, ZsetWriter


@dataclass(frozen=True, slots=True)
class RedisStanding:
    """A standing in Redis; without a score the player is not ranked."""

    score: float | None
    state: StandingState | None


def look(letter: DeadLetter, period: Period) -> RedisStanding:
    """Read the standing in Redis that the dead letter is about. Raises what the client raises."""
    player = letter.payload["player"]
    [found] = ZsetWriter(redis.boards()).look_up(period.part_of(player), [(player, None)])
    state = None if found.score is None else state_from(period, found.score, found.member, found.stored_state)
    return RedisStanding(found.score, state)


def read_state(period: Period, player: str, text: str, at: datetime) -> StandingState:
    """Parse the value that a person typed: points, or fields as JSON. Raises the errors of an entry."""
    value = {"points": text} if period.rules.of_points else {"fields": _read_fields(text)}
    entry = read_entry({"board": period.board_id, "player": player, "at": at.isoformat(), **value}, 0)
    if not period.window.contains(at):
        raise BadTime(Message("`at` lies outside period %(period)s.", period=period.label))
    state = StandingState(_value(period, entry), period.layout.quantize(milliseconds(at)))
    period.layout.pack(state.value, state.at_ms, player)
    return evaluate(period.rules, None, state)


def amend(letter: DeadLetter, state: StandingState, seen: float | None) -> str:
    """Set the standing, if its score is still ``seen``, and mirror it; returns why SQL still refuses it, or "".

    Raises what the client raises, ``PeriodClosed``, ``StorageUnavailable`` or ``StandingChanged``.
    """
    player = letter.payload["player"]
    with transaction.atomic():
        barrier.hold_shared(letter.payload["period"])
        period = active_period_of(letter)
        packed = period.layout.pack(state.value, state.at_ms, player)
        put = ZsetRow(player, packed.score, packed.member)
        if not ZsetWriter(redis.boards()).amend(period.part_of(player), put, stored_state_text(period, state), seen):
            raise StandingChanged(Message("%(player)s has scored meanwhile: look again.", player=player))
    return mirror_letter(letter, period)


def _read_fields(text: str) -> object:
    try:
        return read_json(text.encode())
    except ValueError as error:
        raise BadEntry(
            Message('The fields are written as JSON, such as {"stage": 12}. %(error)s', error=str(error))
        ) from error


def _value(period: Period, entry: Entry) -> tuple[int, ...]:
    """Return the value in scaled points or fields. A sum may exceed a single entry; ``evaluate`` checks its bounds."""
    if period.rules.update is Update.INCREMENT and entry.points is not None:
        return (scaled(entry.points, period.rules.decimals),)
    return read_value(period.rules, entry)
