"""Holding a world against its history: what was acknowledged counts, once, and nothing else does.

For boards whose submissions add up, so that anything lost, doubled or invented moves a total; and for likes.
"""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.faults import boards, likes, load
from tests.faults.history import Fate, History, LikesHistory, Operation, Read
from tests.faults.world import World

WRITES_AGAIN_SECONDS = 3.0  # beyond the time-out after which a primary counts as gone
Shown = Mapping[str, Any]


def check(world: World, *, exact: bool = True, shift: float = 0.0) -> History:
    """Bring the world to rest and hold every board against the history; returns the history.

    ``exact``: whatever nobody knows the outcome of is sent again afterwards, so that every total is known.
    The world's ``lossy`` boards may have lost acknowledged writes, but never count one twice.
    """
    history = _hold(world, shift)
    if exact and ask_again(world, shift):
        history = _hold(world, shift)
    assert not history.errors, f"a caller got an error instead of an answer: {history.errors[:3]}"
    return history


def ask_again(world: World, shift: float = 0.0) -> int:
    """Send again whatever nobody knows the outcome of, so that every total is known; returns how many that were.

    Before a redis board's memory is lost, or never: its ids go with it.
    """
    entries = [each.as_sent() for each in world.history().unsettled() if each.board not in world.lossy]
    if entries:
        world.call(load.send_all, history=world.new_history(), entries=entries, shift=shift)
    return len(entries)


def close_for_good(world: World, shift: float) -> list[list[Any]]:
    """Somebody closes what is over, and once more: nothing moves, and everybody is in the order of their points."""
    closed: list[list[Any]] = world.call(boards.close_until_final, boards=world.boards, shift=shift)
    assert closed == world.call(boards.close_until_final, boards=world.boards, shift=shift)
    check(world, shift=shift)
    check_finals(world)
    return closed


def check_finals(world: World) -> None:
    """Every final period has each of its players once, in the order of their points."""
    finals = [shown for shown in world.call(boards.show, boards=world.boards) if shown["state"] == "final"]
    assert finals
    for shown in finals:
        assert sorted(shown["final"]) == sorted(shown["points"]), _name(shown)
        placed = [shown["points"][player] for player in shown["final"]]
        assert placed == sorted(placed, reverse=True), _name(shown)


def _hold(world: World, shift: float) -> History:
    periods = world.call(boards.bring_to_rest, boards=world.boards, shift=shift)
    history = world.history()
    for shown in periods:
        # Those that another period has accepted are not this one's.
        operations = [op for op in history.on(shown["board"]) if not op.periods or shown["label"] in op.periods]
        lossless = shown["board"] not in world.lossy
        assert not shown["differences"], f"Redis and SQL differ on {_name(shown)}: {shown['differences'][:5]}"
        # What became final before its put was made up for stays so: final periods are read from SQL alone.
        living = shown["state"] in ("open", "closing")
        assert not (living and shown["pending_publish"]), f"standings without their put on {_name(shown)}"
        _check_totals(shown, operations, lossless)
        if lossless:
            _check_answers(operations)
        if shown["storage"] != "redis":
            _check_ledger(shown, operations)
    return history


def _name(shown: Shown) -> str:
    return f"{shown['storage']} board {shown['board']}, {shown['label']}"


def _check_totals(shown: Shown, operations: Iterable[Operation], lossless: bool) -> None:
    """ok ≤ final ≤ ok + unknown, player by player."""
    least: Counter[str] = Counter()
    most: Counter[str] = Counter()
    for each in operations:
        sure = each.fate is Fate.OK and shown["label"] in each.periods
        least[each.player] += each.points * sure
        most[each.player] += each.points * (each.fate is not Fate.FAILED)
    for player in most.keys() | shown["points"].keys():
        final = shown["points"].get(player, 0)
        assert final <= most[player], f"{player} has {final} of at most {most[player]} on {_name(shown)}"
        if lossless:
            assert final >= least[player], f"{player} has {final} of at least {least[player]} on {_name(shown)}"


