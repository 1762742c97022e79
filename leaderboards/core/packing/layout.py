"""How a value and a time become the one float64 (and, at need, the member) that Redis sorts by, and back.

A layout belongs to a period and is chosen when it opens. Everything packed is a whole number of
fixed width. The traps: float64 keeps integers exactly only to 2^53, and a pattern of 63 bits must
stay below 0x7FF0000000000000, where infinity begins.
"""

import struct
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from leaderboards.core.packing import layout_text
from leaderboards.core.packing.slots import (
    MAX_TIME_MS,
    TIME,
    TIME_LEFT,
    Slot,
    greater_is_later,
    time_left_slot,
    time_slot,
    total_bits,
    value_slots,
)
from leaderboards.core.periods import Window
from leaderboards.core.ranking.criteria import Criterion, Order
from leaderboards.core.ranking.rules import Rules, TieBreak
from leaderboards.errors import OutOfRange

INTEGER_BITS, PATTERN_BITS = 53, 63
INFINITY = 0x7FF0_0000_0000_0000

_PATTERN, _FLOAT = struct.Struct(">q"), struct.Struct(">d")


class Packed(NamedTuple):
    """What a sorted set keeps of a standing."""

    score: float
    member: str


class Unpacked(NamedTuple):
    """What was packed; the time is None where the layout keeps none."""

    value: tuple[int, ...]
    at_ms: int | None
    player: str


