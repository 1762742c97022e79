"""Limits as texts, the windows that a process keeps while Redis is away, and the places that it takes ahead."""

import pytest

from foundation.limits import MOST_REQUESTS, MOST_SECONDS, Ahead, Limit, Verdict, Windows, read_limit
from tests.at_once import at_once

TWO_IN_TEN = Limit(2, 10)


class TestText:
    def test_it_names_requests_and_seconds(self) -> None:
        assert read_limit(" 100/10 ") == Limit(100, 10)
        assert str(Limit(100, 10)) == "100/10"

    @pytest.mark.parametrize("text", ["", "0", "  "])
    def test_none_is_empty_or_nought(self, text: str) -> None:
        assert read_limit(text) is None

    @pytest.mark.parametrize(
        "text", ["100", "100/", "/10", "0/10", "10/0", "-1/10", "1.5/10", "١/10", f"{MOST_REQUESTS + 1}/1", "1/86401"]
    )
    def test_anything_else_is_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match="limit"):
            read_limit(text)

    def test_its_bounds_are_limits_themselves(self) -> None:
        assert read_limit(f"{MOST_REQUESTS}/{MOST_SECONDS}") == Limit(MOST_REQUESTS, MOST_SECONDS)


class TestWindowsOfAProcess:
    def test_what_fits_is_let_in_and_the_next_waits_for_the_first_to_leave(self) -> None:
        windows = Windows()

        told = [windows.take("ann", TWO_IN_TEN, now) for now in (100.0, 103.0, 104.0)]

        assert told == [Verdict(True, 1, 0), Verdict(True, 0, 7000), Verdict(False, 0, 6000)]

    def test_a_request_leaves_exactly_when_its_seconds_are_over(self) -> None:
        windows = Windows()
        for now in (100.0, 103.0):
            windows.take("ann", TWO_IN_TEN, now)

        before, at = windows.take("ann", TWO_IN_TEN, 109.999), windows.take("ann", TWO_IN_TEN, 110.0)

        assert (before.allowed, at.allowed) == (False, True)

    def test_who_keeps_trying_is_not_kept_out_for_longer(self) -> None:
        windows = Windows()
        windows.take("ann", Limit(1, 10), 100.0)

        refused = [windows.take("ann", Limit(1, 10), 100.5 + nth).allowed for nth in range(9)]

        assert refused == [False] * 9
        assert windows.take("ann", Limit(1, 10), 110.0).allowed

    def test_a_lowered_limit_waits_until_fewer_are_inside_than_fit(self) -> None:
        windows = Windows()
        for now in (100.0, 101.0, 102.0):
            windows.take("ann", Limit(3, 10), now)

        assert windows.take("ann", Limit(1, 10), 103.0) == Verdict(False, 0, 9000)

    def test_one_callers_window_is_not_anothers(self) -> None:
        windows = Windows()
        windows.take("ann", Limit(1, 10), 100.0)

        assert windows.take("bob", Limit(1, 10), 100.0).allowed

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

    def test_nothing_is_kept_of_what_was_forgotten(self) -> None:
        windows = Windows()
        windows.take("ann", Limit(1, 10), 100.0)

        windows.forget()

        assert windows.take("ann", Limit(1, 10), 100.0).allowed


class TestPlacesTakenAhead:
    GREAT = Limit(50_000, 10)

    def asked(self, ahead: Ahead, limit: Limit, times: list[float]) -> list[int]:
        """What is asked for at each time, and granted in full."""
        told = [ahead.use("ann", limit, times[0])]
        ahead.keep("ann", limit, told[0], times[0])
        for now in times[1:]:
            told.append(ahead.use("ann", limit, now))
            if told[-1]:
                ahead.keep("ann", limit, told[-1], now)
        return told

    def test_who_uses_up_a_handful_in_time_gets_one_of_twice_as_many(self) -> None:
        asked = self.asked(Ahead(), self.GREAT, [100.0] * 200)

        assert [each for each in asked if each] == [1, 2, 4, 8, 16, 32, 50, 50, 50]

    def test_every_request_has_a_place(self) -> None:
        asked = self.asked(Ahead(), self.GREAT, [100.0] * 200)

        places = 0
        for wanted in asked:
            places += wanted - 1
            assert places >= 0

    def test_who_comes_now_and_then_takes_one_at_a_time(self) -> None:
        asked = self.asked(Ahead(), self.GREAT, [100.0 + nth / 10 for nth in range(10)])

        assert asked == [1] * 10

    def test_a_small_limit_is_counted_one_by_one(self) -> None:
        assert self.asked(Ahead(), Limit(1999, 10), [100.0] * 20) == [1] * 20

    def test_places_are_good_for_a_hundredth_of_the_window(self) -> None:
        ahead = Ahead()
        ahead.keep("ann", self.GREAT, 50, 100.0)

        assert [ahead.use("ann", self.GREAT, now) for now in (100.0, 100.099, 100.1)] == [0, 0, 1]

    def test_one_callers_places_are_not_anothers(self) -> None:
        ahead = Ahead()
        ahead.keep("ann", self.GREAT, 50, 100.0)

        assert ahead.use("bob", self.GREAT, 100.0) == 1

    def test_while_one_fetches_a_handful_the_others_take_a_place_each(self) -> None:
        ahead = Ahead()
        ahead.keep("ann", self.GREAT, 8, 100.0)
        for _ in range(7):
            ahead.use("ann", self.GREAT, 100.0)

        fetched = [ahead.use("ann", self.GREAT, 100.0) for _ in range(3)]
        ahead.keep("ann", self.GREAT, 16, 100.0)
        ahead.keep("ann", self.GREAT, 1, 100.0)

        assert fetched == [16, 1, 1]
        assert [ahead.use("ann", self.GREAT, 100.0) for _ in range(15)] == [0] * 15

    def test_their_number_is_bounded(self) -> None:
        ahead = Ahead(most=2)
        for name in ("ann", "bob", "carol"):
            ahead.keep(name, self.GREAT, 50, 100.0)

        assert [ahead.use(name, self.GREAT, 100.0) for name in ("ann", "carol")] == [1, 0]
