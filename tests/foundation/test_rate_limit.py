"""The brakes: windows of a process and in Redis, where both keep the same rules; places taken ahead; no Redis."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import redis as driver
import time_machine
from django.conf import LazySettings

from foundation import lua, rate_limit
from foundation.limits import Limit, Verdict, Windows
from foundation.redis import Argument, Link, RedisAway, RedisSilent
from tests.at_once import at_once
from tests.fake_link import FakeLink

ONE_IN_TEN, TWO_IN_TEN, ONE_IN_300 = Limit(1, 10), Limit(2, 10), Limit(1, 300)
SCRIPT = Path(rate_limit.__file__).parent / "scripts" / "window.lua"
NOON = 1_795_262_400

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
    monkeypatch.setattr(rate_limit, "link_of", lambda _alias: link)
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


@pytest.fixture(params=["of the process", "in Redis"])
def take(request: pytest.FixtureRequest) -> Take:
    """Ann asks so many seconds after noon."""
    if request.param == "of the process":
        windows = Windows()
        return lambda limit, second: windows.take("ann", limit, second)
    traveller = request.getfixturevalue("moved")

    def take(limit: Limit, second: float) -> Verdict:
        traveller.move_to(NOON + second)
        return rate_limit.allow("comment", "ann", limit)

    return take


class TestWindow:
    def test_what_fits_is_let_in_and_the_next_waits_for_the_first_to_leave(self, take: Take) -> None:
        told = [take(TWO_IN_TEN, second) for second in (0, 1.5, 3)]

        assert told == [Verdict(True, 1, 0), Verdict(True, 0, 8500), Verdict(False, 0, 7000)]

    def test_two_at_the_same_microsecond_are_two(self, take: Take) -> None:
        assert [take(TWO_IN_TEN, 0).allowed for _ in range(3)] == [True, True, False]

    def test_a_request_leaves_exactly_when_its_seconds_are_over(self, take: Take) -> None:
        told = [take(ONE_IN_TEN, second) for second in (0, 9.999, 10)]

        assert [(each.allowed, each.wait_ms) for each in told[1:]] == [(False, 1), (True, 10_000)]

    def test_it_slides_and_whoever_keeps_trying_is_not_kept_out_for_longer(self, take: Take) -> None:
        let_in = [second for second in range(0, 40, 4) if take(TWO_IN_TEN, second).allowed]

        assert let_in == [0, 4, 12, 16, 24, 28, 36]

    def test_a_lowered_limit_waits_until_fewer_are_inside_than_fit(self, take: Take) -> None:
        for second in (0, 1, 2):
            take(Limit(3, 10), second)

        assert take(ONE_IN_TEN, 3) == Verdict(False, 0, 9000)

    def test_a_clock_that_was_set_back_keeps_nobody_out(self, moved: time_machine.Traveller) -> None:
        rate_limit.allow("comment", "ann", ONE_IN_TEN)

        moved.shift(-3600)

        assert rate_limit.allow("comment", "ann", ONE_IN_TEN).allowed


class TestPlacesTakenAhead:
    GREAT = Limit(4000, 3000)  # so long that no handful gets old on a machine that is busy

    def test_redis_is_asked_once_for_a_handful_and_a_place_keeps_the_window_as_much_longer(
        self, moved: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = []
        run = rate_limit.link_of("boards").run

        def counted(script: lua.Script, keys: Sequence[str], args: Sequence[Argument]) -> object:
            asked.append(args[-1])
            return run(script, keys, args)

        monkeypatch.setattr(rate_limit.link_of("boards"), "run", counted)

        let_in = sum(rate_limit.allow("write", 1, self.GREAT).allowed for _ in range(4100))
        moved.shift(3029)
        before = rate_limit.allow("write", 1, self.GREAT)
        moved.shift(1)
        at = rate_limit.allow("write", 1, self.GREAT)

        assert asked[:6] == [1, 2, 4, 4, 4, 4]
        assert (let_in, before.allowed, at.allowed) == (4000, False, True)

    def test_many_at_once_never_get_more_than_fit(self, boards: driver.Redis) -> None:
        def ask() -> int:
            return sum(rate_limit.allow("write", 1, self.GREAT).allowed for _ in range(600))

        let_in = sum(at_once([ask] * 8))

        assert 3900 < let_in <= 4000
        assert boards.zcard(rate_limit.key_of("write", 1)) == 4000


class TestWindowInRedis:
    KEY = rate_limit.key_of("comment", "ann")

    def test_what_is_refused_leaves_nothing_behind_whatever_the_callers_clock_says(self, boards: driver.Redis) -> None:
        rate_limit.allow("comment", "ann", ONE_IN_300)
        before = boards.zrange(self.KEY, 0, -1)

        with time_machine.travel("2036-01-01T00:00:00Z"):
            refused = rate_limit.allow("comment", "ann", ONE_IN_300)

        assert not refused.allowed
        assert 299 <= refused.retry_after <= 300
        assert boards.zrange(self.KEY, 0, -1) == before

    def test_what_left_the_window_is_gone_from_memory_and_at_last_the_key(self, boards: driver.Redis) -> None:
        seconds, _ = boards.time()
        boards.zadd(self.KEY, {f"old{nth}": (seconds - 11) * 1_000_000 for nth in range(5)})

        told = rate_limit.allow("comment", "ann", TWO_IN_TEN)

        assert (told.allowed, told.remaining) == (True, 1)
        assert boards.zcard(self.KEY) == 1
        assert 9_000 < boards.pttl(self.KEY) <= 10_000

    def test_reading_is_counted_in_the_cache_and_nothing_else_is(self, redis_server: list[driver.Redis]) -> None:
        reading, writing = rate_limit.key_of("read", "127.0.0.1"), rate_limit.key_of("write", 1)

        rate_limit.allow("read", "127.0.0.1")
        rate_limit.allow("write", 1)

        boards, cache, _ = redis_server
        assert [cache.exists(reading), boards.exists(reading)] == [1, 0]
        assert [cache.exists(writing), boards.exists(writing)] == [0, 1]


class TestBrake:
    def test_brakes_and_callers_stand_apart(self, moved: time_machine.Traveller) -> None:
        for brake, who in (("comment", 1), ("comment", 2), ("like", 1)):
            assert rate_limit.allow(brake, who, ONE_IN_300).allowed

    def test_none_lets_everybody_through_and_asks_nobody(
        self, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.RATE_LIMITS = {**settings.RATE_LIMITS, "read": None}
        monkeypatch.setattr(Link, "run", lambda *_: pytest.fail("Redis was asked"))

        assert rate_limit.allow("read", 1).allowed

    def test_what_a_stranger_sends_is_no_part_of_a_key(self, boards: driver.Redis) -> None:
        hostile = "x" * 5000 + "\r\nFLUSHALL \ud800"

        key = rate_limit.key_of("login", hostile)

        assert re.fullmatch(r"limit:login:[0-9a-f]{32}", key)
        assert rate_limit.allow("login", hostile, TWO_IN_TEN).allowed
        assert boards.exists(key)


@pytest.mark.parametrize("trouble", [RedisAway("Redis is away."), RedisSilent("Redis did not answer in time.")])
def test_without_redis_reading_is_open_and_all_else_is_counted_by_the_process(
    monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    def fail(*_: object) -> None:
        raise trouble

    monkeypatch.setattr(Link, "run", fail)

    def let_in(brake: str) -> list[bool]:
        return [rate_limit.allow(brake, "ann", TWO_IN_TEN).allowed for _ in range(3)]

    assert let_in("read") == [True] * 3
    for brake in ("write", "login", "link", "join", "like", "comment"):
        assert let_in(brake) == [True, True, False], brake


def test_the_scripts_header_lists_what_it_reads_and_it_touches_its_key_alone() -> None:
    code = re.sub(r"--[^\n]*", "", lua.load(SCRIPT).text)
    header = [line for line in SCRIPT.read_text().splitlines()[:4] if line.startswith("-- ")]

    for what in ("KEYS", "ARGV"):
        line = next(line for line in header if line.startswith(f"-- {what}"))
        assert re.findall(r"(?:^|\s)(\d) [a-z]", line) == sorted(set(re.findall(rf"{what}\[(\d)\]", code)))
    assert any("-- returns" in line for line in header)
    touched = re.findall(r"redis\.call\('(\w+)'(?:, ([^,)]+))?", code)
    assert touched
    assert all(command == "TIME" or key == "KEYS[1]" for command, key in touched)
