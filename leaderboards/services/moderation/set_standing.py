"""Setting or removing a player's standing in the running period of a ``redis`` board; and undoing that.

The old and the new standing are on record. Redis is the authority for such a board: the standing is set there, if it is
still the one that the moderator saw, and the mirror copies it to SQL. The trap: the record is committed after Redis has
answered. If SQL is lost in between, Redis has the new standing without a record; the caller gets an error, and sees the
new standing when they look again. An undo that was cut off this way is repeated, and recorded then.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from foundation.audit import record
from foundation.audit.models import AuditEntry
from foundation.audit.undo import refuse_if_changed_since
from foundation.messages import Message
from foundation.reasons import reason_given
from foundation.redis import client as redis
from foundation.sync import barrier
from leaderboards.core.instants import from_milliseconds
from leaderboards.core.ranking.policies import StandingState
from leaderboards.errors import NotEditable, PeriodClosed, StandingChanged, StorageUnavailable, UnknownPlayer
from leaderboards.models import Period, PeriodState, Player, Storage
from leaderboards.services.moderation.edit import format_value
from leaderboards.services.moderation.remove import REMOVED
from leaderboards.services.players.profiles import refuse_erased
from leaderboards.services.sync.amend_dead_letter import RedisStanding
from leaderboards.stores.redis.stored_states import state_from, stored_state_text
from leaderboards.stores.redis.writes import ZsetRow, ZsetWriter

SET, UNDONE = "standing.set", "standing.set_undone"


@dataclass(frozen=True, slots=True)
class StandingChange:
    """The wanted ``state`` of a player in a period (None: not ranked), if Redis still has the score ``seen``."""

    period: int
    player: Player
    state: StandingState | None
    seen: float | None


class _Audit(NamedTuple):
    """Action, reason, time and actor for the audit log."""

    act: str
    reason: str
    at: datetime
    by: AbstractBaseUser | None


def standing_in_redis(period: Period, player: str) -> RedisStanding:
    """The player's standing in Redis. Raises as the Redis client."""
    [row] = ZsetWriter(redis.boards()).look_up(period.part_of(player), [(player, None)])
    state = None if row.score is None else state_from(period, row.score, row.member, row.stored_state)
    return RedisStanding(row.score, state)


def refuse_if_not_settable(period: Period) -> None:
    """Raise ``NotEditable``, ``PeriodClosed``, or ``StorageUnavailable`` while the period is being resynced.

    Not editable are boards whose standings follow from submissions, and competitions, which have actions of their own.
    """
    if period.board.storage == Storage.DYNAMODB:
        raise NotEditable(Message("A standing in DynamoDB is not set: remove the player, or hide them."))
    if period.board.storage != Storage.REDIS:
        raise NotEditable(Message("This board keeps submissions, which its standings follow from: edit or void those."))
    if period.board.is_event:
        raise NotEditable(
            Message("A standing of a competition is not set: take the player out of it, or bring them back.")
        )
    if period.state != PeriodState.OPEN:
        raise PeriodClosed(Message("Period %(period)s is closed; its standings stay as they are.", period=period.label))
    if period.is_stale:
        raise StorageUnavailable(
            Message("Period %(period)s is being brought up to date: try again in a moment.", period=period.label)
        )


