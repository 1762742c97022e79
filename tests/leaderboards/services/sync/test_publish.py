"""In step: every way in which writers, reconciling, a rebuild and closing may meet, on real servers.

Each actor is a thread that stops at every failpoint; chance says who goes on. One who waits for a lock is left to it.
Points are bits, so that what Redis shows tells whose submissions are in it.
"""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from unittest.mock import patch

import pytest
from django.db import connection

from foundation.db.resilience import SqlBusy
from foundation.redis import client as redis
from leaderboards.models import Period, PeriodState, Standing
from leaderboards.services.periods import close
from leaderboards.services.submit import decide_sql
from leaderboards.services.sync import publish, reconcile, resync_periods
from leaderboards.stores.redis.publish import Publisher
from tests.leaderboards.services.site import NOON, crowd, in_redis, in_sql, make_board
from tests.leaderboards.services.sync.scored_bits import BEFORE, NEVER, ONE, OTHER, RolledBack, sent
from tests.links import links

__all__ = ["links"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("links"),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time"),
]
MODULES = (publish, reconcile, resync_periods, close, decide_sql)
WRITERS = {"one": ONE, "other": OTHER}
BLOCKED_SECONDS = 0.03
PATIENCE_SECONDS = 20.0


class Actor(threading.Thread):
    """Runs an action, and waits at each step until it is told to go on."""

    def __init__(self, name: str, action: Callable[[], object], dies_at: str = "") -> None:
        super().__init__(name=name, daemon=True)
        self._action, self._dies_at = action, dies_at
        self._going, self.waits = threading.Event(), threading.Event()
        self.error: BaseException | None = None
        self.steps: list[str] = []

    def run(self) -> None:
        self._pause("begins")
        try:
            self._action()
        except RolledBack:
            pass
        except BaseException as error:
            self.error = error
        finally:
            connection.close()
            self.steps.append("ends")
            self.waits.set()

    def _pause(self, step: str) -> None:
        self.steps.append(step)
        self.waits.set()
        self._going.wait()
        self._going.clear()

    def step(self, name: str) -> None:
        self._pause(name)
        if name == self._dies_at:
            raise RolledBack

    def go_on(self) -> None:
        self.waits.clear()
        self._going.set()
        self.waits.wait(BLOCKED_SECONDS)

    @property
    def is_over(self) -> bool:
        return self.steps[-1:] == ["ends"]


@pytest.fixture(autouse=True)
def _stop_at_every_step() -> Iterator[None]:
    def stop(name: str) -> None:
        if isinstance(actor := threading.current_thread(), Actor):
            actor.step(name)

    with ExitStack() as patched:
        for module in MODULES:
            patched.enter_context(patch.object(module, "failpoint", stop))
        yield


def rebuilt(period: Period) -> None:
    Period.objects.filter(pk=period.pk, state=PeriodState.OPEN, stale_since=None).update(
        stale_since=NOON, needs_full_rebuild=True
    )
    with suppress(SqlBusy):  # a writer was stopped for too long while it held the lock: the next round does it
        resync_periods.PeriodResync(period).resync()


class Reader:
    """Looks after each step: what is shown is committed, nothing that was shown goes away, nor what was answered."""

    def __init__(self, period: Period) -> None:
        self._period, self._seen = period, BEFORE

    def look(self, answered: int) -> None:
        before = self._course()
        shown = int(next(iter(in_redis(self._period).values()), 0))
        kept = redis.resync_client().call("GET", self._period.family.gen)
        after, committed = self._course(), self._points()
        if before != after or after[1] is not None or after[2] != PeriodState.OPEN or kept != str(after[0]).encode():
            return
        assert shown & ~committed == 0, f"Redis shows {shown:b}, SQL has {committed:b}"
        assert self._seen & ~shown == 0, f"Redis showed {self._seen:b}, and shows {shown:b}"
        assert answered & ~shown == 0, f"writers of {answered:b} were answered, and Redis shows {shown:b}"
        self._seen = shown

    def _course(self) -> tuple[object, ...]:
        return Period.objects.values_list("generation", "stale_since", "state").get(pk=self._period.pk)

    def _points(self) -> int:
        return Standing.objects.values_list("points", flat=True).get(period=self._period) or 0


def play(dice: random.Random, actors: list[Actor], reader: Reader) -> None:
    for actor in actors:
        actor.start()
        actor.waits.wait()
    waited = 0.0
    while any(not actor.is_over for actor in actors):
        ready = [actor for actor in actors if actor.waits.is_set() and not actor.is_over]
        if ready:
            dice.choice(ready).go_on()
        else:
            waited += BLOCKED_SECONDS
            assert waited < PATIENCE_SECONDS, [actor.steps[-1] for actor in actors]
            threading.Event().wait(BLOCKED_SECONDS)
        reader.look(sum(points for name, points in WRITERS.items() if _is_over(actors, name)))
    for actor in actors:
        actor.join()
        assert actor.error is None, (actor.name, actor.steps, actor.error)


def test_two_writers_one_who_rolls_back_a_reconciler_a_rebuild_and_closing_in_any_order() -> None:
    for nth in range(12):
        one_order(random.Random(f"in step {nth}"), closes=nth % 4 == 3)


@pytest.mark.long
def test_the_same_in_many_more_orders() -> None:
    for nth in range(12, 48):
        one_order(random.Random(f"in step {nth}"), closes=nth % 4 == 3)


def one_order(dice: random.Random, closes: bool) -> None:
    board = make_board("hybrid", update="increment", name=f"Board {dice.random()}")
    period = crowd(board, {"ann": BEFORE})
    actors = [
        Actor("one", sent(board, ONE)),
        Actor("other", sent(board, OTHER)),
        Actor("who rolls back", sent(board, NEVER), dies_at="submit.before_commit"),
        Actor("reconciler", lambda: resync_periods.resync_due(NOON)),
        Actor("rebuild", lambda: rebuilt(period)),
    ]
    if closes:
        actors.append(Actor("closer", lambda: close.stop_accepting(period)))
    wanted = dice.sample(actors, dice.randint(3, len(actors)))

    play(dice, wanted, Reader(period))

    for _ in range(2):
        resync_periods.resync_due(NOON)
    period.refresh_from_db()
    counted = in_sql(period)
    assert period.stale_since is None
    assert in_redis(period) == counted
    assert not any(Publisher(redis.boards()).inflight(period))
    if not closes:
        committed = BEFORE + sum(points for name, points in WRITERS.items() if _is_over(wanted, name))
        assert [*counted.values()] == [float(committed)]


def _is_over(actors: list[Actor], name: str) -> bool:
    return any(actor.name == name and actor.is_over for actor in actors)
