"""One Redis server: its connections, circuit breaker, clock and identity. A deployment has one, or several (topology).

The trap: a call that timed out may still take effect. So no command is sent twice, and there are two errors:
``RedisAway`` (nothing was sent) and ``RedisSilent`` (sent; the outcome is unknown). Commands go over the pool's
connections directly (``connection.py``), because redis-py retries and does not distinguish the two. Connections that
answered are reused from ``IdleConnections``: returning them to the pool costs more than a command.

The server's identity is read on each new connection, and again each second on an open one, because a server can
become a replica and then a primary again without closing connections. Within that second a plain command may read
replaced data; calls for which that matters also carry a generation, and a replica refuses scripts (decision 0008).
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from django.db import Error as SqlError
from redis import ConnectionPool
from redis.connection import Connection
from redis.exceptions import MaxConnectionsError, ReadOnlyError, RedisError

from foundation import clock
from foundation.monitoring.server_metrics import redis_errors
from foundation.redis.addresses import Host
from foundation.redis.commands import IDENTITY_COMMAND, Argument, pack, read_identity, read_refusal
from foundation.redis.connection import (
    REFUSALS,
    UNKNOWN_SECONDS,
    Breaker,
    IdleConnections,
    RedisConnection,
    Sent,
    VerifiedServer,
)
from foundation.redis.errors import RedisAway, RedisRefused, RedisSilent, UnknownRedis
from foundation.redis.sentinel import SentinelPool

IsKnown = Callable[[str], bool]
# Module-level, because two clients may share a pool for a moment.
_verified_servers: WeakKeyDictionary[Connection, VerifiedServer] = WeakKeyDictionary()

CLOCK_FRESH_SECONDS = 60.0
IDENTITY_CHECK_SECONDS = 1.0
GREETING_SECONDS = 0.5  # for each answer on a new connection


class Server:
    """Sends commands to one server.

    ``is_known`` decides whether the server behind a new connection is trusted, by its identity. None trusts any
    server; only a resync uses that, because it is what makes a server known.
    """

    def __init__(self, pool: ConnectionPool, is_known: IsKnown | None = None, of_many: bool = False) -> None:
        self._pool = pool
        self._is_known = is_known
        self._is_named = of_many or isinstance(pool, SentinelPool)
        self._idle = IdleConnections(pool)
        self._breaker = Breaker()
        self._lock = threading.Lock()
        self._clock_offset_ms = 0
        self._clock_read_at = 0.0
        self._sentinels = pool.sentinels if isinstance(pool, SentinelPool) else None
        if self._sentinels:
            self._sentinels.on_move(self._idle.drop_all)
        pool.connection_kwargs["redis_connect_func"] = self._verify_server

    @property
    def timeout_ms(self) -> int:
        """How long a caller waits for an answer, in ms."""
        return int(1000 * (self._pool.connection_kwargs.get("socket_timeout") or 1))

    def deadline_ms(self, since: float | None = None) -> int:
        """The time on this server's clock (ms since 1970) after which a write sent now must not take effect.

        Never later than the moment at which the caller stops waiting, because the clock offset is measured at the end
        of a round trip. ``since`` is a past moment (monotonic seconds) to count from instead of now.
        """
        if clock.monotonic() - self._clock_read_at > CLOCK_FRESH_SECONDS:
            [answer] = self.exchange([("TIME",)])
            if isinstance(answer, RedisRefused):
                raise answer
            self._store_clock_offset(answer)
        moment = clock.monotonic() if since is None else since
        return int(moment * 1000) + self._clock_offset_ms + self.timeout_ms

    def offset_ms(self) -> int:
        """By how much this server's clock is ahead of the process's monotonic one. Raises as ``exchange`` does."""
        self.deadline_ms()
        return self._clock_offset_ms

    @property
    def has_failed(self) -> bool:
        """Whether its last call failed."""
        return self._breaker.has_failed

    @property
    def pool(self) -> ConnectionPool:
        """The connections, for a client of redis-py."""
        return self._pool

    @property
    def name(self) -> str:
        """The address: host and port, or the path of a socket; behind sentinels the last one that they told."""
        if self._sentinels:
            return "{}:{}".format(*self._sentinels.primary) if self._sentinels.primary else "behind sentinels"
        options = self._pool.connection_kwargs
        return str(options.get("path") or f"{options.get('host', 'localhost')}:{options.get('port', 6379)}")

    @property
    def label(self) -> str:
        """What operators read: "Redis", with the address where it may change or is one of several."""
        return f"Redis at {self.name}" if self._is_named else "Redis"

    def replicas_by_sentinels(self) -> Sequence[Host]:
        """The addresses of its replicas that sentinels think well of; none without sentinels."""
        return self._sentinels.find_replicas() if self._sentinels else ()

    def drop_connections(self) -> None:
        """Let the next call connect anew."""
        self._idle.drop_all()

    def fetch_identity(self) -> str:
        """Read the identity over a new connection, which then serves others. Raises ``RedisAway``."""
        self.drop_connections()
        connection = self._take_connection()
        self._idle.keep(connection)
        self._breaker.answered()
        return connection.verified.identity

    def exchange(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        """Send the commands in one write; the answers include ``RedisRefused``. Raises the other two errors.

        As ``receive(send(commands))``, with fewer calls: each call of the boards goes through here.
        """
        connection, now = self._take_connection(), clock.monotonic()
        checks = [IDENTITY_COMMAND] if now - connection.verified.at > IDENTITY_CHECK_SECONDS else []
        packed = b"".join(pack(each, connection.verified.identity) for each in (*checks, *commands))
        try:
            answers = connection.exchange(packed, len(checks) + len(commands))
        except (RedisError, OSError) as error:
            raise self._silent(connection) from error
        except BaseException:
            self._idle.drop(connection)
            raise
        return self._accepted(connection, answers, len(checks), now)

    def send(self, commands: Sequence[Sequence[Argument]]) -> Sent:
        """The first half of ``exchange``; ``receive`` must follow. Raises as that does."""
        connection, now = self._take_connection(), clock.monotonic()
        checks = [IDENTITY_COMMAND] if now - connection.verified.at > IDENTITY_CHECK_SECONDS else []
        packed = b"".join(pack(each, connection.verified.identity) for each in (*checks, *commands))
        try:
            connection.send(packed)
        except (RedisError, OSError) as error:
            raise self._silent(connection) from error
        return Sent(connection, len(commands), len(checks), now)

    def receive(self, sent: Sent, waits: bool = True) -> list[Any]:
        """The second half of ``exchange``. Without ``waits`` the answers must be there: the time is up."""
        try:
            has_come = waits or sent.connection.has_answer()
            answers = sent.connection.receive(sent.checks + sent.commands) if has_come else None
        except (RedisError, OSError) as error:
            raise self._silent(sent.connection) from error
        except BaseException:
            self._idle.drop(sent.connection)
            raise
        if answers is None:
            raise self._silent(sent.connection)
        return self._accepted(sent.connection, answers, sent.checks, sent.at)

    def abandon(self, sent: Sent) -> None:
        """Close the connection of what was sent: nobody will read the answers."""
        self._idle.drop(sent.connection)

    def _silent(self, connection: RedisConnection) -> RedisSilent:
        """The error of an exchange that failed: its connection is closed, since the next caller would read answers."""
        self._idle.drop(connection)
        self._breaker.failed()
        redis_errors.add("no_answer")
        return RedisSilent("Redis did not answer in time.")

    def _accepted(self, connection: RedisConnection, answers: list[Any], checks: int, now: float) -> list[Any]:
        """The answers, after the check of the identity; the connection is kept."""
        if checks:
            self._check_identity(connection, answers.pop(0))
            connection.verified = VerifiedServer(connection.verified.identity, now)
        self._idle.keep(connection)
        self._breaker.answered()
        return [self._read_refusal(each) if isinstance(each, REFUSALS) else each for each in answers]

    def reset(self) -> None:
        """Drop all connections and close the breaker: the next call connects anew."""
        self._idle.drop_all()
        self._pool.disconnect()
        self._breaker.answered()
        self._clock_read_at = 0.0

    def _check_identity(self, connection: RedisConnection, answer: Any) -> None:
        """Raise ``RedisSilent`` if the server's identity changed: then the other answers cannot be trusted either."""
        if isinstance(answer, REFUSALS) or read_identity(answer) != connection.verified.identity:
            self._idle.drop(connection)
            self._idle.drop_all()
            raise RedisSilent("Redis became another while it stood by, or a replica.")

    def _read_refusal(self, error: RedisError) -> RedisRefused:
        found = read_refusal(error, self.name.rpartition(":")[0])
        if type(found) is not RedisRefused:  # of no harm
            return found
        if "LATE" in found.detail:  # one of the two clocks was set: measure the offset again before the next write
            self._clock_read_at = 0.0
        if isinstance(error, ReadOnlyError):  # it became a replica: reconnect, and verify the server that answers
            self._idle.drop_all()
        redis_errors.add("refused")
        return found

    def _take_connection(self) -> RedisConnection:
        if self._breaker.is_open():
            raise RedisAway("Redis is away.")
        try:
            if self._sentinels is not None:
                self._sentinels.look()
            return self._idle.take() or self._open_connection()
        except MaxConnectionsError as error:  # this process is busy; Redis is fine
            raise RedisAway("All connections to Redis are in use.") from error
        except (RedisError, OSError) as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: Exception) -> RedisAway:
        self._breaker.failed(UNKNOWN_SECONDS if isinstance(error, UnknownRedis) else None)
        if self._sentinels is not None:
            self._sentinels.distrust()
        redis_errors.add("away")
        return RedisAway("Redis is away.")

    def _open_connection(self) -> RedisConnection:
        connection = self._pool.get_connection()
        try:
            if connection not in _verified_servers:  # an interrupt came between opening and verifying
                connection.disconnect()
                connection.redis_connect_func = self._verify_server  # type: ignore[assignment]  # its type lacks what it is called with
                connection.connect()
            return RedisConnection(connection, _verified_servers[connection])
        except BaseException:
            self._pool.release(connection)
            raise

    def _verify_server(self, connection: Connection) -> None:
        """Verify each new connection before it is used; close it if that raises anything.

        The pool does so after a ``RedisError`` alone, and would hand it out again, unverified, after any other error.
        """
        _verified_servers.pop(connection, None)  # of the server that it led to before
        try:
            _verified_servers[connection] = self._verify(connection)
        except BaseException:
            connection.disconnect()
            raise

    def _verify(self, connection: Connection) -> VerifiedServer:
        """Check the server's identity and read its clock.

        The wait is short whatever the pool's: a worker of much patience must hear soon that a server is frozen.
        """
        socket: Any = connection._sock  # redis-py has no name for it
        patience = socket.gettimeout()
        socket.settimeout(min(patience or GREETING_SECONDS, GREETING_SECONDS))
        verified = self._greet(connection)
        socket.settimeout(patience)
        return verified

    def _greet(self, connection: Connection) -> VerifiedServer:
        connection.on_connect()
        began = clock.monotonic()
        connection.send_command(*IDENTITY_COMMAND, check_health=False)
        identity = read_identity(connection.read_response())
        if not identity:
            raise UnknownRedis("This Redis is a replica, or does not tell who it is.")
        if not self._is_trusted(identity):
            raise UnknownRedis("This Redis is not known yet.")
        connection.send_command("TIME", check_health=False)
        self._store_clock_offset(connection.read_response())
        return VerifiedServer(identity, began)

    def _is_trusted(self, identity: str) -> bool:
        """Whether SQL knows the server. Raises ``UnknownRedis`` while SQL is unavailable: Redis is then too."""
        try:
            return self._is_known is None or self._is_known(identity)
        except SqlError as error:
            raise UnknownRedis("Whether this Redis is known cannot be asked: SQL is away.") from error

    def _store_clock_offset(self, answer: Sequence[bytes]) -> None:
        seconds, microseconds = int(answer[0]), int(answer[1])
        read_at = clock.monotonic()
        with self._lock:
            self._clock_offset_ms = seconds * 1000 + microseconds // 1000 - int(read_at * 1000) - 1
            self._clock_read_at = read_at
