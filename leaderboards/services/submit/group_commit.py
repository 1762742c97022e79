"""Requests that arrive together are decided together: what each would pay for alone is paid for once.

Nobody waits on purpose. Who finds nobody at work begins at once, alone. Who comes meanwhile queues; once the work is
done, the first of the queue leads all that is in it, in order of arrival. A leader who takes too long keeps nobody: the
first of the queue leads without them. So each request is decided in a thread of its own or of one that waits with it.

The trap: the work runs with what belongs to the leader's thread (connections, who acts, language), so it may be given
nothing else of those who wait than what stands in their requests.
"""

import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

Request = TypeVar("Request")
Answer = TypeVar("Answer")


class BatchAborted(Exception):
    """Nothing was done for a company: each of it is to be decided alone."""


class AnswerMissing(Exception):
    """Whoever decided for a request did not say what became of it: it may have been done."""


@contextmanager
def abort_batch_on_error(
    is_batch: bool,
    may_have_taken_effect: Callable[[Exception], bool] = lambda _error: False,
    expected_errors: tuple[type[Exception], ...] = (),
) -> Iterator[None]:
    """Around a deed: where it fails but as ``expected_errors``, and that error leaves nothing done, a company
    dissolves."""
    try:
        yield
    except expected_errors:
        raise
    except Exception as error:
        if is_batch and not may_have_taken_effect(error):
            raise BatchAborted("It failed before anything was done.") from error
        raise


class _Member(Generic[Request, Answer]):
    """One request in its thread: it queues, then it leads, or is taken along and gets its answer or its error."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.is_taken = False
        self.answer: Answer | None = None
        self.error: Exception | None = None
        self.woken = threading.Event()


class _Lane(Generic[Request, Answer]):
    """Those of one key: who leads, and who has come since."""

    def __init__(self, leader: _Member[Request, Answer]) -> None:
        self.leader = leader
        self.queue: deque[_Member[Request, Answer]] = deque()


class GroupCommit(Generic[Request, Answer]):
    """Decides requests of the same key together.

    ``decide`` gets 1 to ``max_batch`` requests and returns as many answers; of several it may raise ``BatchAborted``
    where it
    has done nothing. ``max_wait`` is how long (seconds) a request queues before it leads, ``answer_timeout`` how long
    it waits for the one that has taken it along.
    """

    def __init__(
        self,
        decide: Callable[[Sequence[Request]], Sequence[Answer]],
        max_batch: int,
        max_wait: float,
        answer_timeout: float,
    ) -> None:
        self._decide, self._most, self._patience, self._longest = decide, max_batch, max_wait, answer_timeout
        self._mutex = threading.Lock()
        self._lanes: dict[Hashable, _Lane[Request, Answer]] = {}

    def run(self, key: Hashable, request: Request) -> Answer:
        """The answer to a request. Raises what ``decide`` does, and ``AnswerMissing`` where another's thread did not
        answer.

        After ``BatchAborted`` nothing of it was done.
        """
        me: _Member[Request, Answer] = _Member(request)
        with self._mutex:
            lane = self._lanes.get(key)
            if lane is None:
                lane = self._lanes[key] = _Lane(me)
                company = [me]
            else:
                lane.queue.append(me)
                company = []
        try:
            company = company or self._queued(lane, me)
            if company:
                self._lead(company)
        finally:
            self._leave(key, lane, me)
        return self._answered(me)

    def _queued(self, lane: _Lane[Request, Answer], me: _Member[Request, Answer]) -> list[_Member[Request, Answer]]:
        """Wait for a turn: whom to lead, oneself among them; nobody where another leads."""
        while True:
            me.woken.wait(self._patience)
            with self._mutex:
                if me.is_taken:
                    return []
                if lane.queue[0] is me:  # the others have come later, so they have patience still
                    lane.leader = me
                    company = [lane.queue.popleft() for _ in range(min(self._most, len(lane.queue)))]
                    for each in company:
                        each.is_taken = True
                    return company

    def _lead(self, company: Sequence[_Member[Request, Answer]]) -> None:
        """Decide for all; none is left without an answer or an error, whatever happens to this thread."""
        failure: Exception = AnswerMissing("The thread that decided ended without an answer.")
        try:
            answers = self._decide([each.request for each in company])
            for each, answer in zip(company, answers, strict=True):
                each.answer = answer
        except BatchAborted as error:
            failure = error
        finally:
            for each in company:
                if each.answer is None:
                    each.error = failure
                each.woken.set()

    def _leave(self, key: Hashable, lane: _Lane[Request, Answer], me: _Member[Request, Answer]) -> None:
        """Hand the lead on, if it is still ours, to the first of the queue."""
        with self._mutex:
            if not me.is_taken and me in lane.queue:  # our thread was ended while we queued
                lane.queue.remove(me)
            if lane.leader is not me:
                return
            if lane.queue:
                lane.leader = lane.queue[0]
                lane.leader.woken.set()
            else:
                del self._lanes[key]

    def _answered(self, me: _Member[Request, Answer]) -> Answer:
        """What was said, waited for if another says it."""
        if not me.woken.wait(self._longest):
            raise AnswerMissing("The request that this one was decided with takes too long.")
        if me.error is not None:
            raise type(me.error)(*me.error.args) from me.error
        assert me.answer is not None  # noqa: S101 (one of both is set before anybody is woken; for the type checker)
        return me.answer
