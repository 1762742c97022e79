"""What a competition must have come to, worked out in the plainest way: sorted lists, and every pair compared.

It shares nothing with the services, so that a rehearsal can hold them to it. It knows one kind of board: the best
points count, and of equals the earlier second is ahead.
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
    """A submission that was accepted."""

    player: str
    points: int
    at: datetime


@dataclass(frozen=True, slots=True)
class ExpectedSnapshot:
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


@dataclass(frozen=True, slots=True)
class Result:
    """A result as it was published: final ranks, (prize, player) of what is won, and who is told."""

    at: datetime
    ranks: Mapping[str, int]
    won: Set[tuple[str, str]]
    listeners: Sequence[str]


class ExpectedNotice(NamedTuple):
    """A notice: its kind, who hears it, when, and what it is about, in words."""

    kind: str
    player: str
    about: str
    at: datetime


def best(counted: Iterable[AcceptedScore]) -> dict[str, AcceptedScore]:
    """What counts of each player."""
    found: dict[str, AcceptedScore] = {}
    for each in counted:
        held = found.get(each.player)
        if held is None or (each.points, -_second(each)) > (held.points, -_second(held)):
            found[each.player] = each
    return found


def ranking(counted: Iterable[AcceptedScore]) -> dict[str, int]:
    """Player → rank. Of those who are equal to the second, the greater id is ahead."""
    listed = sorted(best(counted).values(), key=lambda each: each.player.encode(), reverse=True)
    listed.sort(key=lambda each: (-each.points, _second(each)))
    return {each.player: rank for rank, each in enumerate(listed, start=1)}


def notices(looks: Sequence[ExpectedSnapshot], told: Collection[int], alerts: Collection[str]) -> Passed:
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
    """The highest goal that somebody came to between two looks by passing anybody, of those announced.

    Who has no place in one of the looks neither passed anybody nor was passed. Those who were passed need not have held
    the place: without passing them the other would have moved up to it.
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
    """(prize, player) of everybody who earns one."""
    ranks, points = ranking(counted), {player: each.points for player, each in best(counted).items()}
    return {(prize.name, player) for prize in prizes for player in ranks if _earns(prize, player, ranks, points)}


def outcomes(results: Iterable[Result], prizes: Iterable[Prize]) -> Iterator[ExpectedNotice]:
    """What is heard of each result in turn: a place that is new or another, what is won, and what is lost again; one
    thing where a prize of ``prizes`` takes the place of another of its kind."""
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
    """What each result takes away again."""
    for before, after in pairwise(results):
        yield from before.won - after.won


def _swaps(lost: Set[Won], won: Set[Won], kinds: Mapping[str, str]) -> list[tuple[Won, Won]]:
    """What each player lost, beside what they won instead: a prize of the same kind."""
    found: list[tuple[Won, Won]] = []
    for before in sorted(lost):
        taken = [now for _, now in found]
        fit = [each for each in sorted(won) if each[1] == before[1] and kinds[each[0]] == kinds[before[0]]]
        found += [(before, now) for now in fit if now not in taken][:1]
    return found


def moved(was: object, rank: object) -> str:
    """From which place or prize to which, in words."""
    return f"{was or 'none'} to {rank or 'none'}"


def broken(documents: Sequence[bytes]) -> int:
    """How many published results do not check out: another hash than theirs, or not the one after the one before.

    Each says its hash in its first member, which is SHA-256 over its bytes without those 64 digits.
    """
    wrong, before = 0, ""
    for number, document in enumerate(documents, start=1):
        said, rest = document[17:81], document[:17] + document[81:]
        content = published(document)
        is_whole = document[:17] == b'{"content_hash":"' and hashlib.sha256(rest).hexdigest().encode() == said
        follows = content.get("revision") == number and content.get("previous_hash") == before
        wrong += not (is_whole and follows)
        before = said.decode(errors="replace")
    return wrong


def published(document: bytes) -> dict[str, Any]:
    """A published result as it reads; empty where it is no JSON object."""
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
