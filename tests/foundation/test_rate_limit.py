"""The brakes: the window in Redis, on a real server and on one whose clock the test moves; and without Redis."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import redis as driver
import time_machine
from django.conf import LazySettings, settings

from foundation import lua, rate_limit
from foundation.errors import RateLimited
from foundation.limits import Limit
from foundation.redis import Argument, Link, RedisAway, RedisSilent
from tests.at_once import at_once
from tests.fake_link import FakeLink

TWO_IN_TEN = Limit(2, 10)
SCRIPT = Path(rate_limit.__file__).parent / "scripts" / "window.lua"


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """A process that counted nothing and knows no failure."""
    rate_limit.reset()
    yield
    rate_limit.reset()


@pytest.fixture
def boards() -> Iterator[driver.Redis]:
    with driver.Redis.from_url(settings.REDIS_URL) as client:
        yield client


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> Iterator[time_machine.Traveller]:
    """A Redis in this process, whose clock is the test's."""
    link = FakeLink()
    monkeypatch.setattr(rate_limit, "link_of", lambda _alias: link)
    with time_machine.travel("2026-11-21T12:00:00Z", tick=False) as traveller:
        yield traveller


@pytest.fixture
def no_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    class Away(FakeLink):
        def run(self, *_: object) -> None:
            raise RedisAway("Redis is away.")

    link = Away()
    monkeypatch.setattr(rate_limit, "link_of", lambda _alias: link)


class TestWindowOnAClockThatMoves:
    def test_what_fits_is_let_in_and_the_next_waits_for_the_first_to_leave(self, moved: time_machine.Traveller) -> None:
        told = []
        for _ in range(3):
            told.append(rate_limit.allow("comment", "ann", TWO_IN_TEN))
            moved.shift(1.5)

        assert [(each.allowed, each.remaining, each.wait_ms) for each in told] == [
            (True, 1, 0),
            (True, 0, 8500),
            (False, 0, 7000),
        ]

    def test_a_request_leaves_exactly_when_its_seconds_are_over(self, moved: time_machine.Traveller) -> None:
        rate_limit.allow("comment", "ann", Limit(1, 10))
        moved.shift(9.999)
        before = rate_limit.allow("comment", "ann", Limit(1, 10))
        moved.shift(0.001)

        at = rate_limit.allow("comment", "ann", Limit(1, 10))

        assert (before.allowed, before.wait_ms, at.allowed) == (False, 1, True)

    def test_the_window_slides_and_is_no_calendar_second(self, moved: time_machine.Traveller) -> None:
        let_in = []
        for _ in range(20):
            let_in.append(rate_limit.allow("comment", "ann", TWO_IN_TEN).allowed)
            moved.shift(4)

        times = [4 * nth for nth, allowed in enumerate(let_in) if allowed]
        assert times[:4] == [0, 4, 12, 16]
        assert all(later - earlier >= 10 for earlier, later in zip(times, times[2:], strict=False))

    def test_a_clock_that_was_set_back_keeps_nobody_out(self, moved: time_machine.Traveller) -> None:
        rate_limit.allow("comment", "ann", Limit(1, 10))

        moved.shift(-3600)

        assert rate_limit.allow("comment", "ann", Limit(1, 10)).allowed

    def test_a_lowered_limit_waits_until_fewer_are_inside_than_fit(self, moved: time_machine.Traveller) -> None:
        for _ in range(3):
            rate_limit.allow("comment", "ann", Limit(3, 10))
            moved.shift(1)

        assert rate_limit.allow("comment", "ann", Limit(1, 10)).wait_ms == 9000

    def test_two_at_the_same_microsecond_are_two(self, moved: time_machine.Traveller) -> None:
        let_in = [rate_limit.allow("comment", "ann", TWO_IN_TEN).allowed for _ in range(3)]

        assert let_in == [True, True, False]


