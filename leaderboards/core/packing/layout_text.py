"""Sentences for admins about a layout, or why there is none. Points in them are unscaled, as the admin entered them."""

from collections.abc import Sequence
from functools import reduce

from foundation.messages import Message
from leaderboards.core.packing.slots import TIME_LEFT, Slot, total_bits
from leaderboards.core.ranking.criteria import ACHIEVED_AT
from leaderboards.core.ranking.rules import Rules, TieBreak, Ties
from leaderboards.errors import BadBoard

_UNIT = {1: Message("millisecond"), 1000: Message("second")}
_UNITS = {1: Message("milliseconds"), 1000: Message("seconds")}
_WINNERS = {
    Ties.FIRST_COME: Message("ties go to the first"),
    Ties.LAST_COME: Message("ties go to the last"),
    Ties.SHARED: Message("equals share a rank (1 1 3)"),
    Ties.DENSE: Message("equals share a rank without gaps (1 1 2)"),
}


def describe_layout(rules: Rules, in_score: tuple[Slot, ...], in_member: tuple[Slot, ...]) -> Message:
    """Describe a layout in one sentence: "31 bits of points, 20 bits of seconds: ties go to ..."."""
    parts = _listed([_sized(slot) for slot in in_score])
    if len(in_member) > 1:
        names = _joined([_name_of(slot) for slot in in_member])
        parts = Message("%(parts)s; %(names)s in the member", parts=parts, names=names)
    elif in_member:
        parts = Message("%(parts)s, %(name)s in the member", parts=parts, name=_name_of(in_member[0]))
    times = [slot for slot in in_score + in_member if slot.is_time]
    return Message("%(parts)s: %(ties)s", parts=parts, ties=_tie_text(rules, times))


def compact_without_members(rules: Rules, *, has_end: bool) -> BadBoard:
    """A compact board's time would be in the member; without an end of its period it cannot be in the score."""
    if not has_end:
        text = Message(
            "A compact board keeps no time in the member, and an all-time board has no end from which its score could "
            "count: choose shared `ties`, another `period`, or set `encoding` to `plain`."
        )
    elif rules.tie_break is TieBreak.MEMBER:
        text = Message(
            "A compact board keeps no time in the member: set `tie_break` to `score`, choose shared `ties`, or set "
            "`encoding` to `plain`."
        )
    elif rules.of_points:
        text = Message(
            "A compact board keeps no time in the member, and the score has no room for it: set `tie_break` to "
            "`score`, lower `maximum` and `total_maximum`, choose shared `ties`, or set `encoding` to `plain`."
        )
    else:
        text = Message(
            "A compact board keeps no time in the member, and beside its criteria the score has no room for it: lower "
            "the `max` of the criteria, choose shared `ties`, or set `encoding` to `plain`."
        )
    return BadBoard(text, "encoding")


def too_wide_to_share(rules: Rules, slots: tuple[Slot, ...], room: int) -> BadBoard:
    """The criteria of a shared or dense board do not fit a score."""
    return BadBoard(
        Message(
            "%(parts)s are %(bits)s; a score holds %(room)s, and `ties: %(ties)s` is told by the score alone: take "
            "%(over)s off the greatest values, or choose `first_come` or `last_come`.",
            parts=_joined([_sized(slot) for slot in slots]),
            bits=_bits(total_bits(slots)),
            room=room,
            ties=rules.ties.value,
            over=_bits(total_bits(slots) - room),
        ),
        "criteria",
    )


def too_wide_for_score(slots: tuple[Slot, ...], room: int) -> BadBoard:
    """The criteria and the time must be in the score and do not fit."""
    return BadBoard(
        Message(
            "%(parts)s are %(bits)s; a score holds %(room)s: take %(over)s off the greatest values, or set "
            "`tie_break` to `auto` or `member`.",
            parts=_joined([_sized(slot) for slot in slots]),
            bits=_bits(total_bits(slots)),
            room=room,
            over=_bits(total_bits(slots) - room),
        ),
        "tie_break",
    )


def no_room_for_time(rules: Rules, slots: tuple[Slot, ...], seconds: Slot, room: int) -> BadBoard:
    """The time must be in the score, and not even seconds fit."""
    left = room - seconds.bits
    if rules.of_points:
        highest = rules.minimum + 2**left - 1
        shown = rules.text(highest)
        lower = (
            Message("lower `maximum` and `total_maximum` to %(highest)s", highest=shown)
            if rules.maximum > highest
            else Message("lower `total_maximum` to %(highest)s", highest=shown)
        )
    else:
        lower = Message("lower the greatest values of the criteria to %(left)s bits together", left=left)
    parts = _joined([_sized(slot) for slot in (*slots, seconds)])
    if rules.is_compact:
        text = Message(
            "%(parts)s do not fit the %(room)s bits of a score, and a compact board keeps no time in the member: set "
            "`encoding` to `plain`, or %(lower)s.",
            parts=parts,
            room=room,
            lower=lower,
        )
    else:
        text = Message(
            "%(parts)s do not fit the %(room)s bits of a score: put the time in the member (`tie_break: member`), or "
            "%(lower)s.",
            parts=parts,
            room=room,
            lower=lower,
        )
    return BadBoard(text, "encoding" if rules.is_compact else "tie_break")


def past_infinity(first: Slot, last: int, room: int) -> Message:
    """Say why a value that fits its bits is refused. An inverted slot has its greatest numbers for the least values."""
    if first.sign > 0:
        return Message(
            "`%(name)s` may not go past %(last)s on this board: its scores use all %(room)s bits, and the patterns "
            "beyond are no numbers.",
            name=first.name,
            last=last,
            room=room,
        )
    return Message(
        "`%(name)s` may not go below %(last)s on this board: its scores use all %(room)s bits, and the patterns "
        "beyond are no numbers.",
        name=first.name,
        last=last,
        room=room,
    )


def _sized(slot: Slot) -> Message:
    return Message("%(bits)s of %(name)s", bits=_bits(slot.bits), name=_name_of(slot))


def _bits(count: int) -> Message:
    return Message("1 bit") if count == 1 else Message("%(count)s bits", count=count)


def _name_of(slot: Slot) -> str:
    if slot.name == TIME_LEFT:
        return _UNITS[slot.unit_ms]
    if slot.name == ACHIEVED_AT:
        return Message("achieved_at in %(units)s", units=_UNITS[slot.unit_ms])
    if slot.is_time:
        return Message("the time")
    return Message("points") if slot.name == "points" else slot.name


def _tie_text(rules: Rules, times: list[Slot]) -> Message:
    if not times:
        return _WINNERS[rules.ties]
    if rules.achieved_at:
        return Message("the time counts as a criterion, to the %(unit)s", unit=_UNIT[times[0].unit_ms])
    return Message("%(winners)s, to the %(unit)s", winners=_WINNERS[rules.ties], unit=_UNIT[times[0].unit_ms])


def _listed(parts: Sequence[str]) -> str:
    return reduce(lambda before, last: Message("%(before)s, %(last)s", before=before, last=last), parts)


def _joined(parts: Sequence[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    return Message("%(before)s and %(last)s", before=_listed(parts[:-1]), last=parts[-1])
