"""A run: load on a deployment for some time, a fault every twenty seconds, rolling restarts, and what came of it."""

import random
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tests.faults.check import check
from tests.faults.world import ALWAYS_EXACT, World, wait_until
from tests.soak import prepare
from tests.soak.deployment import Deployment
from tests.soak.faults import REDIS, SCORES, Weather
from tests.soak.line import Line
from tests.soak.memory import Sampler
from tests.soak.record import Record
from tests.soak.roles import Admin, Liker, Racer, Reader, Role, Scorer

FAULT_EVERY = 20.0  # seconds
LONG = 300.0  # seconds


class Run:
    """The load on one deployment, and its record."""

    def __init__(self, site: Deployment, seed: int, say: Callable[[str], None], scale: int = 1) -> None:
        self.site, self.say, self.record = site, say, Record()
        self._dice, self.began = random.Random(seed), time.monotonic()
        self.boards: dict[str, int] = site.world.make_boards()
        self.made: dict[str, Any] = site.world.call(prepare.prepare)
        site.world.boards.append(self.made["its_board"])
        self.roles = self._roles(scale)
        self.sampler = Sampler({
            **{each.name: each.children for each in site.web},
            "worker": site.worker.pids, "beat": site.beat.pids, "proxy": site.proxy.children,
            "boards' Redis": lambda: _pid(site.world.redis), "passing Redis": lambda: _pid(site.passing),
        })  # fmt: skip  # as a table

    def _roles(self, scale: int) -> list[Role]:
        exact = [self.boards[name] for name in ALWAYS_EXACT]
        every = [*exact, self.boards["redis"]]
        cup, its_board, notes = self.made["competition"], self.made["its_board"], self.site.world.new_history
        roles: list[Role] = []
        for _ in range(scale):
            roles += [
                Scorer(self._line(), self._seed(), notes(), {SCORES: exact, REDIS: [self.boards["redis"]]}, size)
                for size in (1, 1, 1, 20, 100)
            ]
            roles += [Racer(self._line(), self._seed(), notes(), cup, its_board)]
            roles += [Liker(self._line(), self._seed(), self.made["comments"]) for _ in range(2)]
            roles += [Reader(self._line(with_key=False), self._seed(), every, cup) for _ in range(3)]
        browser = Line(self.site.port, self.record, True, {"Cookie": self.made["cookie"]})
        return [*roles, Admin(browser, self._seed(), self.made["bannable"])]

    def _line(self, with_key: bool = True) -> Line:
        """Every other client keeps its connections."""
        headers = {"Authorization": f"Bearer {self.made['key']}"} if with_key else {}
        return Line(self.site.port, self.record, self._dice.random() < 0.5, headers)

    def _seed(self) -> int:
        return self._dice.randrange(10**9)

    def begin(self) -> None:
        """All begin; returns when each kind of request was answered well."""
        self.began = time.monotonic()
        for each in self.roles:
            each.begin()
        self.wait_until_answered()
        self.sampler.begin()

    def wait_until_answered(self) -> None:
        """Until each kind of request has another good answer."""
        since, kinds = time.monotonic(), {kind for role in self.roles for kind in role.kinds}

        def answered() -> bool:
            self._raise_errors()
            return self.record.answered_since(since, kinds)

        try:
            wait_until(answered, f"a good answer to each of {kinds}")
        except AssertionError:
            self.say("\n".join(self.told(self.record.failed()[-5:])))
            raise

    def end(self) -> None:
        """All end, once they know what became of what they asked for."""
        self.sampler.end()
        for each in self.roles:
            each.end()
        for each in self.roles:
            each.join()
        self._raise_errors()

    def _raise_errors(self) -> None:
        errors = [f"{type(each).__name__}: {each.error}" for each in self.roles if each.error]
        assert not errors, errors

    def soak(self, seconds: float) -> None:
        """Faults, and rolling restarts: one, or in a long run two, after a fifth and two fifths of the time."""
        weather = Weather(self.site, self.record, self._seed(), self.say)
        ends, restarts = self.began + seconds, [self.began + share * seconds for share in (0.2, 0.4)]
        del restarts[1 if seconds < LONG else 2 :]
        while time.monotonic() < ends:
            began = time.monotonic()
            if restarts and began > restarts[0]:
                restarts.pop(0)
                self.site.restart_web()
                self.say(f"web was restarted, one instance after the other, in {time.monotonic() - began:.1f} s")
            else:
                weather.strike()
            _sleep_until(min(ends, began + FAULT_EVERY))
        self.wait_until_answered()

    def judge(self) -> None:
        """Everything that must be true at the end."""
        outside = self.record.failed_outside()
        assert not outside, f"{len(outside)} requests failed outside of windows: {self.told(outside[:5])}"
        check_stores(self.site.world)
        for command in (["verify"], ["check_likes"]):
            status, said = self.site.manage(*command)
            assert status == 0, f"{command}: {said[-2000:]}"
        self._check_told()

    def told(self, failures: Any) -> list[str]:
        """Failures with the seconds since the run's beginning."""
        return [
            f"{each.kind} at {each.began - self.began:.1f}-{each.ended - self.began:.1f} s: {each.problem}"
            for each in failures
        ]

    def _check_told(self) -> None:
        """Likes, bans and attempts are what those were told last who asked for them."""
        call = self.site.world.call
        wanted: dict[str, list[str]] = {}
        for role in self.roles:
            for comment in role.likes if isinstance(role, Liker) else ():
                wanted.setdefault(str(comment), []).append(role.player)  # type: ignore[attr-defined]  # the role is a Liker, which has a player
        assert call(prepare.likes) == {comment: sorted(players) for comment, players in wanted.items()}
        for role in self.roles:
            if isinstance(role, Admin):
                assert call(prepare.banned) == sorted(role.banned)
        took = {player: many for role in self.roles if isinstance(role, Racer) for player, many in role.took.items()}
        assert call(prepare.attempts) == took
        assert set(took.values()) == {prepare.ATTEMPTS}


def check_stores(world: World) -> None:
    """Every board has what was acknowledged, once; nothing has an unknown outcome any more.

    An attempt too many may have been refused after an answer that was lost; the limit itself is looked at elsewhere.
    """
    unsettled = [each for each in world.history().unsettled() if each.attempts[-1].code != "too_many_attempts"]
    assert not unsettled, unsettled[:3]
    check(world, exact=False)


def _pid(server: Any) -> list[int]:
    with suppress(AssertionError):
        return [server.process.pid]
    return []


def _sleep_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.monotonic()))
