"""Score ranges: the standings of a divided period once more, cut by score instead of by player, to be read from.

A *place* is a score and a member, in the order in which Redis sorts. *Cuts* are places: range ``n`` has what stands at
or above cut ``n - 1`` and below cut ``n``, so equal scores may be in two ranges. What the partition of a
player has changed since, is *noted* there: the places at which the ranges may have the player.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

CLAIMED = "#"  # begins the line of a note that tells which pass has read it
HOT = 2  # a range with more than so many times its share is hot
RECUT_PLAYERS = 50  # a period with fewer players for each range is not cut anew


class Place(NamedTuple):
    """A score and a member."""

    score: float
    member: str

    @property
    def key(self) -> tuple[float, bytes]:
        """What Redis sorts by."""
        return self.score, self.member.encode()

    @property
    def text(self) -> str:
        """The place as partitions note it and scripts compare it."""
        return f"{self.score:.17g} {self.member}"


def place_of(text: str) -> Place:
    """Return the place that a text tells."""
    score, _, member = text.partition(" ")
    return Place(float(score), member)


class Note(NamedTuple):
    """What a partition has noted of a player: ``text`` as it stands there, and where the player is ``now``, if
    anywhere.

    The text has a line for each place at which ranges may have the player; a first line may tell who claimed it.
    """

    player: str
    text: str
    now: Place | None

    @property
    def places(self) -> list[Place]:
        """The places at which ranges may have the player."""
        return [place_of(line) for line in self.text.split("\n") if line and not line.startswith(CLAIMED)]


class Span(NamedTuple):
    """Rows of a range: so ``many`` from index ``first`` of its own, from the best on."""

    number: int
    first: int
    many: int


@dataclass(slots=True)
class RangeChange:
    """What is done to a range: members that leave it, and places that it gets."""

    removed: set[str] = field(default_factory=set)
    added: dict[str, float] = field(default_factory=dict)


def range_of(cuts: Sequence[Place], place: Place) -> int:
    """Return the number of the range that has a place."""
    return bisect_right(cuts, place.key, key=lambda cut: cut.key)


def ranges_of_score(cuts: Sequence[Place], score: float) -> range:
    """Return the numbers of the ranges that may have players with this score."""
    first = sum(cut.score < score for cut in cuts)
    return range(first, sum(cut.score <= score for cut in cuts) + 1)


def choose_cuts(sampled: Iterable[tuple[int, Sequence[Place]]], ranges: int) -> list[Place]:
    """Return up to ``ranges - 1`` cuts that give each range about as many players.

    ``sampled`` are partitions: how many players each has, and places at equal distances among them.
    """
    weights: dict[Place, float] = defaultdict(float)
    for size, places in sampled:
        for place in places:
            weights[place] += size / len(places)
    order = sorted(weights, key=lambda place: place.key)
    sums = list(accumulate(weights[place] for place in order))
    wanted = (sums[-1] * number / ranges for number in range(1, ranges)) if order else ()
    cuts = (order[min(bisect_right(sums, share), len(order) - 1)] for share in wanted)
    return list(dict.fromkeys(cuts))


def is_hot(sizes: Sequence[int]) -> bool:
    """Whether a range has so many more players than the others that the period should be cut anew."""
    total = sum(sizes)
    return total >= RECUT_PLAYERS * len(sizes) and max(sizes) * len(sizes) > HOT * total


def changes(notes: Iterable[Note], cuts: Sequence[Place]) -> dict[int, RangeChange]:
    """Return what the ranges lack of these notes, by number: each player leaves all other places for the present one.

    Doing it again changes nothing.
    """
    found: dict[int, RangeChange] = defaultdict(RangeChange)
    for note in notes:
        target = None if note.now is None else (range_of(cuts, note.now), note.now.member)
        for place in note.places:
            source = (range_of(cuts, place), place.member)
            if source != target:
                found[source[0]].removed.add(source[1])
        if note.now is not None:
            found[range_of(cuts, note.now)].added[note.now.member] = note.now.score
    return found


def places_by_range(places: Iterable[Place], cuts: Sequence[Place]) -> dict[int, RangeChange]:
    """Return what the ranges get of places that they lack, by number."""
    found: dict[int, RangeChange] = defaultdict(RangeChange)
    for place in places:
        found[range_of(cuts, place)].added[place.member] = place.score
    return found


def before(sizes: Sequence[int], number: int, is_descending: bool) -> int:
    """Return how many players are in better ranges than this one."""
    return sum(sizes[number + 1 :] if is_descending else sizes[:number])


def counts_at_cuts(sizes: Sequence[int], cuts: int, is_descending: bool) -> list[int]:
    """Return how many players the ranges have on the better side of each cut, and last of all."""
    return [*(before(sizes, nth + (not is_descending), is_descending) for nth in range(cuts)), sum(sizes)]


def spans(sizes: Sequence[int], is_descending: bool, first: int, count: int) -> Iterator[Span]:
    """Yield the rows from index ``first`` of all players on, from the best, range by range."""
    numbers = range(len(sizes))
    for number in reversed(numbers) if is_descending else numbers:
        taken = min(max(0, sizes[number] - first), count)
        if taken:
            yield Span(number, first, taken)
        first, count = max(0, first - sizes[number]), count - taken