class TestPlacesTakenAhead:
    GREAT = Limit(4000, 3000)  # so long that no handful gets old on a machine that is busy

    def test_of_a_great_limit_never_more_are_let_in_than_fit(self, moved: time_machine.Traveller) -> None:
        let_in = sum(rate_limit.allow("write", 1, self.GREAT).allowed for _ in range(4500))

        assert let_in == 4000

    def test_redis_is_asked_once_for_a_handful(
        self, moved: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = []
        run = rate_limit.link_of("boards").run

        def counted(script: lua.Script, keys: Sequence[str], args: Sequence[Argument]) -> object:
            asked.append(args[-1])
            return run(script, keys, args)

        monkeypatch.setattr(rate_limit.link_of("boards"), "run", counted)

        for _ in range(19):
            rate_limit.allow("write", 1, self.GREAT)

        assert asked == [1, 2, 4, 4, 4, 4]

    def test_a_place_taken_ahead_keeps_the_window_as_much_longer(self, moved: time_machine.Traveller) -> None:
        for _ in range(4000):
            rate_limit.allow("write", 1, self.GREAT)
        moved.shift(3029)
        before = rate_limit.allow("write", 1, self.GREAT)
        moved.shift(1)

        at = rate_limit.allow("write", 1, self.GREAT)

        assert (before.allowed, at.allowed) == (False, True)

    def test_many_at_once_never_get_more_than_fit(self, boards: driver.Redis) -> None:
        def ask() -> int:
            return sum(rate_limit.allow("write", 1, self.GREAT).allowed for _ in range(700))

        let_in = sum(at_once([ask] * 8))

        assert 3900 < let_in <= 4000
        assert boards.zcard(rate_limit.key_of("write", 1)) == 4000


class TestWindowInRedis:
    def test_many_at_once_never_get_more_than_fit(self, boards: driver.Redis) -> None:
        def ask() -> int:
            return sum(rate_limit.allow("comment", "ann", Limit(50, 300)).allowed for _ in range(20))

        let_in = sum(at_once([ask] * 8))

        assert let_in == 50
        assert boards.zcard(rate_limit.key_of("comment", "ann")) == 50

    def test_what_is_refused_leaves_nothing_behind(self, boards: driver.Redis) -> None:
        key = rate_limit.key_of("comment", "ann")
        rate_limit.allow("comment", "ann", Limit(1, 300))
        before = boards.zrange(key, 0, -1)

        refused = rate_limit.allow("comment", "ann", Limit(1, 300))

        assert not refused.allowed
        assert 299 <= refused.retry_after <= 300
        assert boards.zrange(key, 0, -1) == before

    def test_the_clock_is_the_servers_whatever_the_callers_says(self) -> None:
        rate_limit.allow("comment", "ann", Limit(1, 300))

        with time_machine.travel("2036-01-01T00:00:00Z"):
            later = rate_limit.allow("comment", "ann", Limit(1, 300))

        assert not later.allowed

    def test_what_left_the_window_is_gone_from_memory(self, boards: driver.Redis) -> None:
        key = rate_limit.key_of("comment", "ann")
        seconds, _ = boards.time()
        boards.zadd(key, {f"old{nth}": (seconds - 11) * 1_000_000 for nth in range(5)})

        told = rate_limit.allow("comment", "ann", TWO_IN_TEN)

        assert (told.allowed, told.remaining) == (True, 1)
        assert boards.zcard(key) == 1

    def test_the_key_goes_with_its_window(self, boards: driver.Redis) -> None:
        rate_limit.allow("comment", "ann", TWO_IN_TEN)

        assert 9_000 < boards.pttl(rate_limit.key_of("comment", "ann")) <= 10_000

    def test_reading_is_counted_in_the_cache_and_nothing_else_is(self, boards: driver.Redis) -> None:
        rate_limit.allow("read", "127.0.0.1")
        rate_limit.allow("write", 1)

        with driver.Redis.from_url(settings.CACHE_URL) as cache:
            assert cache.exists(rate_limit.key_of("read", "127.0.0.1"))
        assert boards.exists(rate_limit.key_of("write", 1))
        assert not boards.exists(rate_limit.key_of("read", "127.0.0.1"))


class TestBrake:
    def test_brakes_and_callers_stand_apart(self) -> None:
        for brake, who in (("comment", 1), ("comment", 2), ("like", 1)):
            assert rate_limit.allow(brake, who, Limit(1, 300)).allowed

    def test_the_settings_say_how_much(self, settings: LazySettings) -> None:
        settings.RATE_LIMITS = {**settings.RATE_LIMITS, "comment": Limit(1, 300)}
        rate_limit.refuse_over("comment", 1)

        with pytest.raises(RateLimited) as caught:
            rate_limit.refuse_over("comment", 1)

        assert 299 <= caught.value.retry_after <= 300

    def test_none_lets_everybody_through_and_asks_nobody(
        self, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.RATE_LIMITS = {**settings.RATE_LIMITS, "read": None}
        monkeypatch.setattr(Link, "run", lambda *_: pytest.fail("Redis was asked"))

        assert rate_limit.allow("read", 1).allowed

    def test_what_a_stranger_sends_is_no_part_of_a_key(self) -> None:
        hostile = "x" * 5000 + "\r\nFLUSHALL \ud800"

        key = rate_limit.key_of("login", hostile)

        assert re.fullmatch(r"limit:login:[0-9a-f]{32}", key)
        assert rate_limit.allow("login", hostile, TWO_IN_TEN).allowed


@pytest.mark.usefixtures("no_redis")
class TestWithoutRedis:
    def test_reading_is_open(self) -> None:
        let_in = [rate_limit.allow("read", "127.0.0.1", Limit(1, 300)).allowed for _ in range(3)]

        assert let_in == [True] * 3

    @pytest.mark.parametrize("brake", ["write", "login", "link", "join", "like", "comment"])
    def test_everything_else_is_counted_by_the_process(self, brake: str) -> None:
        let_in = [rate_limit.allow(brake, "ann", TWO_IN_TEN).allowed for _ in range(3)]

        assert let_in == [True, True, False]


def test_a_redis_that_does_not_answer_limits_nobody_beyond_the_processs_own_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def silent(*_: object) -> None:
        raise RedisSilent("Redis did not answer in time.")

    monkeypatch.setattr(Link, "run", silent)

    let_in = [rate_limit.allow("write", 1, TWO_IN_TEN).allowed for _ in range(3)]

    assert let_in == [True, True, False]


class TestScript:
    def code(self) -> str:
        return re.sub(r"--[^\n]*", "", lua.load(SCRIPT).text)

    def header(self) -> str:
        lines = SCRIPT.read_text().splitlines()
        return "\n".join(line for line in lines[:4] if line.startswith("-- "))

    @pytest.mark.parametrize("what", ["KEYS", "ARGV"])
    def test_its_header_lists_what_the_code_reads(self, what: str) -> None:
        line = next(line for line in self.header().splitlines() if line.startswith(f"-- {what}"))

        listed = re.findall(r"(?:^|\s)(\d) [a-z]", line)

        assert listed == sorted(set(re.findall(rf"{what}\[(\d)\]", self.code())))
        assert "-- returns" in self.header()

    def test_it_touches_its_key_alone(self) -> None:
        touched = re.findall(r"redis\.call\('(\w+)'(?:, ([^,)]+))?", self.code())

        assert touched
        assert all(command == "TIME" or key == "KEYS[1]" for command, key in touched)
