"""Requests that arrive while another is decided: decided together, in order, and none is left without a word."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from leaderboards.services.submit.group_commit import AnswerMissing, BatchAborted, GroupCommit
from tests.faults.world import wait_until

LONG = 30.0


class Desk:
    """Decides by doubling, notes which requests came to it at once, and is at work for as long as a test wants."""

    def __init__(self, max_batch: int = 100, max_wait: float = LONG, answer_timeout: float = LONG) -> None:
        self.together = GroupCommit(self._decide, max_batch, max_wait, answer_timeout)
        self.batches: list[list[int]] = []
        self.fails: Callable[[Sequence[int]], None] = lambda _: None
        self._busy: dict[int, threading.Event] = {}
        self._threads = ThreadPoolExecutor(32)

    def _decide(self, requests: Sequence[int]) -> list[int]:
        self.batches.append([*requests])
        if requests[0] in self._busy:
            assert self._busy[requests[0]].wait(LONG)
        self.fails(requests)
        return [2 * each for each in requests]

    def ask(self, request: int, key: str = "a") -> "Future[int]":
        """Ask in a thread of its own; it queues, or is being decided, when this returns."""
        known = self._known()
        asked = self._threads.submit(self.together.run, key, request)
        wait_until(lambda: asked.done() or self._known() > known, "a request that came")
        return asked

    def busy(self, request: int, key: str = "a") -> tuple["Future[int]", threading.Event]:
        """One that is being decided until the event is set."""
        done = self._busy[request] = threading.Event()
        return self.ask(request, key), done

    def queued(self) -> int:
        return sum(len(lane.queue) for lane in [*self.together._lanes.values()])

    def _known(self) -> int:
        return self.queued() + sum(map(len, self.batches))


def test_who_comes_alone_is_decided_alone_and_leaves_nothing_behind() -> None:
    desk = Desk()

    assert [desk.ask(1).result(LONG), desk.ask(2).result(LONG)] == [2, 4]
    assert desk.batches == [[1], [2]]
    assert not desk.together._lanes


def test_those_who_come_meanwhile_are_one_batch_in_order_of_arrival_and_each_hears_their_own() -> None:
    desk = Desk()
    first, done = desk.busy(1)
    others = [desk.ask(number) for number in range(2, 12)]

    done.set()

    assert [each.result(LONG) for each in (first, *others)] == [2 * number for number in range(1, 12)]
    assert desk.batches == [[1], [*range(2, 12)]]
    assert not desk.together._lanes


def test_a_batch_has_its_bound_and_the_next_follows() -> None:
    desk = Desk(max_batch=3)
    _, done = desk.busy(1)
    others = [desk.ask(number) for number in range(2, 9)]

    done.set()

    assert [each.result(LONG) for each in others] == [2 * number for number in range(2, 9)]
    assert desk.batches == [[1], [2, 3, 4], [5, 6, 7], [8]]


def test_two_keys_never_share_nor_wait_for_each_other() -> None:
    desk = Desk()
    first, done = desk.busy(1, "a")
    waiting = desk.ask(2, "a")

    assert desk.ask(3, "b").result(LONG) == 6
    assert not waiting.done()
    done.set()
    assert (first.result(LONG), waiting.result(LONG)) == (2, 4)
    assert desk.batches == [[1], [3], [2]]


def test_a_company_that_dissolves_tells_each_so_and_the_next_goes_on() -> None:
    desk = Desk()
    first, done = desk.busy(1)
    others = [desk.ask(number) for number in (2, 3)]

    def fail(requests: Sequence[int]) -> None:
        if len(requests) > 1:
            raise BatchAborted("no")

    desk.fails = fail
    done.set()

    assert first.result(LONG) == 2
    for each in others:
        with pytest.raises(BatchAborted):
            each.result(LONG)
    assert desk.ask(4).result(LONG) == 8


@pytest.mark.parametrize("failure", [ValueError("no"), SystemExit(1)], ids=["an error", "the end of its thread"])
def test_where_the_leader_fails_they_hear_it_and_the_others_that_nobody_knows(failure: BaseException) -> None:
    desk = Desk()
    _, done = desk.busy(1)
    leader, *others = [desk.ask(number) for number in (2, 3, 4)]

    def fail(requests: Sequence[int]) -> None:
        if requests[0] == 2:
            raise failure

    desk.fails = fail
    done.set()

    with pytest.raises(type(failure)):
        leader.result(LONG)
    for each in others:
        with pytest.raises(AnswerMissing):
            each.result(LONG)
    assert desk.ask(5).result(LONG) == 10
    assert desk.batches == [[1], [2, 3, 4], [5]]


def test_where_who_is_alone_fails_those_who_queue_are_decided() -> None:
    desk = Desk()
    leader, done = desk.busy(1)
    others = [desk.ask(number) for number in (2, 3)]

    def fail(requests: Sequence[int]) -> None:
        if requests[0] == 1:
            raise ValueError("no")

    desk.fails = fail
    done.set()

    with pytest.raises(ValueError, match="no"):
        leader.result(LONG)
    assert [each.result(LONG) for each in others] == [4, 6]


def test_a_leader_who_takes_long_keeps_nobody() -> None:
    desk = Desk(max_wait=0.02)
    held_up, done = desk.busy(1)

    assert [desk.ask(number).result(LONG) for number in (2, 3)] == [4, 6]
    assert not held_up.done()
    done.set()
    assert held_up.result(LONG) == 2
    assert desk.ask(4).result(LONG) == 8
    assert not desk.together._lanes


def test_who_was_taken_along_waits_so_long_and_is_not_decided_twice() -> None:
    desk = Desk(max_wait=1.0, answer_timeout=0.05)
    _, begun = desk.busy(1)
    leader, done = desk.busy(2)
    taken = desk.ask(3)
    begun.set()

    with pytest.raises(AnswerMissing):
        taken.result(LONG)
    done.set()
    assert leader.result(LONG) == 4
    assert desk.batches == [[1], [2, 3]]


def test_many_threads_each_hear_their_own() -> None:
    desk = Desk(max_batch=5, max_wait=0.001)

    with ThreadPoolExecutor(16) as threads:
        told = [*threads.map(lambda number: desk.together.run(number % 2, number), range(2000))]

    assert told == [2 * number for number in range(2000)]
    assert sorted(number for batch in desk.batches for number in batch) == [*range(2000)]
    assert all(len({number % 2 for number in batch}) == 1 for batch in desk.batches)
    assert not desk.together._lanes
