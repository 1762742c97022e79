"""Sentences for admins about a layout, or why there is none. Points in them are unscaled, as the admin entered them."""

from leaderboards.core.packing.slots import TIME_LEFT, Slot, total_bits
from leaderboards.core.ranking.criteria import ACHIEVED_AT
from leaderboards.core.ranking.rules import Rules, Ties
from leaderboards.errors import BadBoard

_UNITS = {1: "millisecond", 1000: "second"}
_WINNERS = {
    Ties.FIRST_COME: "ties go to whoever was first",
    Ties.LAST_COME: "ties go to whoever was last",
    Ties.SHARED: "equals share a rank (1 1 3)",
    Ties.DENSE: "equals share a rank without gaps (1 1 2)",
}


def describe_layout(rules: Rules, in_score: tuple[Slot, ...], in_member: tuple[Slot, ...]) -> str:
    """Describe a layout in one sentence: "31 bits of points, 20 bits of seconds: ties go to ..."."""
    parts = ", ".join(_sized(slot) for slot in in_score)
    if in_member:
        member_parts = _joined([_name_of(slot) for slot in in_member])
        parts += f"{';' if len(in_member) > 1 else ','} {member_parts} in the member"
    times = [slot for slot in in_score + in_member if slot.is_time]
    return f"{parts}: {_tie_text(rules, times)}"


def too_wide_to_share(rules: Rules, slots: tuple[Slot, ...], room: int) -> BadBoard:
    """The criteria of a shared or dense board do not fit a score."""
    return BadBoard(
        f"{_joined([_sized(slot) for slot in slots])} are {_bits(total_bits(slots))}; a score holds {room}, and "
        f"`ties: {rules.ties}` is told by the score alone: take {_bits(total_bits(slots) - room)} off the "
        "greatest values, or choose `first_come` or `last_come`.",
        "criteria",
    )


def too_wide_for_score(slots: tuple[Slot, ...], room: int) -> BadBoard:
    """The criteria and the time must be in the score and do not fit."""
    return BadBoard(
        f"{_joined([_sized(slot) for slot in slots])} are {_bits(total_bits(slots))}; a score holds {room}: take "
        f"{_bits(total_bits(slots) - room)} off the greatest values, or set `tie_break` to `auto` or `member`.",
        "tie_break",
    )


def no_room_for_time(rules: Rules, slots: tuple[Slot, ...], seconds: Slot, room: int) -> BadBoard:
    """The time must be in the score, and not even seconds fit."""
    needs = f"{_joined([_sized(slot) for slot in (*slots, seconds)])} do not fit the {room} bits of a score"
    left = room - seconds.bits
    if rules.of_points:
        highest = rules.minimum + 2**left - 1
        names = "`maximum` and `total_maximum`" if rules.maximum > highest else "`total_maximum`"
        lower = f"lower {names} to {rules.text(highest)}"
    else:
        lower = f"lower the greatest values of the criteria to {left} bits together"
    return BadBoard(f"{needs}: put the time in the member (`tie_break: member`), or {lower}.", "tie_break")


def past_infinity(first: Slot, last: int, room: int) -> str:
    """Say why a value that fits its bits is refused. An inverted slot has its greatest numbers for the least values."""
    return (
        f"`{first.name}` may not go {'past' if first.sign > 0 else 'below'} {last} on this board: "
        f"its scores use all {room} bits, and the patterns beyond are no numbers."
    )


def _sized(slot: Slot) -> str:
    return f"{_bits(slot.bits)} of {_name_of(slot)}"


def _bits(count: int) -> str:
    return "1 bit" if count == 1 else f"{count} bits"


def _name_of(slot: Slot) -> str:
    if slot.name == TIME_LEFT:
        return f"{_UNITS[slot.unit_ms]}s"
    if slot.name == ACHIEVED_AT:
        return f"{ACHIEVED_AT} in {_UNITS[slot.unit_ms]}s"
    return "the time" if slot.is_time else slot.name


def _tie_text(rules: Rules, times: list[Slot]) -> str:
    if not times:
        return _WINNERS[rules.ties]
    if rules.achieved_at:
        return f"the time counts as a criterion, to the {_UNITS[times[0].unit_ms]}"
    return f"{_WINNERS[rules.ties]}, to the {_UNITS[times[0].unit_ms]}"


def _joined(parts: list[str]) -> str:
    return " and ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else parts[0]
