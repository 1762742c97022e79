"""The one way to the boards' Redis: short time-outs, no retries, a breaker, and proof of who answers.

The trap: a call that timed out may still act. So nothing here sends a command twice, and the two
failures are told apart: ``RedisAway`` (nothing was sent) and ``RedisSilent`` (nobody knows). The
pool comes from django-redis; commands go over its connections directly (``redis_wire``), since the client's
own path retries and cannot tell the two apart. What has answered is kept here for the next call: the pool's
own care for a connection costs more than a command.

Whose memory answers is asked on each new connection, and of one that stands again each second, since a server may be
made a replica and a primary again without closing any. Within that second a plain command may still read a memory
that was replaced; what matters carries a generation besides, and a script is refused by a replica (decision 0008).
"""

import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import Error as SqlError
from django_redis import get_redis_connection
from hiredis import ProtocolError, ReplyError, pack_command
from redis import ConnectionPool
from redis.backoff import NoBackoff
from redis.connection import Connection
from redis.exceptions import ConnectionError as DriverConnectionError
from redis.exceptions import MaxConnectionsError, RedisError
from redis.retry import Retry

from foundation import clock
from foundation.errors import Unavailable
from foundation.monitoring.server_metrics import redis_errors
from foundation.redis.breaker import Breaker
from foundation.redis.connection import IdleConnections, RedisConnection, VerifiedServer
from foundation.redis.info import identity_of, read_info
from foundation.redis.lua import Script

Argument = str | bytes | int | float
_greeted: WeakKeyDictionary[Connection, VerifiedServer] = (
    WeakKeyDictionary()
)  # two links may have one pool for a moment

CLOCK_FRESH_SECONDS = 60.0
RESYNC_TIMEOUT_SECONDS = 10.0
EXCLUSIVE_TIMEOUT_SECONDS = 0.1  # three in a row are less than ``SQL_ALONE_SECONDS``
IDENTITY_CHECK_SECONDS = 1.0
IDENTITY_COMMAND = ("INFO", "server", "replication")
IDENTITY_ARG = "<the identity of the server that is asked>"  # as an argument of a script: the link puts it in


class RedisAway(Unavailable):
    """Redis cannot be used and nothing was sent to it."""


class RedisSilent(Unavailable):
    """A command was sent and no answer came in time: it may have acted, or act until its deadline."""


class RedisRefused(Unavailable):
    """Redis answered that it did not act. ``detail`` holds its words; they are not for callers of the API."""


class UnknownRedis(DriverConnectionError):
    """The server behind a new connection is a replica, or one that SQL does not know: its memory is not trusted."""


class ScriptCall(NamedTuple):
    """One of the scripts that ``RedisClient.run_many`` sends together; none may need another's effect."""

    script: Script
    keys: Sequence[str]
    args: Sequence[Argument] = ()


