"""What a competition must have come to, worked out in the plainest way: sorted lists, and every pair compared.

It shares nothing with the services, so that a rehearsal can hold them to it. It knows one kind of board: the best
points count, and of equals the earlier second is ahead.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import inf

GOALS = (("first_taken", 1), ("top3_entered", 3), ("top10_entered", 10))
Passed = dict[tuple[int, str], str]


@dataclass(frozen=True, slots=True)
class Counted:
    """A submission that was accepted."""

    player: str
    points: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Look:
    """A snapshot, by its number, and who stood where."""

    number: int
    due_at: datetime
    ranks: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Prize:
    """A tier of rewards; ``kind`` is ``rank``, ``percent`` or ``points``."""

    name: str
    kind: str
    limit: float
    from_rank: int = 1


def best(counted: Iterable[Counted]) -> dict[str, Counted]:
    """What counts of each player."""
    found: dict[str, Counted] = {}
    for each in counted:
        held = found.get(each.player)
        if held is None or (each.points, -_second(each)) > (held.points, -_second(held)):
            found[each.player] = each
    return found


def ranking(counted: Iterable[Counted]) -> dict[str, int]:
    """Player → rank. Of those who are equal to the second, the greater id is ahead."""
    listed = sorted(best(counted).values(), key=lambda each: each.player.encode(), reverse=True)
    listed.sort(key=lambda each: (-each.points, _second(each)))
    return {each.player: rank for rank, each in enumerate(listed, start=1)}


def notices(looks: Sequence[Look], told: Collection[int], alerts: Collection[str]) -> Passed:
    """(snapshot, player) → what they hear. ``told`` are the snapshots that anybody hears of."""
    in_order = sorted(looks, key=lambda look: look.due_at)
    found: Passed = {}
    for before, after in pairwise(in_order):
        if after.number in told:
            for player in before.ranks.keys() | after.ranks.keys():
                if kind := passage(player, before.ranks, after.ranks, alerts):
                    found[after.number, player] = kind
    return found


def passage(player: str, before: Mapping[str, int], after: Mapping[str, int], alerts: Collection[str]) -> str | None:
    """The highest goal that somebody came to between two looks by passing one who held it, of those announced."""
    was, now = before.get(player, inf), after.get(player, inf)
    if was == 1 and now > 1:
        return "first_lost" if "first_lost" in alerts and after else None
    return next(
        (
            name
            for name, goal in GOALS
            if name in alerts
            and now <= goal < was
            and len(before) >= goal
            and len(after) > goal
            and any(before[other] < was and after.get(other, 0) >= now for other in before)
        ),
        None,
    )


def rewards(prizes: Iterable[Prize], counted: Collection[Counted]) -> set[tuple[str, str]]:
    """(prize, player) of everybody who earns one."""
    ranks, points = ranking(counted), {player: each.points for player, each in best(counted).items()}
    return {(prize.name, player) for prize in prizes for player in ranks if _earns(prize, player, ranks, points)}


def _earns(prize: Prize, player: str, ranks: Mapping[str, int], points: Mapping[str, int]) -> bool:
    if prize.kind == "points":
        return points[player] >= prize.limit
    if prize.kind == "percent":
        return 100 * (ranks[player] - 1) < len(ranks) * prize.limit
    return prize.from_rank <= ranks[player] <= prize.limit


def _second(each: Counted) -> int:
    return int(each.at.timestamp())
