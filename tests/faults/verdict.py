"""Holding a world against its history: what was acknowledged counts, once, and nothing else does.

For boards whose submissions add up, so that anything lost, doubled or invented moves a total.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any

from tests.faults import chores, writers
from tests.faults.history import Fate, History, Operation, Read
from tests.faults.world import World

Shown = Mapping[str, Any]


def check(world: World, *, exact: bool = True, shift: float = 0.0, lossy: Iterable[int] = ()) -> History:
    """Bring the world to rest and hold every board against the history; returns the history.

    ``exact``: whatever nobody knows the outcome of is sent again first, so that every total is known.
    ``lossy`` boards may have lost acknowledged writes (the test says how much), but never count one twice.
    """
    world.call(chores.bring_to_rest, shift=shift)
    _hold(world, History.of(world.histories), lossy)
    if exact:
        ask_again(world, shift, lossy)
        world.call(chores.bring_to_rest, shift=shift)
        _hold(world, History.of(world.histories), lossy)
    history = History.of(world.histories)
    assert not history.errors, f"a caller got an error instead of an answer: {history.errors[:3]}"
    print(history.counts())  # noqa: T201 (what the run was worth)
    return history


def ask_again(world: World, shift: float = 0.0, lossy: Iterable[int] = ()) -> None:
    """Send again whatever nobody knows the outcome of, so that every total is known.

    Before a redis board's memory is lost, or never: its ids go with it.
    """
    unknown = History.of(world.histories).unsettled()
    entries = [each.as_sent() for each in unknown if each.board not in lossy]
    world.call(writers.send_all, history=world.new_history(), entries=entries, shift=shift)


def _hold(world: World, history: History, lossy: Iterable[int]) -> None:
    for shown in world.call(chores.show):
        operations = _of_period(history, shown)
        lossless = shown["board"] not in lossy
        assert not shown["differences"], f"Redis and SQL differ on {_name(shown)}: {shown['differences'][:5]}"
        # What became final before its put was made up for stays so: final periods are read from SQL alone.
        living = shown["state"] in ("open", "closing")
        assert not (living and shown["unput"]), f"standings without their put on {_name(shown)}"
        check_totals(shown, operations, lossless)
        if lossless:
            check_answers(operations)
        if shown["storage"] != "redis":
            check_ledger(shown, operations)


def _of_period(history: History, shown: Shown) -> list[Operation]:
    """The operations on this period's board, less those that another period has accepted."""
    found = []
    for each in history.on(shown["board"]):
        periods = {attempt.period for attempt in each.attempts if attempt.period}
        if not periods or shown["label"] in periods:
            found.append(each)
    return found


def _name(shown: Shown) -> str:
    return f"{shown['storage']} board {shown['board']}, {shown['label']}"


def check_totals(shown: Shown, operations: Iterable[Operation], lossless: bool = True) -> None:
    """ok ≤ final ≤ ok + unknown, player by player."""
    least: Counter[str] = Counter()
    most: Counter[str] = Counter()
    for each in operations:
        sure = each.fate is Fate.OK and shown["label"] in {attempt.period for attempt in each.attempts}
        least[each.player] += each.points * sure
        most[each.player] += each.points * (each.fate is not Fate.FAILED)
    for player in most.keys() | shown["points"].keys():
        final = shown["points"].get(player, 0)
        assert final <= most[player], f"{player} has {final} of at most {most[player]} on {_name(shown)}"
        if lossless:
            assert final >= least[player], f"{player} has {final} of at least {least[player]} on {_name(shown)}"


def check_answers(operations: Iterable[Operation]) -> None:
    """No id was applied by two attempts, and none was called a duplicate before anybody could have applied it."""
    for each in operations:
        assert each.times_applied <= 1, f"{each.id} was applied {each.times_applied} times"
        attempts = sorted(each.attempts, key=lambda attempt: attempt.began)
        assert attempts[0].status != "duplicate", f"{each.id} is new, but was called a duplicate"


def check_ledger(shown: Shown, operations: Iterable[Operation]) -> None:
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
        lowest = 1 if each.fate is Fate.OK and shown["label"] in {a.period for a in each.attempts} else 0
        highest = 0 if each.fate is Fate.FAILED else 1
        assert lowest <= seen[each.id] <= highest, f"{each.id} ({each.fate}) is there {seen[each.id]} times"
    assert dict(totals) == shown["points"], f"standings are not the sum of submissions on {_name(shown)}"


class _Sums:
    """Points of one player by time: how much had come together by a moment."""

    def __init__(self, steps: Iterable[tuple[float, int]]) -> None:
        ordered = sorted(steps)
        self._times = [time for time, _ in ordered]
        self._sums = [0, *accumulate(points for _, points in ordered)]

    def by(self, time: float) -> int:
        return self._sums[bisect_right(self._times, time)]


def check_reads(history: History, boards: Iterable[int]) -> int:
    """No reader saw less than had been acknowledged before he asked, or more than had been sent by then."""
    checked = 0
    for board in boards:
        by_player: dict[str, list[Operation]] = defaultdict(list)
        for each in history.on(board):
            by_player[each.player].append(each)
        least = {name: _Sums((each.known_since, each.points) for each in many) for name, many in by_player.items()}
        most = {name: _Sums((each.began, each.points) for each in many) for name, many in by_player.items()}
        for read in history.reads:
            if read.board == board:
                _check_read(read, least, most)
                checked += 1
    return checked


def _check_read(read: Read, least: Mapping[str, _Sums], most: Mapping[str, _Sums]) -> None:
    where = "in Redis" if read.live else "in SQL"
    for player, sums in least.items():
        seen = read.points.get(player, 0)
        known = sums.by(read.began)
        assert seen >= known, f"{player} had {known} and was read as {seen} {where}"
        assert seen <= most[player].by(read.ended), f"{player} was read as {seen} {where}, more than was sent"