class RedisClient:
    """A pool of connections to one Redis, and scripts sent over it.

    ``is_known`` judges the identity of the server behind each new connection; None trusts anybody,
    which is for settling only: it is what makes a server known.
    """

    def __init__(self, pool: ConnectionPool, is_known: Callable[[str], bool] | None = None) -> None:
        self._pool = pool
        self._is_known = is_known
        self._idle = IdleConnections(pool)
        self._breaker = Breaker()
        self._lock = threading.Lock()
        self._clock_offset_ms = 0
        self._clock_read_at = 0.0
        pool.connection_kwargs["redis_connect_func"] = self._greet

    @property
    def timeout_ms(self) -> int:
        """How long a caller waits for an answer."""
        return int(1000 * (self._pool.connection_kwargs.get("socket_timeout") or 1))

    def deadline_ms(self) -> int:
        """The time by Redis's own clock, in ms since 1970, after which a write sent now must not act.

        Never later than the moment at which the caller stops waiting: the offset of the two clocks
        is taken from the end of the round trip that measured it.
        """
        if clock.monotonic() - self._clock_read_at > CLOCK_FRESH_SECONDS:
            self.call("TIME", read=self._note_clock)
        return self.clock_ms() + self.timeout_ms

    def clock_ms(self) -> int:
        """Redis's clock now, in ms since 1970, at the latest measurement's offset."""
        return int(clock.monotonic() * 1000) + self._clock_offset_ms

    def run(self, script: Script, keys: Sequence[str], args: Sequence[Argument]) -> Any:
        """Run ``script`` once. Raises ``RedisAway``, ``RedisSilent`` or ``RedisRefused``."""
        return self.run_many([ScriptCall(script, keys, args)])[0]

    def run_many(self, calls: Sequence[ScriptCall]) -> list[Any]:
        """Run many scripts, each once, in one round trip; their answers.

        Raises ``RedisAway``, ``RedisSilent``, or the first ``RedisRefused``: the others have acted then.
        """
        return [_granted(answer) for answer in self.try_many(calls)]

    def try_many(self, calls: Sequence[ScriptCall]) -> list[Any]:
        """The same with each ``RedisRefused`` in the place of its answer. Raises ``RedisAway`` or ``RedisSilent``."""
        answers = self._exchange([_named(call) for call in calls])
        unknown = [nth for nth, answer in enumerate(answers) if isinstance(answer, _ScriptMissing)]
        for nth, answer in zip(unknown, self._exchange([_spelled(calls[nth]) for nth in unknown]), strict=True):
            answers[nth] = answer
        return answers

    def call(self, *command: Argument, read: Callable[[Any], Any] | None = None) -> Any:
        """Send one command once. Raises ``RedisAway``, ``RedisSilent`` or ``RedisRefused``."""
        answer = _granted(self._exchange([command])[0])
        return read(answer) if read else answer

    def fetch_identity(self) -> str:
        """The identity of who answers at this address now, asked over a new connection. Raises as ``call`` does."""
        self._idle.drop_all()
        return self.call(*IDENTITY_COMMAND, read=_identity)  # type: ignore[no-any-return]  # what `read` returns

    def pipeline(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        """Send many plain commands, each once, in one round trip; their answers. Raises as ``run_many`` does."""
        return [_granted(answer) for answer in self._exchange(commands)]

    def _exchange(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        """The answers to commands that travel in one write; refusals are among them. Raises away or silent."""
        if not commands:
            return []
        wire, now = self._wire(), clock.monotonic()
        asked = [IDENTITY_COMMAND] if now - wire.verified.at > IDENTITY_CHECK_SECONDS else []
        packed = b"".join(_packed(each, wire.verified.identity) for each in (*asked, *commands))
        try:
            heard = wire.exchange(packed, len(asked) + len(commands))
        except (ProtocolError, OSError) as error:
            self._idle.drop(wire)
            self._breaker.failed()
            redis_errors.add("silent")
            raise RedisSilent("Redis did not answer in time.") from error
        except BaseException:
            self._idle.drop(wire)
            raise
        if asked:
            wire.verified = VerifiedServer(self._still(wire, heard.pop(0)), now)
        self._idle.keep(wire)
        self._breaker.answered()
        return [self._refused(each) if isinstance(each, ReplyError) else each for each in heard]

    def _still(self, wire: RedisConnection, answer: Any) -> str:
        """The identity of who was greeted. Where the answer tells of another, what else was heard is worth nothing."""
        if isinstance(answer, ReplyError) or _identity(answer) != wire.verified.identity:
            self._idle.drop(wire)
            self._idle.drop_all()
            raise RedisSilent("Redis became another while it stood by, or a replica.")
        return wire.verified.identity

    def _refused(self, error: ReplyError) -> RedisRefused:
        """What stands in the place of an answer."""
        said = str(error)
        if said.startswith("NOSCRIPT"):
            return _ScriptMissing(said)
        if "LATE" in said:  # either clock was set: measure them again before the next write
            self._clock_read_at = 0.0
        if said.startswith("READONLY"):  # it was made a replica: the server that answers next is greeted first
            self._idle.drop_all()
        redis_errors.add("refused")
        return RedisRefused(said)

    def reset(self) -> None:
        """Forget connections and failures: the next call connects afresh."""
        self._idle.drop_all()
        self._pool.disconnect()
        self._breaker.answered()
        self._clock_read_at = 0.0

    def _wire(self) -> RedisConnection:
        if self._breaker.is_open():
            raise RedisAway("Redis is away.")
        try:
            return self._idle.take() or self._opened()
        except MaxConnectionsError as error:  # we are busy; Redis is well
            raise RedisAway("All connections to Redis are in use.") from error
        except (RedisError, OSError) as error:
            self._breaker.failed()
            redis_errors.add("away")
            raise RedisAway("Redis is away.") from error

    def _opened(self) -> RedisConnection:
        connection = self._pool.get_connection()
        return RedisConnection(connection, self.timeout_ms / 1000, _greeted[connection])

    def _greet(self, connection: Connection) -> None:
        """What happens on each new connection before it is used: who is there, and what is its time?"""
        connection.on_connect()
        began = clock.monotonic()
        connection.send_command(*IDENTITY_COMMAND, check_health=False)
        identity = _identity(connection.read_response())
        if not identity:
            raise UnknownRedis("This Redis is a replica, or does not tell who it is.")
        if not self._asked(identity):
            raise UnknownRedis("This Redis is not known yet.")
        _greeted[connection] = VerifiedServer(identity, began)
        connection.send_command("TIME", check_health=False)
        self._note_clock(connection.read_response())

    def _asked(self, identity: str) -> bool:
        """Whether SQL knows the server. While SQL is away too, nobody can say so, and the server is away as well."""
        try:
            return self._is_known is None or self._is_known(identity)
        except SqlError as error:
            raise UnknownRedis("Whether this Redis is known cannot be asked: SQL is away.") from error

    def _note_clock(self, answer: Sequence[bytes]) -> None:
        seconds, microseconds = int(answer[0]), int(answer[1])
        read_at = clock.monotonic()
        with self._lock:
            self._clock_offset_ms = seconds * 1000 + microseconds // 1000 - int(read_at * 1000) - 1
            self._clock_read_at = read_at


class _ScriptMissing(RedisRefused):
    """Redis does not have the script yet; nothing ran."""


def _named(call: ScriptCall) -> list[Argument]:
    return ["EVALSHA", call.script.digest, len(call.keys), *call.keys, *call.args]


def _spelled(call: ScriptCall) -> list[Argument]:
    return ["EVAL", call.script.text, len(call.keys), *call.keys, *call.args]


def _granted(answer: Any) -> Any:
    """The answer, or raise what stands in its place."""
    if isinstance(answer, RedisRefused):
        raise answer
    return answer


def _packed(command: Sequence[Argument], identity: str) -> bytes:
    """By hiredis itself: redis-py looks at each argument first, which costs as much again."""
    parts = tuple(identity if part is IDENTITY_ARG else part for part in command)
    return bytes(pack_command(parts))  # type: ignore[arg-type]  # its types know tuples of one only


def _identity(answer: Any) -> str:
    """Who answered ``IDENTITY_COMMAND``."""
    return identity_of(read_info(answer))


@cache
def boards() -> RedisClient:
    """The link that requests and workers use: a server that SQL does not know is away for them."""
    from foundation.models import KnownRedis

    return RedisClient(get_redis_connection("boards").connection_pool, KnownRedis.is_known)


@cache
def resync_client() -> RedisClient:
    """The link that settles: it talks to a server before it is known, and waits longer."""
    return RedisClient(_pool(RESYNC_TIMEOUT_SECONDS, 1.0))


@cache
def exclusive_client() -> RedisClient:
    """The link for who keeps everybody else out of SQL: they give up before PostgreSQL ends them for resting."""
    from foundation.models import KnownRedis

    return RedisClient(_pool(EXCLUSIVE_TIMEOUT_SECONDS, EXCLUSIVE_TIMEOUT_SECONDS), KnownRedis.is_known)


def _pool(answer: float, connect: float) -> ConnectionPool:
    patience = {"socket_timeout": answer, "socket_connect_timeout": connect, "retry": Retry(NoBackoff(), 0)}
    return ConnectionPool.from_url(settings.CACHES["boards"]["LOCATION"], **patience)
