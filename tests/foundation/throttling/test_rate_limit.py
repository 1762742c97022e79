"""The brakes: limits as texts, windows of a process and in Redis (both keep the same rules), places taken ahead."""

import re
from collections.abc import Callable, Iterator, Sequence
from unittest.mock import Mock

import pytest
import redis as driver
import time_machine
from django.conf import LazySettings

from foundation.redis import lua
from foundation.redis.client import Argument, RedisAway, RedisClient, RedisSilent
from foundation.throttling import rate_limit
from foundation.throttling.limits import (
    MOST_REQUESTS,
    MOST_SECONDS,
    Limit,
    LocalWindows,
    ReservedQuota,
    Verdict,
    read_limit,
)
from tests.at_once import at_once
from tests.fake_link import FakeLink
from tests.raw import ONE_SERVER

ONE_IN_TEN, TWO_IN_TEN, ONE_IN_300 = Limit(1, 10), Limit(2, 10), Limit(1, 300)
NOON = 1_795_262_400

GREAT = Limit(50_000, 10)

TEXTS = {" 100/10 ": Limit(100, 10), f"{MOST_REQUESTS}/{MOST_SECONDS}": Limit(MOST_REQUESTS, MOST_SECONDS)}
NO_LIMIT = ("", "0", "  ")
NO_TEXTS = ("100", "100/", "/10", "0/10", "10/0", "-1/10", "1.5/10", "١/10", f"{MOST_REQUESTS + 1}/1", "1/86401")

Take = Callable[[Limit, float], Verdict]


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """A process that counted nothing and knows no failure."""
    rate_limit.reset()
    yield
    rate_limit.reset()


@pytest.fixture
def boards(redis_server: list[driver.Redis]) -> driver.Redis:
    """The real server: of the boards, with the page cache beside it."""
    return redis_server[0]


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> Iterator[time_machine.Traveller]:
    """A Redis in this process, whose clock is the test's."""
    link = FakeLink()
    monkeypatch.setattr(rate_limit, "client_of", lambda _alias: link)
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


@pytest.fixture(params=["of the process", "in Redis"])
def take(request: pytest.FixtureRequest) -> Take:
    """Ann asks so many seconds after noon."""
    if request.param == "of the process":
        windows = LocalWindows()
        return lambda limit, second: windows.take("ann", limit, second)
    traveller = request.getfixturevalue("moved")

    def take(limit: Limit, second: float) -> Verdict:
        traveller.move_to(NOON + second)
        return rate_limit.allow("comment", "ann", limit)

    return take


class TestWindow:
    def test_what_fits_is_let_in_and_the_next_waits_for_the_first_to_leave(self, take: Take) -> None:
        told = [take(TWO_IN_TEN, second) for second in (0, 0, 3, 9.999, 10)]

        two_at_once = [Verdict(True, 1, 0), Verdict(True, 0, 10_000)]
        assert told == [*two_at_once, Verdict(False, 0, 7000), Verdict(False, 0, 1), Verdict(True, 1, 0)]

    def test_it_slides_and_whoever_keeps_trying_is_not_kept_out_for_longer(self, take: Take) -> None:
        let_in = [second for second in range(0, 40, 4) if take(TWO_IN_TEN, second).allowed]

        assert let_in == [0, 4, 12, 16, 24, 28, 36]

    def test_a_lowered_limit_waits_until_fewer_are_inside_than_fit(self, take: Take) -> None:
        for second in (0, 1, 2):
            take(Limit(3, 10), second)

        assert take(ONE_IN_TEN, 3) == Verdict(False, 0, 9000)


