"""A figure: what the product did beside what its peer did, in turns, and whether that is enough.

Both sides do their work a pass each, one after the other, with fresh values; a pass gives one ratio, and the figure
is the median of the passes. The trap: only what lies between the two clock readings counts, so values are made before.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

Work = TypeVar("Work")


@dataclass(frozen=True, slots=True)
class Size:
    """How much to do: players on a board, seconds a side in a pass, passes."""

    players: int
    seconds: float
    passes: int

    @property
    def beside(self) -> int:
        """Passes of what is only printed beside a figure, or takes long."""
        return min(3, self.passes)


@dataclass(frozen=True, slots=True)
class Sample:
    """What one side did in one pass: ``count`` things in ``seconds``; and what else is worth keeping of it."""

    count: float
    seconds: float
    beside: dict[str, Any] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Things a second."""
        return self.count / self.seconds if self.seconds else 0.0

    def to_json(self) -> dict[str, Any]:
        return {"count": self.count, "seconds": round(self.seconds, 6)} | self.beside


@dataclass(frozen=True, slots=True)
class Bound:
    """Where a figure must be: at least ``least``, at most ``most``, or under ``under``."""

    least: float | None = None
    under: float | None = None
    most: float | None = None

    def is_missed(self, value: float) -> bool:
        """Whether the value is on the wrong side."""
        if self.least is not None and value < self.least:
            return True
        return (self.under is not None and value >= self.under) or (self.most is not None and value > self.most)

    def to_json(self) -> dict[str, float]:
        named = {"at_least": self.least, "under": self.under, "at_most": self.most}
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of output. ``value`` is None where it could not be measured, and ``why`` says why."""

    value: float | None
    bound: Bound = field(default_factory=Bound)
    ours: Sequence[Sample] = ()
    theirs: Sequence[Sample] = ()
    why: str = ""

    def __str__(self) -> str:
        if self.value is None:
            return f"not measured: {self.why}"
        return f"{rounded(self.value)}{' short' if self.is_short else ''}"

    @property
    def is_short(self) -> bool:
        """Whether it is below its bound."""
        return self.value is not None and self.bound.is_missed(self.value)

    def to_json(self) -> dict[str, Any]:
        return {
            "value": self.value,
            "bound": self.bound.to_json(),
            "short": self.is_short,
            "ours": [sample.to_json() for sample in self.ours],
            "theirs": [sample.to_json() for sample in self.theirs],
            **({"not_measured": self.why} if self.why else {}),
        }


def at_least(value: float) -> Bound:
    """More is better."""
    return Bound(least=value)


def under(value: float) -> Bound:
    """Less is better."""
    return Bound(under=value)


def at_most(value: float) -> Bound:
    """Less is better, and this much is enough."""
    return Bound(most=value)


def in_turns(
    passes: int, ours: Callable[[], Sample], theirs: Callable[[], Sample]
) -> tuple[list[Sample], list[Sample]]:
    """Product, peer, product, peer …: what both did, pass by pass."""
    pairs = [(ours(), theirs()) for _ in range(passes)]
    return [one for one, _ in pairs], [other for _, other in pairs]


def over(ours: Sequence[Sample], theirs: Sequence[Sample], bound: Bound = Bound()) -> Figure:
    """The product's rate over its peer's."""
    ratios = [one.rate / other.rate for one, other in zip(ours, theirs, strict=True) if other.rate]
    return Figure(statistics.median(ratios) if ratios else 0.0, bound, ours, theirs)


def ratio(passes: int, ours: Callable[[], Sample], theirs: Callable[[], Sample], bound: Bound) -> Figure:
    """Measure both in turns, and divide."""
    return over(*in_turns(passes, ours, theirs), bound)


def median_rate(samples: Sequence[Sample]) -> float:
    """Things a second, of the pass in the middle."""
    return rounded(statistics.median(sample.rate for sample in samples))


def spend(seconds: float, prepare: Callable[[], tuple[int, Work]], work: Callable[[Work], object]) -> Sample:
    """Do work for so many seconds. ``prepare`` makes the values of a piece, not on the clock, and says how many."""
    count, spent = 0, 0.0
    while spent < seconds:
        many, made = prepare()
        begun = time.perf_counter()
        work(made)
        spent += time.perf_counter() - begun
        count += many
    return Sample(count, spent)


def once(count: float, work: Callable[[], object]) -> Sample:
    """Do a piece of work once, which is so many things."""
    begun = time.perf_counter()
    work()
    return Sample(count, time.perf_counter() - begun)


def rounded(value: float) -> float:
    """Three digits that count, or whole numbers from a hundred on."""
    return float(round(value)) if abs(value) >= 100 else float(f"{value:.3g}")
