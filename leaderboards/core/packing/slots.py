"""Slots: a slot is one whole number in a score or a member, computed from a part of the value or from the time.

What sorts against the board's order is stored inverted, so that packed numbers sort as the board does. ``layout``
decides which slots a period gets, and where.
"""

from dataclasses import dataclass, field

from foundation.messages import Message
from leaderboards.core.instants import milliseconds
from leaderboards.core.periods import Window
from leaderboards.core.ranking.criteria import Criterion, Order
from leaderboards.core.ranking.rules import Rules, Ties
from leaderboards.errors import OutOfRange

TIME = -1  # the source of a slot for the time
TIME_LEFT = "time left"
MAX_TIME_MS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Slot:
    """A stored number, ``sign * number + offset``, from 0 to ``top``.

    ``number`` is the part ``source`` of the value, or the time in units of ``unit_ms``.
    """

    name: str
    source: int
    sign: int
    offset: int
    top: int
    unit_ms: int = 1
    bits: int = field(init=False)
    digits: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", max(1, self.top.bit_length()))
        object.__setattr__(self, "digits", len(str(self.top)))

    @property
    def is_time(self) -> bool:
        """Whether it is for the time."""
        return self.source == TIME

    @property
    def last_ms(self) -> int:
        """The latest time that it can hold: time left is 0 from the window's end on."""
        if self.name != TIME_LEFT:
            return MAX_TIME_MS
        return self.decode(self.top if self.sign > 0 else 0)

    def encode(self, value: tuple[int, ...], at_ms: int) -> int:
        """Return the number to store. Raises ``OutOfRange`` if it does not fit."""
        number = at_ms // self.unit_ms if self.source == TIME else value[self.source]
        stored = self.sign * number + self.offset
        if 0 <= stored <= self.top:
            return stored
        if self.source == TIME:
            raise OutOfRange(Message("The time lies outside what this period's scores can hold. Nothing was changed."))
        raise OutOfRange(
            Message(
                "`%(field)s` lies outside what this period's scores can hold. Nothing was changed.", field=self.name
            )
        )

    def decode(self, stored: int) -> int:
        """Return the number that was encoded; a time in milliseconds."""
        return (stored - self.offset) * self.sign * self.unit_ms


def value_slots(rules: Rules) -> tuple[Slot, ...]:
    """Return a slot for the points, or one per criterion in their order, ``achieved_at`` included."""
    if rules.of_points:
        return (Slot("points", 0, 1, -rules.minimum, rules.total_maximum - rules.minimum),)
    sources = {criterion.name: source for source, criterion in enumerate(rules.fields)}
    return tuple(_criterion_slot(rules, each, sources.get(each.name, TIME)) for each in rules.criteria)


def time_left_slot(rules: Rules, window: Window, unit_ms: int) -> Slot | None:
    """Return a slot for the time left to the window's end, as narrow as possible; None if there is no end."""
    if window.starts_at is None or window.ends_at is None:
        return None
    end = milliseconds(window.ends_at) // unit_ms
    longest = end - milliseconds(window.starts_at) // unit_ms
    top = 2 ** max(1, longest.bit_length()) - 1
    if greater_is_later(rules):
        return Slot(TIME_LEFT, TIME, 1, top - end, top, unit_ms)
    return Slot(TIME_LEFT, TIME, -1, end, top, unit_ms)


def time_slot(rules: Rules) -> Slot:
    """Return the slot for the time in a member: 19 digits of milliseconds."""
    if greater_is_later(rules):
        return Slot("time", TIME, 1, 0, MAX_TIME_MS)
    return Slot("time", TIME, -1, MAX_TIME_MS, MAX_TIME_MS)


def total_bits(slots: tuple[Slot, ...]) -> int:
    """Return the number of bits of all slots."""
    return sum(slot.bits for slot in slots)


def greater_is_later(rules: Rules) -> bool:
    """Whether the later time must be the greater number for the better time to come first."""
    return (rules.order is Order.DESC) == (rules.ties is Ties.LAST_COME)


def _criterion_slot(rules: Rules, criterion: Criterion, source: int) -> Slot:
    unit_ms = criterion.resolution_ms if criterion.is_time else 1
    if criterion.order is rules.order:
        return Slot(criterion.name, source, 1, 0, criterion.maximum, unit_ms)
    return Slot(criterion.name, source, -1, criterion.maximum, criterion.maximum, unit_ms)