@pytest.mark.parametrize("where", ["of the process", "in Redis"])
def test_a_costly_request_counts_as_several_all_or_none(where: str, request: pytest.FixtureRequest) -> None:
    if where == "of the process":
        windows = LocalWindows()

        def take(requests: int, second: float) -> Verdict:
            return windows.take("ann", Limit(5, 10), second, requests)
    else:
        traveller = request.getfixturevalue("moved")

        def take(requests: int, second: float) -> Verdict:
            traveller.move_to(NOON + second)
            return rate_limit.allow("comment", "ann", Limit(5, 10), requests)

    assert take(3, 0) == Verdict(True, 2, 0)
    assert take(3, 1) == Verdict(False, 2, 9000)  # one of those at 0 must leave, and nothing was counted
    assert take(2, 4) == Verdict(True, 0, 6000)
    assert take(4, 5) == Verdict(False, 0, 9000)  # three leave at 10, the fourth at 14
    assert take(3, 10) == Verdict(True, 0, 4000)


def test_what_costs_more_than_the_limit_counts_as_the_whole_limit(moved: time_machine.Traveller) -> None:
    assert rate_limit.allow("comment", "bob", TWO_IN_TEN, 10) == Verdict(True, 0, 10_000)
    assert rate_limit.allow("comment", "bob", TWO_IN_TEN).allowed is False