def _check_answers(operations: Iterable[Operation]) -> None:
    """No id was applied by two attempts, and none was called a duplicate before anybody could have applied it."""
    for each in operations:
        assert each.times_applied <= 1, f"{each.id} was applied {each.times_applied} times"
        first = min(each.attempts, key=lambda attempt: attempt.began)
        assert first.status != "duplicate", f"{each.id} is new, but was called a duplicate"


def _check_ledger(shown: Shown, operations: Iterable[Operation]) -> None:
    """Each accepted id has one submission, each failed one none, and standings are what submissions add up to."""
    known = {each.id: each for each in operations}
    totals: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for external_id, player, points in shown["submissions"]:
        assert external_id in known, f"{external_id} was kept in {_name(shown)}, where nobody sent it"
        sent = known[external_id]
        assert (sent.player, sent.points) == (player, points), f"{external_id} was kept as something else"
        seen[external_id] += 1
        totals[player] += points
    for each in known.values():
        lowest = 1 if each.fate is Fate.OK and shown["label"] in each.periods else 0
        highest = 0 if each.fate is Fate.FAILED else 1
        assert lowest <= seen[each.id] <= highest, f"{each.id} ({each.fate}) is there {seen[each.id]} times"
    assert dict(totals) == shown["points"], f"standings are not the sum of submissions on {_name(shown)}"


def check_reads(history: History, numbers: Iterable[int]) -> int:
    """No reader saw less than had been acknowledged before he asked, or more than had been sent by then."""
    checked = 0
    for number in numbers:
        steps = [(each.player, each.points, each.began, each.known_since) for each in history.on(number)]
        for read in history.reads:
            if read.board == number:
                _check_read(read, steps)
                checked += 1
    return checked


def _check_read(read: Read, steps: Iterable[tuple[str, int, float, float]]) -> None:
    where = "in Redis" if read.live else "in SQL"
    known: Counter[str] = Counter()
    sent: Counter[str] = Counter()
    for player, points, began, known_since in steps:
        known[player] += points * (known_since <= read.began)
        sent[player] += points * (began <= read.ended)
    for player, least in known.items():
        seen = read.points.get(player, 0)
        assert seen >= least, f"{player} had {least} and was read as {seen} {where}"
        assert seen <= sent[player], f"{player} was read as {seen} {where}, more than was sent"


def tell_writes_again(world: World, board: int, fault_at: float, promoted_at: float, timeout_ms: int) -> None:
    """Print how long the board took no score after a fault of its primary; WRITES_AGAIN=1 demands the bound."""
    seconds, bound = world.history().seconds_until_taken(fault_at, board), timeout_ms / 1000 + WRITES_AGAIN_SECONDS
    of_promotion = f"the replica was promoted after {promoted_at - fault_at:.1f} s"
    print(f"\nwrites again after {seconds:.1f} s (at most {bound:.1f} s wanted; {of_promotion})")
    if os.environ.get("WRITES_AGAIN") == "1":  # a machine that does much else misses it
        assert seconds <= bound


def check_likes(world: World, things: Sequence[str]) -> LikesHistory:
    """Rows, count, view and list agree, and every player has what he was told, give or take what nobody knows."""
    found = {(told["kind"], told["thing"]): told for told in likes_at_rest(world, things)}
    history = LikesHistory.of(world.histories)
    assert not history.errors, f"a caller got an error instead of an answer: {history.errors[:3]}"
    for (kind, thing, player), own in history.own.items():
        if (kind, thing) in found:
            final = found[kind, thing]["rows"].get(player, 0)
            assert own.least <= final <= own.most, f"{player} has {final} likes of {kind} {thing}: {own}"
    strangers = {(*told, player) for told, rows in found.items() for player in rows["rows"]} - history.own.keys()
    assert not strangers, f"nobody sent these: {strangers}"
    return history


def likes_at_rest(world: World, things: Sequence[str]) -> list[Shown]:
    """What each kind has of each thing, when every place says the same of it."""
    found: list[Shown] = world.call(likes.bring_to_rest, things=things)
    for told in found:
        many = sum(told["rows"].values())
        assert told["live"], told
        assert told["shown"] == told["count"] == many, told
        assert told["likers"] == told["rows"], told
        assert told["view"] in (None, [many, many]), told
    assert world.call(likes.differences) == 0
    return found
