"""What is told while something goes wrong, and after it: windows while others write, a restart, callers who hang up.

Each is asked of both sides of the peer run, on the larger board. A rank is right if so many have more points, give or
take those who have as many. The order matters: a restart puts right what the load generator's own end left.
"""

import random
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from benchmarks.harness import wrk
from benchmarks.harness.load import HOST
from benchmarks.nakama_peer.subjects import NoAnswer, Place, Subject

HUNG_UP, LOOKED_AT = 400, 256
LIKE = 40  # looked at before all
AT_ONCE = 16
SOON_SECONDS = 0.004  # after which a caller hangs up at the latest
REST_SECONDS = 4.0  # until nothing is under way any more, SQL has what Redis has, and memories have run out
AT_REST_SECONDS = 30.0  # what is wrong until then stays wrong: a busy machine's mirror may be behind for longer
PATIENCE = 10  # times a window is asked for
WRITING_SECONDS = 120  # at most: the writers end when the windows have been looked at
AWAY_SECONDS = 0.5
BACK_SECONDS = 60.0  # within which it must answer again
WATCHED_SECONDS = 5.0  # from its first right answer on


def upset(subject: Subject) -> dict[str, Any]:
    """Ranks that are wrong after the load alone, torn windows, what a restart told, ranks after callers hung up."""
    figures: dict[str, Any] = {f"wrong_before_of_{LIKE}": _wrong_before(subject)}
    figures[f"torn_windows_of_{LOOKED_AT}"] = _torn_windows(subject)
    figures |= {f"restart_{name}": value for name, value in _restart(subject).items()}
    return figures | {f"wrong_ranks_of_{HUNG_UP}": _hung_up(subject)}


def _wrong_before(subject: Subject) -> int:
    """The load generator too hangs up at its end. Where no rank at all is right, the two do not mean the same board."""
    ranks, told = Ranks(subject.points()), Told()
    for each in _some(subject, LIKE):
        told.take(subject, *each, ranks)
    if not told.right:
        raise SystemExit(f"{subject.own.path}: what is told is not what SQL has: {told}")
    return told.wrong


def _torn_windows(subject: Subject) -> int:
    """How many windows were no stretch of any standings, while 16 others wrote."""
    writers = wrk.begin(subject.port(), subject.single, WRITING_SECONDS)
    try:
        windows = [(player, _window(subject, player, token)) for player, token in _some(subject, LOOKED_AT)]
    finally:
        writers.terminate()
        writers.communicate()
    return sum(is_torn(player, window) for player, window in windows)


def _window(subject: Subject, player: str, token: str) -> list[Place]:
    """However long that takes on a busy machine."""
    for _ in range(PATIENCE):
        with suppress(NoAnswer):
            return subject.window(player, token)
    raise SystemExit(f"no window around {player} while others wrote")


def is_torn(player: str, window: list[Place]) -> bool:
    """Whether it is not one stretch: everybody once and the player too, best first, ranks one after the other."""
    names, ranks = [each.player for each in window], [each.rank for each in window]
    if len(set(names)) < len(names) or player not in names or None in ranks:
        return True
    first = ranks[0] or 0
    is_ordered = all(one.points >= other.points for one, other in pairwise(window))
    return not is_ordered or ranks != list(range(first, first + len(ranks)))


def _hung_up(subject: Subject) -> int:
    """Of players whose caller hung up in the middle of a score: whose ranks are wrong at rest."""
    some = _some(subject, HUNG_UP)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda each: _hang_up(subject, *each), some))
    begun, wrong = time.monotonic(), HUNG_UP
    while wrong and time.monotonic() - begun < AT_REST_SECONDS:
        time.sleep(REST_SECONDS)
        right = Ranks(subject.points())
        wrong = sum(not right.has(subject.place(*each)) for each in some)
    return wrong


def _hang_up(subject: Subject, player: str, token: str) -> None:
    with socket.create_connection((HOST, subject.port()), timeout=10) as line:
        line.sendall(subject.write(player, token))
        time.sleep(random.uniform(0, SOON_SECONDS))


@dataclass(slots=True)
class Told:
    """What was answered from the kill on. ``wrong`` is a rank that is not theirs, or that they are nowhere."""

    right: int = 0
    wrong: int = 0
    without_a_rank: int = 0
    no_answer: int = 0
    last_not_right: float = 0.0
    begun: float = field(default_factory=time.monotonic)  # the kill

    def take(self, subject: Subject, player: str, token: str, ranks: "Ranks") -> None:
        """Ask once."""
        try:
            place = subject.place(player, token)
        except NoAnswer:
            self.no_answer += 1
        else:
            if place is not None and place.rank is None:
                self.without_a_rank += 1
            elif ranks.has(place):
                self.right += 1
                return
            else:
                self.wrong += 1
        self.last_not_right = time.monotonic()


def _restart(subject: Subject) -> dict[str, Any]:
    """Kill and start again, while one reader goes on asking."""
    time.sleep(REST_SECONDS)
    ranks, some, told, is_over = Ranks(subject.points()), _some(subject, LOOKED_AT), Told(), threading.Event()

    def ask() -> None:
        while not is_over.is_set():
            told.take(subject, *random.choice(some), ranks)

    reader = threading.Thread(target=ask)
    subject.kill()
    reader.start()
    try:
        time.sleep(AWAY_SECONDS)
        subject.start()
        _wait_for_one(told)
        is_over.wait(WATCHED_SECONDS)
    finally:
        is_over.set()
        reader.join()
    _wait_until_right(subject, ranks, some)
    return {
        "right": told.right,
        "wrong": told.wrong,
        "without_a_rank": told.without_a_rank,
        "no_answer": told.no_answer,
        "right_after_seconds": round(max(0.0, told.last_not_right - told.begun), 2),
    }


def _wait_for_one(told: Told) -> None:
    before, deadline = told.right, time.monotonic() + BACK_SECONDS
    while told.right == before and time.monotonic() < deadline:
        time.sleep(0.05)


def _wait_until_right(subject: Subject, ranks: "Ranks", some: list[tuple[str, str]]) -> None:
    deadline = time.monotonic() + BACK_SECONDS
    while time.monotonic() < deadline:
        told = Told()
        for each in some[:20]:
            told.take(subject, *each, ranks)
        if told.right == len(some[:20]):
            return
    raise SystemExit(f"the ranks did not come back: {told}")


class Ranks:
    """Which ranks are right, by everybody's points."""

    def __init__(self, points: dict[str, int]) -> None:
        self._points = points
        self._at_least: dict[int, int] = {}
        self._above: dict[int, int] = {}
        for nth, value in enumerate(sorted(points.values(), reverse=True), 1):
            self._above.setdefault(value, nth - 1)
            self._at_least[value] = nth

    def has(self, place: Place | None) -> bool:
        """Whether a place that was told is the player's."""
        if place is None or place.rank is None or place.player not in self._points:
            return False
        value = self._points[place.player]
        return place.points == value and self._above[value] < place.rank <= self._at_least[value]


def _some(subject: Subject, many: int) -> list[tuple[str, str]]:
    listed = list(subject.players.items())
    return random.sample(listed, min(many, len(listed)))
