"""How strong the demo's players are: a long tail, gaps that can be seen, and a few who are close to each other.

Places on a board and what they are worth are the same in the demo's history and for its simulated players, so standings
keep their shape while everybody plays on. Standard library only.
"""

import math
import random
from collections.abc import Iterator, Sequence
from itertools import cycle

FIRST = "robin"  # whose login the demo prints
FIRSTS_PLACE = 12
FIRSTS_BOARD = "Weekly wins"  # where they have that place; elsewhere it is drawn
TAIL = 40  # places; whoever is behind plays as seldom as the last of them
GROUPS = (1, 2, 1, 3, 1, 2, 3, 1, 2, 4, 1)  # how many are about level, from the first place on; then from the start


def places(players: Sequence[str], board: str) -> dict[str, int]:
    """Return the place of each player on a board by strength, from 0; the same on every machine."""
    drawn = list(players)
    random.Random(f"strength {board}").shuffle(drawn)
    if board == FIRSTS_BOARD and FIRST in drawn and len(drawn) >= FIRSTS_PLACE:
        drawn.remove(FIRST)
        drawn.insert(FIRSTS_PLACE - 1, FIRST)
    return {player: place for place, player in enumerate(drawn)}


def group_of(place: int) -> range:
    """Return the places that are about level with this one."""
    return next(group for group in _groups() if place in group)


def share(place: int) -> float:
    """Return what a place gains as a share of what the first one gains: 1 for the first, some hundredths at the end."""
    first = group_of(min(place, TAIL - 1)).start
    return (1 - 0.9 * (first / TAIL) ** 2) / (1 + math.pow(first / 9, 1.3))


def _groups() -> Iterator[range]:
    first = 0
    for size in cycle(GROUPS):
        yield range(first, first + size)
        first += size