class TestPlacesTakenAhead:
    GREAT = Limit(4000, 3000)  # so long that no handful gets old on a machine that is busy

    def test_redis_is_asked_once_for_a_handful_and_a_place_keeps_the_window_as_much_longer(
        self, moved: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = []
        run = rate_limit.client_of("boards").run

        def counted(script: lua.Script, keys: Sequence[str], args: Sequence[Argument]) -> object:
            asked.append(args[-1])
            return run(script, keys, args)

        monkeypatch.setattr(rate_limit.client_of("boards"), "run", counted)

        let_in = sum(rate_limit.allow("write", 1, self.GREAT).allowed for _ in range(4100))
        moved.shift(3029)
        before = rate_limit.allow("write", 1, self.GREAT)
        moved.shift(1)
        at = rate_limit.allow("write", 1, self.GREAT)

        assert asked[:6] == [1, 2, 4, 4, 4, 4]
        assert (let_in, before.allowed, at.allowed) == (4000, False, True)

    @ONE_SERVER
    def test_many_at_once_never_get_more_than_fit(self, boards: driver.Redis) -> None:
        def ask() -> int:
            return sum(rate_limit.allow("write", 1, self.GREAT).allowed for _ in range(600))

        let_in = sum(at_once([ask] * 8))

        assert 3900 < let_in <= 4000
        assert boards.zcard(rate_limit.key_of("write", 1)) == 4000


class TestWindowInRedis:
    KEY = rate_limit.key_of("comment", "ann")

    @ONE_SERVER
    def test_what_is_refused_leaves_nothing_behind_whatever_the_callers_clock_says(self, boards: driver.Redis) -> None:
        seconds, _ = boards.time()
        boards.zadd(self.KEY, {f"old{nth}": (seconds - 301) * 1_000_000 for nth in range(5)})  # go from memory
        told = rate_limit.allow("comment", "ann", ONE_IN_300)
        before = boards.zrange(self.KEY, 0, -1)

        with time_machine.travel("2036-01-01T00:00:00Z"):
            refused = rate_limit.allow("comment", "ann", ONE_IN_300)

        assert (told.allowed, refused.allowed, len(before)) == (True, False, 1)
        assert 299 <= refused.retry_after <= 300
        assert boards.zrange(self.KEY, 0, -1) == before
        assert 299_000 < boards.pttl(self.KEY) <= 300_000

    @ONE_SERVER
    def test_reading_is_counted_in_the_cache_and_nothing_else_is(self, redis_server: list[driver.Redis]) -> None:
        reading, writing = rate_limit.key_of("read", "127.0.0.1"), rate_limit.key_of("write", 1)

        rate_limit.allow("read", "127.0.0.1")
        rate_limit.allow("write", 1)

        boards, cache, _ = redis_server
        assert [cache.exists(reading), boards.exists(reading)] == [1, 0]
        assert [cache.exists(writing), boards.exists(writing)] == [0, 1]


class TestBrake:
    def test_brakes_and_callers_stand_apart_and_a_clock_that_was_set_back_keeps_nobody_out(
        self, moved: time_machine.Traveller
    ) -> None:
        for brake, who in (("comment", 1), ("comment", 2), ("like", 1)):
            assert rate_limit.allow(brake, who, ONE_IN_300).allowed
        moved.shift(-3600)
        assert rate_limit.allow("like", 1, ONE_IN_300).allowed

    def test_what_a_stranger_sends_is_no_part_of_a_key(self) -> None:
        assert re.fullmatch(r"limit:login:[0-9a-f]{32}", rate_limit.key_of("login", "x\r\nFLUSHALL \ud800"))

    def test_none_lets_everybody_through(self, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
        settings.RATE_LIMITS = {**settings.RATE_LIMITS, "read": None}
        monkeypatch.setattr(RedisClient, "run", lambda *_: pytest.fail("Redis was asked"))

        assert rate_limit.allow("read", 1).allowed


@pytest.mark.parametrize("trouble", [RedisAway("Redis is away."), RedisSilent("Redis did not answer in time.")])
def test_without_redis_reading_is_open_and_all_else_is_counted_by_the_process(
    monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    monkeypatch.setattr(RedisClient, "run", Mock(side_effect=trouble))

    def let_in(brake: str) -> list[bool]:
        return [rate_limit.allow(brake, "ann", TWO_IN_TEN).allowed for _ in range(3)]

    assert let_in("read") == [True] * 3
    for brake in ("write", "login", "link", "join", "like", "comment"):
        assert let_in(brake) == [True, True, False], brake


def test_a_text_names_requests_and_seconds_or_no_limit_and_any_other_is_refused() -> None:
    assert {text: read_limit(text) for text in TEXTS} == TEXTS
    assert [read_limit(text) for text in NO_LIMIT] == [None] * 3
    assert str(Limit(100, 10)) == "100/10"
    for text in NO_TEXTS:
        with pytest.raises(ValueError, match="limit"):
            read_limit(text)


class TestWindowsOfAProcess:
    def test_each_caller_has_one_and_the_one_longest_unasked_goes_when_there_are_too_many(self) -> None:
        windows = LocalWindows(most=2)

        let_in = [windows.take(name, ONE_IN_TEN, 100.0).allowed for name in ("ann", "bob", "ann", "carol", "ann")]

        assert let_in == [True, True, False, True, False]
        assert len(windows) == 2
        assert windows.take("bob", ONE_IN_TEN, 100.0).allowed
        windows.forget()
        assert windows.take("bob", ONE_IN_TEN, 100.0).allowed

    def test_many_threads_never_get_more_than_fit(self) -> None:
        windows = LocalWindows()

        def take() -> int:
            return sum(windows.take("ann", Limit(50, 10), 100.0).allowed for _ in range(20))

        assert sum(at_once([take] * 8)) == 50


class TestPlaces:
    def asked(self, limit: Limit, times: list[float]) -> list[int]:
        """What is asked for at each time, and granted in full."""
        ahead, told = ReservedQuota(), []
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

    def test_places_are_good_for_a_hundredth_of_the_window_and_for_one_caller_of_so_many(self) -> None:
        ahead = ReservedQuota(most=1)
        for name in ("bob", "ann"):
            ahead.keep(name, GREAT, 50, 100.0)

        assert [ahead.use("ann", GREAT, now) for now in (100.0, 100.099, 100.1)] == [0, 0, 1]
        assert ahead.use("bob", GREAT, 100.0) == 1

    def test_while_one_fetches_a_handful_the_others_take_a_place_each(self) -> None:
        ahead = ReservedQuota()
        ahead.keep("ann", GREAT, 8, 100.0)
        for _ in range(7):
            ahead.use("ann", GREAT, 100.0)

        fetched = [ahead.use("ann", GREAT, 100.0) for _ in range(3)]
        ahead.keep("ann", GREAT, 16, 100.0)
        ahead.keep("ann", GREAT, 1, 100.0)

        assert fetched == [16, 1, 1]
        assert [ahead.use("ann", GREAT, 100.0) for _ in range(15)] == [0] * 15
