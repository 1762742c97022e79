"""Layouts in words: what an admin reads about how a period packs, or why it cannot.

Only sentences are made here; every number in them is computed from the rules at hand. Points in
them are unscaled, as the admin entered them.
"""

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
    """A layout in one sentence: "31 bits of points, 20 bits of seconds: ties go to ..."."""
    packed = ", ".join(_sized(slot) for slot in in_score)
    if in_member:
        follows = _listed([_called(slot) for slot in in_member])
        packed += f"{';' if len(in_member) > 1 else ','} {follows} in the member"
    times = [slot for slot in in_score + in_member if slot.is_time]
    return f"{packed}: {_outcome(rules, times)}"


def too_wide_to_share(rules: Rules, slots: tuple[Slot, ...], room: int) -> BadBoard:
    """Criteria of a shared or dense board that do not fit a score."""
    return BadBoard(
        f"{_listed([_sized(slot) for slot in slots])} are {_bits(total_bits(slots))}; a score holds {room}, and "
        f"`ties: {rules.ties}` is told by the score alone: take {_bits(total_bits(slots) - room)} off the "
        "greatest values, or choose `first_come` or `last_come`.",
        "criteria",
    )


def too_wide_for_score(slots: tuple[Slot, ...], room: int) -> BadBoard:
    """Criteria, the time among them, that were asked to stand in the score and do not fit."""
    return BadBoard(
        f"{_listed([_sized(slot) for slot in slots])} are {_bits(total_bits(slots))}; a score holds {room}: take "
        f"{_bits(total_bits(slots) - room)} off the greatest values, or set `tie_break` to `auto` or `member`.",
        "tie_break",
    )


def no_room_for_time(rules: Rules, slots: tuple[Slot, ...], seconds: Slot, room: int) -> BadBoard:
    """Not even seconds fit beside the value, where the board asked for the time in the score."""
    needs = f"{_listed([_sized(slot) for slot in (*slots, seconds)])} do not fit the {room} bits of a score"
    left = room - seconds.bits
    if rules.of_points:
        highest = rules.minimum + 2**left - 1
        names = "`maximum` and `total_maximum`" if rules.maximum > highest else "`total_maximum`"
        lower = f"lower {names} to {rules.text(highest)}"
    else:
        lower = f"lower the greatest values of the criteria to {left} bits together"
    return BadBoard(f"{needs}: put the time in the member (`tie_break: member`), or {lower}.", "tie_break")


def past_infinity(first: Slot, last: int, room: int) -> str:
    """Why a value that its own bits hold is refused all the same. Stored turned round, the least are the greatest."""
    return (
        f"`{first.name}` may not go {'past' if first.sign > 0 else 'below'} {last} on this board: "
        f"its scores use all {room} bits, and the patterns beyond are no numbers."
    )


def _sized(slot: Slot) -> str:
    return f"{_bits(slot.bits)} of {_called(slot)}"


def _bits(count: int) -> str:
    return "1 bit" if count == 1 else f"{count} bits"


def _called(slot: Slot) -> str:
    if slot.name == TIME_LEFT:
        return f"{_UNITS[slot.unit_ms]}s"
    if slot.name == ACHIEVED_AT:
        return f"{ACHIEVED_AT} in {_UNITS[slot.unit_ms]}s"
    return "the time" if slot.is_time else slot.name


def _outcome(rules: Rules, times: list[Slot]) -> str:
    if not times:
        return _WINNERS[rules.ties]
    if rules.achieved_at:
        return f"the time counts as a criterion, to the {_UNITS[times[0].unit_ms]}"
    return f"{_WINNERS[rules.ties]}, to the {_UNITS[times[0].unit_ms]}"


def _listed(parts: list[str]) -> str:
    return " and ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else parts[0]