@dataclass(frozen=True)
class Layout:
    """How one period packs, by ``choose_layout``: ``slots`` fill the score, ``tail`` precedes the player."""

    rules: Rules
    window: Window
    slots: tuple[Slot, ...]
    tail: tuple[Slot, ...]
    in_member: bool

    @cached_property
    def time_slot(self) -> Slot | None:
        """Where the time stands, if it does."""
        return next((slot for slot in self.slots + self.tail if slot.is_time), None)

    @cached_property
    def is_integer(self) -> bool:
        """Whether the score is the packed number itself; else the float64 of the same bits."""
        return total_bits(self.slots) <= INTEGER_BITS

    @cached_property
    def time_in_score(self) -> bool:
        """Whether the score says when."""
        return any(slot.is_time for slot in self.slots)

    @cached_property
    def resolution_ms(self) -> int:
        """1, or 1000 where the layout keeps seconds."""
        return self.time_slot.unit_ms if self.time_slot else 1

    @cached_property
    def time_bits(self) -> int:
        """Width of the time left at the low end of an integer score; else 0."""
        last = self.slots[-1]
        return last.bits if last.name == TIME_LEFT and self.is_integer else 0

    @cached_property
    def decodes_in_lua(self) -> bool:
        """Whether ``score = base << time_bits | time``, on a board of points."""
        return self.rules.of_points and self.time_bits > 0

    @cached_property
    def shows_time(self) -> bool:
        """Whether ``unpack`` gives a time."""
        return self.time_slot is not None

    @cached_property
    def time_grows(self) -> bool:
        """Whether ``time_field`` and ``time_text`` grow with the time."""
        return self.time_slot.sign > 0 if self.time_slot else greater_is_later(self.rules)

    def quantize(self, at_ms: int) -> int:
        """The time as this layout keeps it: in whole seconds where it packs those, at most the end."""
        return min(at_ms - at_ms % self.resolution_ms, self._last_ms)

    def pack(self, value: tuple[int, ...], at_ms: int, player: str) -> Packed:
        """The score and member of a standing. Raises ``OutOfRange`` for what does not fit."""
        at_ms = min(at_ms, self._last_ms)
        pattern = 0
        for slot, source, unit_ms, sign, offset, top, bits in self._takes:
            stored = sign * (at_ms // unit_ms if source == TIME else value[source]) + offset
            pattern = pattern << bits | (stored if 0 <= stored <= top else slot.encode(value, at_ms))
        member = player
        if self.tail:
            parts = [str(slot.encode(value, at_ms)).zfill(slot.digits) for slot in self.tail]
            member = f"{'_'.join(parts)}_{player}"
        return Packed(float(pattern) if self.is_integer else self._float_of(pattern), member)

    def unpack(self, score: float, member: str) -> Unpacked:
        """What ``pack`` was given, its time as ``quantize`` leaves it."""
        pattern = self._pattern_of(score)
        found: dict[int, int] = {}
        for source, bits, mask, offset, step in self._reads:
            found[source] = ((pattern & mask) - offset) * step
            pattern >>= bits
        player = member
        if self.tail:
            *parts, player = member.split("_", len(self.tail))
            for slot, part in zip(self.tail, parts, strict=True):
                found[slot.source] = slot.decode(int(part))
        at_ms = found.pop(TIME, None)
        return Unpacked(tuple(map(found.__getitem__, range(len(found)))), at_ms, player)

    def player_of(self, member: str) -> str:
        """The player in a member: the last part, which may itself contain ``_``."""
        return member.split("_", len(self.tail))[-1]

    def sortable_text(self, value: tuple[int, ...]) -> str:
        """On boards of points the scaled points; else digits, the greater text the better value."""
        if self.rules.of_points:
            return str(value[0])
        return "".join(
            str(part if field.order is Order.DESC else field.maximum - part).zfill(len(str(field.maximum)))
            for part, field in zip(value, self._fields, strict=True)
        )

    def time_field(self, at_ms: int) -> int:
        """What the ``time_bits`` of a score hold for ``at_ms``; 0 where there are none."""
        return self.slots[-1].encode((), min(at_ms, self._last_ms)) if self.time_bits else 0

    def time_text(self, at_ms: int) -> str:
        """The 19 digits that a member begins with for ``at_ms``, on a board of points in the member form."""
        slot = time_slot(self.rules)
        return str(slot.encode((), at_ms)).zfill(slot.digits)

    def describe(self) -> str:
        """One sentence for admins."""
        return layout_text.describe_layout(self.rules, self.slots, self.tail)

    @cached_property
    def _last_ms(self) -> int:
        return self.time_slot.last_ms if self.time_slot else MAX_TIME_MS

    @cached_property
    def _takes(self) -> tuple[tuple[Slot, int, int, int, int, int, int], ...]:
        """What ``pack`` does for each slot of the score: the slot, its source, unit, sign, offset, top and bits."""
        return tuple(
            (slot, slot.source, slot.unit_ms, slot.sign, slot.offset, slot.top, slot.bits) for slot in self.slots
        )

    @cached_property
    def _reads(self) -> tuple[tuple[int, int, int, int, int], ...]:
        """What ``unpack`` does for each slot of the score, from the low end: source, bits, mask, offset, step."""
        return tuple(
            (slot.source, slot.bits, (1 << slot.bits) - 1, slot.offset, slot.sign * slot.unit_ms)
            for slot in reversed(self.slots)
        )

    @cached_property
    def _fields(self) -> tuple[Criterion, ...]:
        return self.rules.fields

    def leading(self, score: float) -> int:
        """The number that a score is compared by first: scaled points, or the first criterion."""
        return self.slots[0].decode(self._pattern_of(score) >> total_bits(self.slots[1:]))

    def leading_span(self, start: int, stop: int) -> tuple[float, float]:
        """The scores whose leading number is ``start`` to ``stop - 1``: from, and up to but not including."""
        first = self.slots[0]
        low, high = sorted((first.sign * start + first.offset, first.sign * (stop - 1) + first.offset))
        rest = total_bits(self.slots[1:])
        return self._edge(max(low, 0) << rest), self._edge((high + 1) << rest)

    def _pattern_of(self, score: float) -> int:
        return int(score) if self.is_integer else int(_PATTERN.unpack(_FLOAT.pack(score))[0])

    def _edge(self, pattern: int) -> float:
        if self.is_integer:
            return float(pattern)
        return float(_FLOAT.unpack(_PATTERN.pack(min(pattern, INFINITY)))[0])

    def _float_of(self, pattern: int) -> float:
        if pattern >= INFINITY:
            first = self.slots[0]
            last = first.decode((INFINITY >> total_bits(self.slots[1:])) - 1)
            raise OutOfRange(layout_text.past_infinity(first, last, PATTERN_BITS))
        return float(_FLOAT.unpack(_PATTERN.pack(pattern))[0])


def choose_layout(rules: Rules, window: Window) -> Layout:
    """The layout of a period that opens with ``rules``. Raises ``BadBoard`` with what would work."""
    slots = value_slots(rules)
    if not rules.ties.by_time:
        if total_bits(slots) > PATTERN_BITS:
            raise layout_text.too_wide_to_share(rules, slots, PATTERN_BITS)
        return Layout(rules, window, slots, (), in_member=False)
    if rules.tie_break is TieBreak.MEMBER:
        return _in_member(rules, window, slots)
    if rules.achieved_at:
        return _with_achieved_at(rules, window, slots)
    return _with_time_left(rules, window, slots)


def _with_achieved_at(rules: Rules, window: Window, slots: tuple[Slot, ...]) -> Layout:
    """The time is a criterion, so nothing is added to it."""
    if total_bits(slots) <= PATTERN_BITS:
        return Layout(rules, window, slots, (), in_member=False)
    if rules.tie_break is TieBreak.SCORE:
        raise layout_text.too_wide_for_score(slots, PATTERN_BITS)
    return _in_member(rules, window, slots)


def _with_time_left(rules: Rules, window: Window, slots: tuple[Slot, ...]) -> Layout:
    """Milliseconds if they fit 53 bits; else the member, unless the board asks for seconds or more bits."""
    asked = rules.tie_break is TieBreak.SCORE
    room = PATTERN_BITS if asked and rules.criteria else INTEGER_BITS
    units = (1, 1000) if asked else (1,)
    lefts = [left for unit_ms in units if (left := time_left_slot(rules, window, unit_ms))]
    for left in lefts:
        if total_bits(slots) + left.bits <= room:
            return Layout(rules, window, (*slots, left), (), in_member=False)
    if asked and lefts:
        raise layout_text.no_room_for_time(rules, slots, lefts[-1], room)
    return _in_member(rules, window, slots)


def _in_member(rules: Rules, window: Window, slots: tuple[Slot, ...]) -> Layout:
    """The member form: what fits stays in the score, the other criteria and the time precede the player."""
    fitting = 1
    while fitting < len(slots) and total_bits(slots[: fitting + 1]) <= PATTERN_BITS:
        if slots[fitting].is_time and rules.tie_break is TieBreak.MEMBER:
            break
        fitting += 1
    tail = slots[fitting:] if rules.achieved_at else (*slots[fitting:], time_slot(rules))
    return Layout(rules, window, slots[:fitting], tail, in_member=True)
