"""Group commit: requests that arrive together are decided as one batch, and share its costs.

The first request is decided at once. Requests that arrive while it is being decided wait in a queue. Once it is done,
the first of the queue becomes the leader and decides all that are queued, in order of arrival. If a leader takes longer
than ``max_wait``, the first of the queue leads without waiting any more. So a request is decided in its own thread, or
in the thread of another one of its batch.

The trap: a batch runs with the leader's thread-local state (connections, audit actor, language), so it may use nothing
of the other requests but the request values.
"""

import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Generic, TypeVar

Request = TypeVar("Request")
Answer = TypeVar("Answer")


class BatchAborted(Exception):
    """Nothing was done for a batch: each of its requests is to be decided alone."""


class AnswerMissing(Exception):
    """The leader did not answer a request of its batch, which may have been applied."""


def _has_no_effect(_error: Exception) -> bool:
    return False


def abort_batch_on_error(
    is_batch: bool,
    may_have_taken_effect: Callable[[Exception], bool] = _has_no_effect,
    expected_errors: tuple[type[Exception], ...] = (),
) -> AbstractContextManager[None]:
    """A block that turns an error into ``BatchAborted``, if a batch is decided and the error has left nothing done.

    ``expected_errors`` pass unchanged. For a single request every error passes.
    """
    return _abort_batch(may_have_taken_effect, expected_errors) if is_batch else nullcontext()


@contextmanager
def _abort_batch(
    may_have_taken_effect: Callable[[Exception], bool], expected_errors: tuple[type[Exception], ...]
) -> Iterator[None]:
    try:
        yield
    except expected_errors:
        raise
    except Exception as error:
        if may_have_taken_effect(error):
            raise
        raise BatchAborted("It failed before anything was done.") from error


class _Member(Generic[Request, Answer]):
    """One request in its thread. It leads a batch, or another thread takes it into one and sets its answer or error."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.is_taken = False
        self.answer: Answer | None = None
        self.error: Exception | None = None
        self.woken = threading.Event()


class _Lane(Generic[Request, Answer]):
    """The leader and the queue of one key."""

    def __init__(self, leader: _Member[Request, Answer]) -> None:
        self.leader = leader
        self.queue: deque[_Member[Request, Answer]] = deque()


class GroupCommit(Generic[Request, Answer]):
    """Decides requests of the same key together.

    ``decide`` gets 1 to ``max_batch`` requests and returns as many answers; for several it may raise ``BatchAborted``
    if it has done nothing. ``max_wait`` is how long (seconds) a request queues before it leads, ``answer_timeout`` how
    long it waits for the leader that has taken it.
    """

    def __init__(
        self,
        decide: Callable[[Sequence[Request]], Sequence[Answer]],
        max_batch: int,
        max_wait: float,
        answer_timeout: float,
    ) -> None:
        self._decide, self._max_batch = decide, max_batch
        self._max_wait, self._answer_timeout = max_wait, answer_timeout
        self._mutex = threading.Lock()
        self._lanes: dict[Hashable, _Lane[Request, Answer]] = {}

    def run(self, key: Hashable, request: Request) -> Answer:
        """The answer to a request.

        Raises what ``decide`` raises, and ``AnswerMissing`` if the leader did not answer. After ``BatchAborted``
        nothing was done for the request.
        """
        me: _Member[Request, Answer] = _Member(request)
        with self._mutex:
            lane = self._lanes.get(key)
            if lane is None:
                lane = self._lanes[key] = _Lane(me)
                batch = [me]
            else:
                lane.queue.append(me)
                batch = []
        try:
            batch = batch or self._wait_in_queue(lane, me)
            if batch:
                self._lead(batch)
        finally:
            self._leave(key, lane, me)
        return self._answer(me)

    def _wait_in_queue(
        self, lane: _Lane[Request, Answer], me: _Member[Request, Answer]
    ) -> list[_Member[Request, Answer]]:
        """Wait for a turn. The batch to lead, with this request in it; empty if another thread leads it."""
        while True:
            me.woken.wait(self._max_wait)
            with self._mutex:
                if me.is_taken:
                    return []
                if lane.queue[0] is me:  # requests behind the first arrived later, so their time is not up
                    lane.leader = me
                    batch = [lane.queue.popleft() for _ in range(min(self._max_batch, len(lane.queue)))]
                    for member in batch:
                        member.is_taken = True
                    return batch

    def _lead(self, batch: Sequence[_Member[Request, Answer]]) -> None:
        """Decide a batch. Each member gets an answer or an error, even if this thread is killed."""
        failure: Exception = AnswerMissing("The thread that decided ended without an answer.")
        try:
            answers = self._decide([member.request for member in batch])
            for member, answer in zip(batch, answers, strict=True):
                member.answer = answer
        except BatchAborted as error:
            failure = error
        finally:
            for member in batch:
                if member.answer is None:
                    member.error = failure
                member.woken.set()

    def _leave(self, key: Hashable, lane: _Lane[Request, Answer], me: _Member[Request, Answer]) -> None:
        """Hand the lead to the first of the queue, if this request still has it."""
        with self._mutex:
            if not me.is_taken and me in lane.queue:  # an exception ended the wait
                lane.queue.remove(me)
            if lane.leader is not me:
                return
            if lane.queue:
                lane.leader = lane.queue[0]
                lane.leader.woken.set()
            else:
                del self._lanes[key]

    def _answer(self, me: _Member[Request, Answer]) -> Answer:
        """The answer or the error, waited for if another thread leads."""
        if not me.woken.wait(self._answer_timeout):
            raise AnswerMissing("The request that this one was decided with takes too long.")
        if me.error is not None:
            raise type(me.error)(*me.error.args) from me.error
        assert me.answer is not None  # noqa: S101 - answer or error is set before a member wakes; for the type checker
        return me.answer
