"""What is kept for a second: made once for a crowd, the old one meanwhile, bounded, forgotten on demand."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from foundation import clock
from foundation.second import Second
from tests.at_once import at_once


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The moment, in monotonic seconds, as its only item."""
    at = [100.0]
    monkeypatch.setattr(clock, "monotonic", lambda: at[0])
    return at


def test_of_a_crowd_that_comes_at_once_one_makes_what_all_get_and_who_cannot_leaves_the_turn_to_the_next() -> None:
    kept: Second[str, int] = Second(8)
    made: list[int] = []

    def fail() -> int:
        raise LookupError

    def make() -> int:
        made.append(len(made))
        time.sleep(0.05)  # so long that all others are there
        return made[-1]

    with pytest.raises(LookupError):
        kept.of("page", fail)
    with ThreadPoolExecutor(8) as crowd:
        got = list(crowd.map(lambda _: kept.of("page", make), range(8)))

    assert (got, made) == ([0] * 8, [0])


def test_while_one_makes_the_next_the_others_get_the_one_before(now: list[float]) -> None:
    kept: Second[str, int] = Second(10)
    kept.keep("key", 1)
    now[0] += 1.5

    def slowly() -> int:
        assert at_once([lambda: kept.of("key", _fail)]) == [1]
        return 7

    assert (kept.in_time("key"), kept.lately("key")) == (None, 1)
    assert at_once([lambda: kept.of("key", slowly)]) == [7]
    assert kept.in_time("key") == 7
    now[0] += 3
    assert kept.lately("key") is None


def test_who_fails_to_make_the_next_leaves_the_turn_to_whoever_asks_then(now: list[float]) -> None:
    kept: Second[str, int] = Second(10)
    kept.keep("key", 1)
    now[0] += 1.5

    with pytest.raises(LookupError):
        kept.of("key", _fail)

    assert kept.of("key", lambda: 2) == 2


def test_there_are_no_more_than_memory_is_meant_for_and_the_oldest_makes_room() -> None:
    kept: Second[str, int] = Second(8)
    for nth in range(20):
        kept.keep(f"page {nth}", nth)

    assert [kept.lately(f"page {nth}") for nth in (11, 12, 19)] == [None, 12, 19]
    assert len(kept) == 8


def test_by_weight_what_is_heavier_than_all_may_be_is_kept_alone(now: list[float]) -> None:
    kept: Second[str, int] = Second(10, weigh=lambda weight: weight, times_its_cost=4)

    def costly() -> int:
        now[0] += 2
        return 6

    assert kept.of("a", costly) == 6
    now[0] += 7
    assert kept.of("a", _fail) == 6  # what took two seconds is kept for eight
    assert kept.of("b", lambda: 5) == 5
    assert kept.of("a", lambda: 1) == 1  # it had made room
    assert kept.of("c", lambda: 11) == 11
    assert kept.of("c", _fail) == 11
    assert kept.of("a", lambda: 3) == 3


def test_what_it_took_counts_for_nothing_unless_it_was_asked_for(now: list[float]) -> None:
    kept: Second[str, int] = Second(10)

    def costly() -> int:
        now[0] += 2
        return 6

    kept.of("a", costly)
    now[0] += 1.5

    assert kept.in_time("a") is None


@pytest.mark.usefixtures("now")
def test_forgetting_drops_the_chosen_alone_or_everything() -> None:
    kept: Second[tuple[int, str], int] = Second(10)
    for number in (1, 2):
        kept.keep((number, "c"), number)

    kept.forget(lambda key: key[0] == 1)

    assert [kept.of((number, "c"), lambda: 9) for number in (1, 2)] == [9, 2]
    kept.forget()
    assert len(kept) == 0


def test_what_is_forgotten_while_it_is_made_is_not_kept_and_another_is() -> None:
    kept: Second[int, int] = Second(10)

    def forgetting(number: int) -> Callable[[], int]:
        def make() -> int:
            kept.forget(lambda key: key == 1)
            return number

        return make

    assert [kept.of(key, forgetting(7)) for key in (1, 2)] == [7, 7]
    assert [kept.of(key, lambda: 8) for key in (1, 2)] == [8, 7]


@pytest.mark.django_db
def test_inside_a_transaction_everything_is_made_anew_and_nothing_is_kept() -> None:
    kept: Second[str, int] = Second(10)

    found = kept.of("key", lambda: 1), kept.of("key", lambda: 2)
    kept.keep("key", 3)

    assert (found, kept.lately("key")) == ((1, 2), None)


def _fail() -> int:
    raise LookupError
