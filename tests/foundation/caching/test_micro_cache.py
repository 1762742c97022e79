"""What is kept for a second: made once for a crowd, the old one meanwhile, bounded, forgotten on demand."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from foundation import clock
from foundation.caching.micro_cache import MAX_STALE_SECONDS, MicroCache
from tests.at_once import at_once


def test_of_a_crowd_that_comes_at_once_one_makes_what_all_get_and_who_cannot_leaves_the_turn_to_the_next() -> None:
    kept: MicroCache[str, int] = MicroCache(8)
    made: list[int] = []

    def fail() -> int:
        raise LookupError

    def make() -> int:
        made.append(len(made))
        time.sleep(0.05)  # so long that all others are there
        return made[-1]

    with pytest.raises(LookupError):
        kept.get_or_compute("page", fail)
    with ThreadPoolExecutor(8) as crowd:
        got = list(crowd.map(lambda _: kept.get_or_compute("page", make), range(8)))

    assert (got, made) == ([0] * 8, [0])


def test_while_one_makes_the_next_the_others_get_the_one_before(stopped_clock: list[float]) -> None:
    kept: MicroCache[str, int] = MicroCache(10)
    kept.put("key", 1, stopped_clock[0])
    stopped_clock[0] += 1.5

    def slowly() -> int:
        assert at_once([lambda: kept.get_or_compute("key", _fail)]) == [1]
        return 7

    assert (kept.get_fresh("key"), kept.get_stale("key")) == (None, 1)
    assert at_once([lambda: kept.get_or_compute("key", slowly)]) == [7]
    assert kept.get_fresh("key") == 7
    stopped_clock[0] += 3
    assert kept.get_stale("key") is None


def test_who_fails_to_make_the_next_leaves_the_turn_to_whoever_asks_then(stopped_clock: list[float]) -> None:
    kept: MicroCache[str, int] = MicroCache(10)
    kept.put("key", 1, stopped_clock[0])
    stopped_clock[0] += 1.5

    with pytest.raises(LookupError):
        kept.get_or_compute("key", _fail)

    assert kept.get_or_compute("key", lambda: 2) == 2


def test_there_are_no_more_than_memory_is_meant_for_and_the_oldest_makes_room() -> None:
    kept: MicroCache[str, int] = MicroCache(8)
    for nth in range(20):
        kept.put(f"page {nth}", nth, clock.monotonic())

    assert [kept.get_stale(f"page {nth}") for nth in (11, 12, 19)] == [None, 12, 19]
    assert len(kept) == 8


def test_by_weight_what_is_heavier_than_all_may_be_is_kept_alone(stopped_clock: list[float]) -> None:
    kept: MicroCache[str, int] = MicroCache(10, weigh=lambda weight: weight, ttl_per_cost=4)

    def costly() -> int:
        stopped_clock[0] += 2
        return 6

    assert kept.get_or_compute("a", costly) == 6
    stopped_clock[0] += 5
    assert kept.get_or_compute("a", _fail) == 6  # what took two seconds is kept until eight after it was begun
    assert kept.get_or_compute("b", lambda: 5) == 5
    assert kept.get_or_compute("a", lambda: 1) == 1  # it had made room
    assert kept.get_or_compute("c", lambda: 11) == 11
    assert kept.get_or_compute("c", _fail) == 11
    assert kept.get_or_compute("a", lambda: 3) == 3


def test_what_it_took_counts_for_nothing_unless_it_was_asked_for(stopped_clock: list[float]) -> None:
    kept: MicroCache[str, int] = MicroCache(10)

    def costly() -> int:
        stopped_clock[0] += 2
        return 6

    kept.get_or_compute("a", costly)
    stopped_clock[0] += 1.5

    assert kept.get_fresh("a") is None


def test_what_was_made_before_a_pause_is_given_to_nobody_who_asks_after_it(stopped_clock: list[float]) -> None:
    kept: MicroCache[str, int] = MicroCache(10)
    begun = stopped_clock[0]

    def stopped() -> int:
        stopped_clock[0] += 10
        return 6

    assert kept.get_or_compute("a", stopped) == 6
    kept.put("b", 6, begun)

    assert [(kept.get_fresh(key), kept.get_stale(key), kept.get_or_compute(key, lambda: 7)) for key in "ab"] == [
        (None, None, 7)
    ] * 2


def test_who_comes_while_it_is_made_for_longer_than_a_second_waits_for_that_one(
    stopped_clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, crowd, looks = MicroCache[str, int](10), ThreadPoolExecutor(4), threading.Semaphore(0)
    waiting: list[Future[int]] = []

    def looked() -> float:
        looks.release()
        return stopped_clock[0]

    monkeypatch.setattr(clock, "monotonic", looked)

    def slowly() -> int:
        waiting.extend(crowd.submit(kept.get_or_compute, "key", _fail) for _ in range(4))
        for _ in range(2 + 4):  # who makes it has looked at the clock twice, and each of the others once
            assert looks.acquire(timeout=10)
        stopped_clock[0] += 2
        return 6

    with crowd:
        assert kept.get_or_compute("key", slowly) == 6
        assert [each.result() for each in waiting] == [6] * 4


def test_what_is_over_goes_with_the_next_that_is_kept_and_weighs_no_more(stopped_clock: list[float]) -> None:
    kept: MicroCache[int, int] = MicroCache(10, weigh=lambda weight: weight)
    for number in range(3):
        kept.put(number, 3, stopped_clock[0])
    stopped_clock[0] += MAX_STALE_SECONDS

    kept.put(7, 10, stopped_clock[0])
    assert (len(kept), kept.get_stale(7)) == (1, 10)
    kept.forget()
    kept.put(1, 5, stopped_clock[0])
    kept.put(1, 4, stopped_clock[0])  # in the place of that
    kept.put(2, 6, stopped_clock[0])

    assert [kept.get_stale(number) for number in (1, 2)] == [4, 6]


def test_what_one_keeps_costs_no_more_where_much_is_kept() -> None:
    weighed: list[int] = []

    class Counted(int):
        def __radd__(self, other: int) -> int:
            weighed.append(1)
            return int(self) + other

        __add__ = __radd__

    kept: MicroCache[int, int] = MicroCache(10_000, weigh=lambda _: Counted(1))
    costs = []
    for number in range(400):
        before = len(weighed)
        kept.put(number, 0, clock.monotonic())
        costs.append(len(weighed) - before)

    assert max(costs) < 10


@pytest.mark.usefixtures("stopped_clock")
def test_forgetting_drops_the_chosen_alone_or_everything() -> None:
    kept: MicroCache[tuple[int, str], int] = MicroCache(10)
    for number in (1, 2):
        kept.put((number, "c"), number, clock.monotonic())

    kept.forget(lambda key: key[0] == 1)

    assert [kept.get_or_compute((number, "c"), lambda: 9) for number in (1, 2)] == [9, 2]
    kept.forget()
    assert len(kept) == 0


def test_what_is_forgotten_while_it_is_made_is_not_kept_and_another_is() -> None:
    kept: MicroCache[int, int] = MicroCache(10)

    def forgetting(number: int) -> Callable[[], int]:
        def make() -> int:
            kept.forget(lambda key: key == 1)
            return number

        return make

    assert [kept.get_or_compute(key, forgetting(7)) for key in (1, 2)] == [7, 7]
    assert [kept.get_or_compute(key, lambda: 8) for key in (1, 2)] == [8, 7]


@pytest.mark.django_db
def test_inside_a_transaction_everything_is_made_anew_and_nothing_is_kept() -> None:
    kept: MicroCache[str, int] = MicroCache(10)

    found = kept.get_or_compute("key", lambda: 1), kept.get_or_compute("key", lambda: 2)
    kept.put("key", 3, clock.monotonic())

    assert (found, kept.get_stale("key")) == ((1, 2), None)


def _fail() -> int:
    raise LookupError
