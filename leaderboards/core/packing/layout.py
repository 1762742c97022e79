"""Pack a value and a time into the float64 (and, if necessary, the member) that Redis sorts by, and unpack them.

A layout belongs to a period and is chosen when it opens. Everything that is packed is a whole number of fixed width.
The traps: float64 holds integers exactly only up to 2^53, and a pattern of 63 bits must stay below 0x7FF0000000000000,
where infinity begins.
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
from leaderboards.core.ranking.rules import Encoding, Rules, TieBreak
from leaderboards.errors import OutOfRange

INTEGER_BITS, PATTERN_BITS = 53, 63
NUMBER_DIGITS = 12  # of a player's number in the member of a compact period
LAST_NUMBER = 10**NUMBER_DIGITS - 1
INFINITY = 0x7FF0_0000_0000_0000

_PATTERN, _FLOAT = struct.Struct(">q"), struct.Struct(">d")


class Packed(NamedTuple):
    """A standing as it is in the sorted set."""

    score: float
    member: str


class Unpacked(NamedTuple):
    """The unpacked standing; the time is None if the layout has none."""

    value: tuple[int, ...]
    at_ms: int | None
    player: str


@dataclass(frozen=True)
class Layout:
    """How a period packs (see ``choose_layout``): ``slots`` are in the score, ``tail`` is in the member.

    A compact period has the player's number in front of the player in the member, so that SQL sorts equal scores as
    Redis does, which has the number alone.
    """

    rules: Rules
    window: Window
    slots: tuple[Slot, ...]
    tail: tuple[Slot, ...]
    in_member: bool

    @cached_property
    def time_slot(self) -> Slot | None:
        """The slot of the time, if there is one."""
        return next((slot for slot in self.slots + self.tail if slot.is_time), None)

    @cached_property
    def has_numbers(self) -> bool:
        """Whether members begin with the player's number."""
        return self.rules.encoding is Encoding.COMPACT

    @cached_property
    def is_integer(self) -> bool:
        """Whether the score is the packed number itself; else it is the float64 with the same bits."""
        return total_bits(self.slots) <= INTEGER_BITS

    @property
    def has_patterns_beyond(self) -> bool:
        """Whether some values that fit their bits make a pattern that is no number, and are refused."""
        pattern = 0
        for slot in self.slots:
            pattern = pattern << slot.bits | slot.top
        return not self.is_integer and pattern >= INFINITY

    @cached_property
    def resolution_ms(self) -> int:
        """1, or 1000 if the layout has seconds."""
        return self.time_slot.unit_ms if self.time_slot else 1

    @cached_property
    def time_bits(self) -> int:
        """The width of the time left in the low bits of an integer score; else 0."""
        last = self.slots[-1]
        return last.bits if last.name == TIME_LEFT and self.is_integer else 0

    @cached_property
    def decodes_in_lua(self) -> bool:
        """Whether the scripts can unpack it: ``score = base << time_bits | time``, on a board of points."""
        return self.rules.of_points and self.time_bits > 0

    @cached_property
    def shows_time(self) -> bool:
        """Whether ``unpack`` returns a time."""
        return self.time_slot is not None

    @cached_property
    def time_grows(self) -> bool:
        """Whether ``time_field`` and ``time_text`` grow with time."""
        return self.time_slot.sign > 0 if self.time_slot else greater_is_later(self.rules)

    def quantize(self, at_ms: int) -> int:
        """Round a time down to the layout's unit, and limit it to the period's end where time left is packed."""
        return min(at_ms - at_ms % self.resolution_ms, self._last_ms)

    def pack(self, value: tuple[int, ...], at_ms: int, player: str, number: int = 0) -> Packed:
        """Return the score and member of a standing. Raises ``OutOfRange`` if it does not fit.

        ``number`` is the player's in SQL: without it the member of a compact period is before all equal ones.
        """
        at_ms = min(at_ms, self._last_ms)
        pattern = 0
        for slot, source, unit_ms, sign, offset, top, bits in self._pack_steps:
            stored = sign * (at_ms // unit_ms if source == TIME else value[source]) + offset
            pattern = pattern << bits | (stored if 0 <= stored <= top else slot.encode(value, at_ms))
        member = player
        if self.tail:
            parts = [str(slot.encode(value, at_ms)).zfill(slot.digits) for slot in self.tail]
            member = f"{'_'.join(parts)}_{player}"
        elif self.has_numbers:
            member = f"{number:0{NUMBER_DIGITS}d}_{player}"
        return Packed(float(pattern) if self.is_integer else self._float_of(pattern), member)

    def unpack(self, score: float, member: str) -> Unpacked:
        """Return what was packed; the time is quantized."""
        pattern = self._pattern_of(score)
        by_source: dict[int, int] = {}
        for source, bits, mask, offset, step in self._unpack_steps:
            by_source[source] = ((pattern & mask) - offset) * step
            pattern >>= bits
        player = self.player_of(member)
        if self.tail:
            *parts, player = member.split("_", len(self.tail))
            for slot, part in zip(self.tail, parts, strict=True):
                by_source[slot.source] = slot.decode(int(part))
        at_ms = by_source.pop(TIME, None)
        return Unpacked(tuple(map(by_source.__getitem__, range(len(by_source)))), at_ms, player)

    def player_of(self, member: str) -> str:
        """Return the player in a member: the last part, which may contain ``_``."""
        return member.split("_", self.parts_before_player)[-1]

    def number_of(self, member: str) -> int | None:
        """Return the player's number in a member; None if members have none."""
        return int(member[:NUMBER_DIGITS]) if self.has_numbers else None

    def sortable_text(self, value: tuple[int, ...]) -> str:
        """Return the value as a text: scaled points, or digits of criteria, where the greater text is better."""
        if self.rules.of_points:
            return str(value[0])
        return "".join(
            str(part if field.order is Order.DESC else field.maximum - part).zfill(len(str(field.maximum)))
            for part, field in zip(value, self._fields, strict=True)
        )

    def time_field(self, at_ms: int) -> int:
        """Return the number in the ``time_bits`` of a score for ``at_ms``; 0 if there are none."""
        return self.slots[-1].encode((), min(at_ms, self._last_ms)) if self.time_bits else 0

    def time_text(self, at_ms: int) -> str:
        """Return the 19 digits of ``at_ms`` in a member, on a board of points in the member form."""
        slot = time_slot(self.rules)
        return str(slot.encode((), at_ms)).zfill(slot.digits)

    def describe(self) -> str:
        """Describe the layout in one sentence, for admins."""
        return layout_text.describe_layout(self.rules, self.slots, self.tail)

    @cached_property
    def parts_before_player(self) -> int:
        """How many parts of a member, each with a ``_`` behind it, stand before the player."""
        return len(self.tail) + self.has_numbers

    @cached_property
    def _last_ms(self) -> int:
        return self.time_slot.last_ms if self.time_slot else MAX_TIME_MS

    @cached_property
    def _pack_steps(self) -> tuple[tuple[Slot, int, int, int, int, int, int], ...]:
        """For ``pack``, per slot of the score: the slot, its source, unit, sign, offset, top and bits."""
        return tuple(
            (slot, slot.source, slot.unit_ms, slot.sign, slot.offset, slot.top, slot.bits) for slot in self.slots
        )

    @cached_property
    def _unpack_steps(self) -> tuple[tuple[int, int, int, int, int], ...]:
        """For ``unpack``, per slot of the score from the lowest bits: source, bits, mask, offset, step."""
        return tuple(
            (slot.source, slot.bits, (1 << slot.bits) - 1, slot.offset, slot.sign * slot.unit_ms)
            for slot in reversed(self.slots)
        )

    @cached_property
    def _fields(self) -> tuple[Criterion, ...]:
        return self.rules.fields

    def leading(self, score: float) -> int:
        """Return the most significant number of a score: scaled points, or the first criterion."""
        return self.slots[0].decode(self._pattern_of(score) >> total_bits(self.slots[1:]))

    def leading_span(self, start: int, stop: int) -> tuple[float, float]:
        """Return the range of scores, end excluded, whose leading number is ``start`` to ``stop - 1``."""
        first = self.slots[0]
        low, high = sorted((first.sign * start + first.offset, first.sign * (stop - 1) + first.offset))
        rest = total_bits(self.slots[1:])
        return self._bound_of(max(low, 0) << rest), self._bound_of((high + 1) << rest)

    def _pattern_of(self, score: float) -> int:
        return int(score) if self.is_integer else int(_PATTERN.unpack(_FLOAT.pack(score))[0])

    def _bound_of(self, pattern: int) -> float:
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
    """Choose the layout of a period that opens with ``rules``. Raises ``BadBoard``, with what would work."""
    layout = _layout(rules, window)
    if rules.is_compact and layout.in_member:
        raise layout_text.compact_without_members(rules, has_end=window.ends_at is not None)
    return layout


def _layout(rules: Rules, window: Window) -> Layout:
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
    """The time is a criterion, so no slot is added for it."""
    if total_bits(slots) <= PATTERN_BITS:
        return Layout(rules, window, slots, (), in_member=False)
    if rules.tie_break is TieBreak.SCORE:
        raise layout_text.too_wide_for_score(slots, PATTERN_BITS)
    return _in_member(rules, window, slots)


def _with_time_left(rules: Rules, window: Window, slots: tuple[Slot, ...]) -> Layout:
    """Milliseconds if they fit 53 bits; else the member form, unless the board wants the time in the score."""
    must_be_in_score = rules.tie_break is TieBreak.SCORE
    room = PATTERN_BITS if must_be_in_score and rules.criteria else INTEGER_BITS
    units = (1, 1000) if must_be_in_score else (1,)
    time_slots = [slot for unit_ms in units if (slot := time_left_slot(rules, window, unit_ms))]
    for slot in time_slots:
        if total_bits(slots) + slot.bits <= room:
            return Layout(rules, window, (*slots, slot), (), in_member=False)
    if must_be_in_score and time_slots:
        raise layout_text.no_room_for_time(rules, slots, time_slots[-1], room)
    return _in_member(rules, window, slots)


def _in_member(rules: Rules, window: Window, slots: tuple[Slot, ...]) -> Layout:
    """The member form: the score has the criteria that fit, the member the others and the time."""
    in_score = 1
    while in_score < len(slots) and total_bits(slots[: in_score + 1]) <= PATTERN_BITS:
        if slots[in_score].is_time and rules.tie_break is TieBreak.MEMBER:
            break
        in_score += 1
    tail = slots[in_score:] if rules.achieved_at else (*slots[in_score:], time_slot(rules))
    return Layout(rules, window, slots[:in_score], tail, in_member=True)
