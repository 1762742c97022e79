"""A player's finished periods: streaks, medals, and how two players stood to each other. Values and rules only."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

MEDALS = (1, 2, 3)
TOP = 10


@dataclass(frozen=True, slots=True)
class Streak:
    """The longest run of finished periods that fulfil a condition, and the run that lasts until the latest one."""

    longest: int = 0
    current: int = 0


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """How often a player finished before, behind and level with another one, and how often each passed the other.

    ``last_pass`` is the index of the last meeting at which the order had changed, and ``passed_last`` is whether the
    player passed the other one then; None if the order never changed.
    """

    ahead: int = 0
    behind: int = 0
    level: int = 0
    passed: int = 0
    was_passed: int = 0
    last_pass: int | None = None
    passed_last: bool | None = None


def streak(ranks: Sequence[int | None], holds: Callable[[int], bool]) -> Streak:
    """Return the streak of the ``ranks`` (the earliest first, None: not ranked) that fulfil ``holds``."""
    longest = run = 0
    for rank in ranks:
        run = run + 1 if rank is not None and holds(rank) else 0
        longest = max(longest, run)
    return Streak(longest, run)


def medals(ranks: Iterable[int | None]) -> dict[int, int]:
    """Count the first, second and third ranks; ranks that never occur are left out."""
    counted = Counter(rank for rank in ranks if rank in MEDALS)
    return {rank: counted[rank] for rank in MEDALS if counted[rank]}


def head_to_head(meetings: Sequence[tuple[object, int, int]]) -> HeadToHead:
    """Compare two players who both finished in these periods: (board, own rank, other's rank), the earliest first.

    The order changes between two consecutive meetings on one board; a level finish changes nothing.
    """
    signs = [(other > own) - (other < own) for _, own, other in meetings]
    passed = was_passed = 0
    last: int | None = None
    by_board: dict[object, list[int]] = {}
    for nth, (board, _, _) in enumerate(meetings):
        if signs[nth]:
            by_board.setdefault(board, []).append(nth)
    for nths in by_board.values():
        for before, after in pairwise(nths):
            if signs[before] != signs[after]:
                passed, was_passed = passed + (signs[after] > 0), was_passed + (signs[after] < 0)
                last = after if last is None else max(last, after)
    return HeadToHead(
        signs.count(1),
        signs.count(-1),
        signs.count(0),
        passed,
        was_passed,
        last,
        None if last is None else signs[last] > 0,
    )
