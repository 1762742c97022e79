"""Which reads a replica may answer: pages and distributions, where the edge says that its caller is no player.

Score ranges may answer with an older state where the caller says how old (``reading_older``).

Reads about a player (their row, their neighbours) always ask the primary, whatever the edge says; so do the pages of
those who have a player or may write scores, who would else see the list go back in time.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from datetime import timedelta
from typing import Any

from foundation.redis import client as redis
from foundation.redis.client import Argument, RedisClient
from foundation.redis.lua import Script
from foundation.sunwi_settings import sunwi_settings
from leaderboards.stores.base import AroundGap, ForPlayers, Page, Query
from leaderboards.stores.redis.ranged import reading_within

_may_lag: ContextVar[bool] = ContextVar("replicas may answer", default=False)


def reading_from_replicas(is_allowed: bool) -> AbstractContextManager[None]:
    """If ``is_allowed``, pages and distributions that are read meanwhile may be REPLICA_STALENESS seconds old."""
    return _allowing() if is_allowed and sunwi_settings.REPLICA_STALENESS else nullcontext()


@contextmanager
def _allowing() -> Iterator[None]:
    token = _may_lag.set(True)
    try:
        yield
    finally:
        _may_lag.reset(token)


def reading_older(seconds: float) -> AbstractContextManager[None]:
    """What is read meanwhile from score ranges may be so many seconds old; its ``as_of`` tells how old it is."""
    return reading_within(seconds) if seconds > 0 else nullcontext()


def reader_for(questions: Sequence[Query]) -> RedisClient:
    """The client for these questions: one that asks replicas first, if it is allowed and none is about a player."""
    if not _may_lag.get() or not all(map(_is_of_nobody, questions)):
        return redis.boards()
    return ReplicasFirst()


def lag_of(reader: RedisClient) -> timedelta:
    """How old at most what this client answered is."""
    return timedelta(seconds=reader.age) if isinstance(reader, ReplicasFirst) else timedelta()


class ReplicasFirst(RedisClient):
    """The boards' client, but scripts that only read are sent to a replica, and to the primary if none is fresh.

    ``age`` is the greatest age of an answer, in seconds; 0 if the primary gave all of them.
    """

    def __init__(self) -> None:
        from foundation.redis import replicas  # only where it is used: it needs the settings

        super().__init__(redis.boards().topology)
        self._replicas = replicas.reads()
        self.age = 0.0

    def run(self, script: Script, keys: Sequence[str], args: Sequence[Argument]) -> Any:
        """Run a script that only reads. Raises what the primary's client raises."""
        found = self._replicas.run(script, keys, args)
        if found is None:
            return super().run(script, keys, args)
        self.age = max(self.age, found.age)
        return found.answer


def _is_of_nobody(question: Query) -> bool:
    return isinstance(question, (Page, AroundGap)) or (isinstance(question, ForPlayers) and not question.players)