def set_standing(wanted: StandingChange, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
    """Set the standing, or remove the player; False, with nothing changed, if it is the wanted one already.

    Raises ``BadReason``, ``StandingChanged``, ``UnknownPlayer`` (erased), as ``refuse_if_not_settable``, or as the
    Redis client.
    """
    reason = reason_given(reason)
    refuse_erased(wanted.player)
    with transaction.atomic():
        period, found = _check_unchanged(wanted)
        after = _as_stored(period, wanted)
        if found.state == after:
            return False
        _record(_Audit(SET, reason, at, by), period, wanted.player, found.state, after)
        _write(period, wanted)
    return True


def undo_set(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Give the player the standing from before the action of this entry.

    If they have it already, because an earlier undo was cut off before its record was committed, only the record is
    written. Raises ``StandingChanged`` if the standing is neither, ``NotUndoable`` if it was set or the player removed
    since, even to the same value, and as ``set_standing``.
    """
    player = Player.objects.filter(pk__in=entry.keys("player")).first()
    if player is None:
        raise UnknownPlayer(Message("There is no such player any more."))
    refuse_erased(player)
    with transaction.atomic():
        period = _period(entry.note["period"])
        found = standing_in_redis(period, player.external_id)
        before, after = standings_before_and_after(entry)
        if found.state not in (before, after):
            raise StandingChanged(
                Message("%(player)s has another standing since: set it anew instead.", player=player.external_id)
            )
        refuse_if_changed_since(entry, [SET, UNDONE], ["player"], period=period.pk)
        refuse_if_changed_since(entry, [REMOVED], ["player", "board"], period=period.label)
        _record(_Audit(UNDONE, reason, at, by), period, player, after, before)
        if found.state != before:
            _write(period, StandingChange(period.pk, player, before, found.score))


def standings_before_and_after(entry: AuditEntry) -> tuple[StandingState | None, StandingState | None]:
    """The standings before and after the action; None is not ranked, or an entry whose note was emptied."""
    before, after = (_from_note(entry.note.get(name)) for name in ("before", "after"))
    return before, after


def _check_unchanged(wanted: StandingChange) -> tuple[Period, RedisStanding]:
    period = _period(wanted.period)
    found = standing_in_redis(period, wanted.player.external_id)
    if found.score != wanted.seen:
        raise _changed_meanwhile(wanted.player)
    return period, found


def _period(number: int) -> Period:
    """The period; it cannot be closed until the transaction ends."""
    barrier.hold_shared(number)
    period = Period.objects.select_related("board").get(pk=number)
    refuse_if_not_settable(period)
    return period


def _write(period: Period, wanted: StandingChange) -> None:
    row, stored_state = _packed(period, wanted)
    part = period.part_of(row.player)
    if not ZsetWriter(redis.boards()).amend(part, row, stored_state, wanted.seen):
        raise _changed_meanwhile(wanted.player)


def _packed(period: Period, wanted: StandingChange) -> tuple[ZsetRow, str]:
    """The row for the sorted set, and the text for the hash of stored states."""
    player, state = wanted.player.external_id, wanted.state
    if state is None:
        return ZsetRow(player, None, player), ""
    packed = period.layout.pack(state.value, state.at_ms, player)
    return ZsetRow(player, packed.score, packed.member), stored_state_text(period, state)


def _as_stored(period: Period, wanted: StandingChange) -> StandingState | None:
    """The state as Redis will return it: not every board stores times."""
    row, stored_state = _packed(period, wanted)
    return None if row.score is None else state_from(period, row.score, row.member, stored_state)


def _changed_meanwhile(player: Player) -> StandingChanged:
    return StandingChanged(Message("%(player)s has scored meanwhile: look again.", player=player.external_id))


def _record(
    audit: _Audit, period: Period, player: Player, before: StandingState | None, after: StandingState | None
) -> None:
    record(
        audit.act,
        at=audit.at,
        by=audit.by,
        subjects=[("player", player.pk), ("board", period.board_id)],
        reason=audit.reason,
        before=_shown(period, before),
        after=_shown(period, after),
        note={"period": period.pk, "player": player.pk, "before": _note(before), "after": _note(after)},
    )


def _shown(period: Period, state: StandingState | None) -> dict[str, str]:
    if state is None:
        return {"worth": "not ranked"}
    return {"worth": format_value(period, state.value), "at": from_milliseconds(state.at_ms).isoformat()}


def _note(state: StandingState | None) -> list[object] | None:
    return None if state is None else [list(state.value), state.at_ms]


def _from_note(note: list[object] | None) -> StandingState | None:
    if note is None:
        return None
    value, at_ms = note
    return StandingState(tuple(value), at_ms)  # type: ignore[arg-type]  # the audit log has a value in the form that `_note` writes
