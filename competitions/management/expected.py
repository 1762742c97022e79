"""Compute the expected outcome of a competition in the plainest way: sorted lists, and every pair compared.

It shares no code with the services, so that a rehearsal can check them. It supports one kind of board: the best points
count, and of equal scores the earlier second is ahead.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

GOALS = (("first_taken", 1), ("top3_entered", 3), ("top10_entered", 10))
Passed = dict[tuple[int, str], str]
Won = tuple[str, str]  # a prize, and who has it


@dataclass(frozen=True, slots=True)
class AcceptedScore:
    """An accepted submission."""

    player: str
    points: int
    at: datetime


@dataclass(frozen=True, slots=True)
class ExpectedSnapshot:
    """A snapshot, by its number, with the ranks of players."""

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


@dataclass(frozen=True, slots=True)
class Result:
    """A published result: final ranks, the won (prize, player) pairs, and the players who are notified."""

    at: datetime
    ranks: Mapping[str, int]
    won: Set[tuple[str, str]]
    listeners: Sequence[str]


class ExpectedNotice(NamedTuple):
    """A notice: its kind, its player, what it is about, as text, and its time."""

    kind: str
    player: str
    about: str
    at: datetime


def best(counted: Iterable[AcceptedScore]) -> dict[str, AcceptedScore]:
    """Return each player's best score."""
    best_scores: dict[str, AcceptedScore] = {}
    for each in counted:
        current = best_scores.get(each.player)
        if current is None or (each.points, -_second(each)) > (current.points, -_second(current)):
            best_scores[each.player] = each
    return best_scores


def ranking(counted: Iterable[AcceptedScore]) -> dict[str, int]:
    """Return player → rank. If points and seconds are equal, the greater id is ahead."""
    listed = sorted(best(counted).values(), key=lambda each: each.player.encode(), reverse=True)
    listed.sort(key=lambda each: (-each.points, _second(each)))
    return {each.player: rank for rank, each in enumerate(listed, start=1)}


def notices(snapshots: Sequence[ExpectedSnapshot], with_alerts: Collection[int], alerts: Collection[str]) -> Passed:
    """Return (snapshot, player) → alert. ``with_alerts`` are the numbers of snapshots that cause alerts."""
    in_order = sorted(snapshots, key=lambda snapshot: snapshot.due_at)
    expected: Passed = {}
    for before, after in pairwise(in_order):
        if after.number in with_alerts:
            for player in before.ranks.keys() | after.ranks.keys():
                if kind := passage(player, before.ranks, after.ranks, alerts):
                    expected[after.number, player] = kind
    return expected


def passage(player: str, before: Mapping[str, int], after: Mapping[str, int], alerts: Collection[str]) -> str | None:
    """Return the highest of the wanted alerts that a player reached between two snapshots by overtaking another player.

    A player who is missing in one of the snapshots neither overtakes nor is overtaken. The overtaken player need not
    have held the place.
    """
    was, now = before.get(player, inf), after.get(player, inf)
    if inf in (was, now):
        return None
    others = [(before[other], after[other]) for other in before if other in after and other != player]
    if was == 1 and any(theirs < now for _, theirs in others):
        return "first_lost" if "first_lost" in alerts else None
    if not any(earlier < was and theirs >= now for earlier, theirs in others):
        return None
    wanted = [(name, goal) for name, goal in GOALS if name in alerts and len(before) >= goal and len(after) > goal]
    return next((name for name, goal in wanted if now <= goal < was), None)


def rewards(prizes: Iterable[Prize], counted: Collection[AcceptedScore]) -> set[tuple[str, str]]:
    """Return the (prize, player) pairs of all earned prizes."""
    ranks, points = ranking(counted), {player: each.points for player, each in best(counted).items()}
    return {(prize.name, player) for prize in prizes for player in ranks if _earns(prize, player, ranks, points)}


def outcomes(results: Iterable[Result], prizes: Iterable[Prize]) -> Iterator[ExpectedNotice]:
    """Yield the notices of each result in turn: a new or changed place, and won and lost prizes; a prize that replaces
    another of its kind is one notice."""
    places: dict[str, int | None] = {}
    held: Set[Won] = frozenset()
    kinds = {prize.name: prize.kind for prize in prizes}
    for each in results:
        for player in each.listeners:
            rank, was = each.ranks.get(player), places.get(player)
            if rank != was:
                yield ExpectedNotice(
                    "result_changed" if player in places else "result", player, moved(was, rank), each.at
                )
                places[player] = rank
        swaps = _swaps(held - each.won, each.won - held, kinds)
        won, lost = each.won - held - {now for _, now in swaps}, held - each.won - {before for before, _ in swaps}
        yield from (ExpectedNotice("rewarded", player, prize, each.at) for prize, player in won)
        yield from (ExpectedNotice("reward_revoked", player, prize, each.at) for prize, player in lost)
        for (before, player), (now, _) in swaps:
            yield ExpectedNotice("reward_changed", player, moved(before, now), each.at)
        held = each.won


def lost(results: Iterable[Result]) -> Iterator[Won]:
    """Yield the prizes that each result revokes."""
    for before, after in pairwise(results):
        yield from before.won - after.won


def _swaps(lost: Set[Won], won: Set[Won], kinds: Mapping[str, str]) -> list[tuple[Won, Won]]:
    """Pair each lost prize with a prize of the same kind that the player won instead."""
    found: list[tuple[Won, Won]] = []
    for before in sorted(lost):
        taken = [now for _, now in found]
        fit = [each for each in sorted(won) if each[1] == before[1] and kinds[each[0]] == kinds[before[0]]]
        found += [(before, now) for now in fit if now not in taken][:1]
    return found


def moved(was: object, rank: object) -> str:
    """Return a change of place or prize as text."""
    return f"{was or 'none'} to {rank or 'none'}"


def broken(documents: Sequence[bytes]) -> int:
    """Count the published results with a wrong hash, or that do not follow the one before.

    The hash is the first member of each, SHA-256 over its bytes without those 64 digits.
    """
    wrong, previous_hash = 0, ""
    for number, document in enumerate(documents, start=1):
        content_hash, rest = document[17:81], document[:17] + document[81:]
        content = published(document)
        has_hash = document[:17] == b'{"content_hash":"' and hashlib.sha256(rest).hexdigest().encode() == content_hash
        follows = content.get("revision") == number and content.get("previous_hash") == previous_hash
        wrong += not (has_hash and follows)
        previous_hash = content_hash.decode(errors="replace")
    return wrong


def published(document: bytes) -> dict[str, Any]:
    """Parse a published result; empty if it is not a JSON object."""
    try:
        content = json.loads(document)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _earns(prize: Prize, player: str, ranks: Mapping[str, int], points: Mapping[str, int]) -> bool:
    if prize.kind == "points":
        return points[player] >= prize.limit
    if prize.kind == "percent":
        return 100 * (ranks[player] - 1) < len(ranks) * prize.limit
    return prize.from_rank <= ranks[player] <= prize.limit


def _second(each: AcceptedScore) -> int:
    return int(each.at.timestamp())
