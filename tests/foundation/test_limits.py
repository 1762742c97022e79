"""Limits as texts, how many windows a process keeps, and the places that it takes ahead.

How a window lets requests in is in test_rate_limit.py, for the process's and Redis's alike.
"""

import pytest

from foundation.limits import MOST_REQUESTS, MOST_SECONDS, Ahead, Limit, Windows, read_limit
from tests.at_once import at_once

ONE_IN_TEN, TWO_IN_TEN = Limit(1, 10), Limit(2, 10)
GREAT = Limit(50_000, 10)

TEXTS = {
    " 100/10 ": Limit(100, 10),
    f"{MOST_REQUESTS}/{MOST_SECONDS}": Limit(MOST_REQUESTS, MOST_SECONDS),
    "": None,
    "0": None,
    "  ": None,
}


def test_a_text_names_requests_and_seconds_or_no_limit() -> None:
    assert {text: read_limit(text) for text in TEXTS} == TEXTS
    assert str(Limit(100, 10)) == "100/10"


@pytest.mark.parametrize(
    "text", ["100", "100/", "/10", "0/10", "10/0", "-1/10", "1.5/10", "١/10", f"{MOST_REQUESTS + 1}/1", "1/86401"]
)
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="limit"):
        read_limit(text)


class TestWindowsOfAProcess:
    def test_each_caller_has_a_window_until_all_are_forgotten(self) -> None:
        windows = Windows()

        first = [windows.take(name, ONE_IN_TEN, 100.0).allowed for name in ("ann", "bob", "ann")]
        windows.forget()

        assert first == [True, True, False]
        assert windows.take("ann", ONE_IN_TEN, 100.0).allowed

    def test_their_number_is_bounded_and_the_one_longest_unasked_goes(self) -> None:
        windows = Windows(most=2)
        for name in ("ann", "bob", "ann", "carol"):
            windows.take(name, TWO_IN_TEN, 100.0)

        assert len(windows) == 2
        assert not windows.take("ann", TWO_IN_TEN, 100.0).allowed

    def test_many_threads_never_get_more_than_fit(self) -> None:
        windows = Windows()

        def take() -> int:
            return sum(windows.take("ann", Limit(50, 10), 100.0).allowed for _ in range(20))

        assert sum(at_once([take] * 8)) == 50


class TestPlacesTakenAhead:
    def asked(self, limit: Limit, times: list[float]) -> list[int]:
        """What is asked for at each time, and granted in full."""
        ahead, told = Ahead(), []
        for now in times:
            told.append(ahead.use("ann", limit, now))
            if told[-1]:
                ahead.keep("ann", limit, told[-1], now)
        return told

    def test_who_uses_up_a_handful_in_time_gets_one_of_twice_as_many(self) -> None:
        asked = self.asked(GREAT, [100.0] * 200)

        assert [each for each in asked if each] == [1, 2, 4, 8, 16, 32, 50, 50, 50]
        places = 0
        for wanted in asked:
            places += wanted - 1
            assert places >= 0, "a request without a place"

    def test_who_comes_now_and_then_or_has_a_small_limit_takes_one_at_a_time(self) -> None:
        assert self.asked(GREAT, [100.0 + nth / 10 for nth in range(10)]) == [1] * 10
        assert self.asked(Limit(1999, 10), [100.0] * 20) == [1] * 20

    def test_places_are_good_for_a_hundredth_of_the_window_and_for_one_caller(self) -> None:
        ahead = Ahead()
        ahead.keep("ann", GREAT, 50, 100.0)

        assert [ahead.use("ann", GREAT, now) for now in (100.0, 100.099, 100.1)] == [0, 0, 1]
        assert ahead.use("bob", GREAT, 100.0) == 1

    def test_while_one_fetches_a_handful_the_others_take_a_place_each(self) -> None:
        ahead = Ahead()
        ahead.keep("ann", GREAT, 8, 100.0)
        for _ in range(7):
            ahead.use("ann", GREAT, 100.0)

        fetched = [ahead.use("ann", GREAT, 100.0) for _ in range(3)]
        ahead.keep("ann", GREAT, 16, 100.0)
        ahead.keep("ann", GREAT, 1, 100.0)

        assert fetched == [16, 1, 1]
        assert [ahead.use("ann", GREAT, 100.0) for _ in range(15)] == [0] * 15

    def test_their_number_is_bounded(self) -> None:
        ahead = Ahead(most=2)
        for name in ("ann", "bob", "carol"):
            ahead.keep(name, GREAT, 50, 100.0)

        assert [ahead.use(name, GREAT, 100.0) for name in ("ann", "carol")] == [1, 0]
