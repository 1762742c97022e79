"""A primary behind Redis Sentinel: each new connection asks the sentinels where it is.

The trap: sentinels may still name a server that is down or was made a replica. Such an answer is never trusted:
connecting fails, or the server's identity is not that of a known primary (``server.py``), and the next attempt asks
another sentinel. Only asking is bounded here; the breaker keeps callers from asking again and again.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any

from redis import ConnectionPool
from redis.backoff import NoBackoff
from redis.connection import Connection, SSLConnection, parse_url
from redis.exceptions import ConnectionError as DriverConnectionError
from redis.exceptions import ReadOnlyError, RedisError
from redis.retry import Retry

from foundation import clock
from foundation.redis.addresses import SENTINEL, Host, ManyHosts, kind_of, read_many
from foundation.redis.info import as_text

logger = logging.getLogger(__name__)

ASK_SECONDS = 0.25  # for all sentinels together, unless a pool's time-out to connect is shorter
LOOK_SECONDS = 1.0  # how often a process whose connections all work asks whether the primary is another
QUIET_SECONDS = 5.0  # for how long it does not, after no sentinel answered


class Sentinels:
    """Knows where the primary is. One object for each pool; many threads may use it."""

    def __init__(self, named: ManyHosts, seconds: float, options: dict[str, Any], connection_class: Any) -> None:
        self._name = named.name
        self._seconds = seconds
        self._options, self._connection_class = options, connection_class
        self._order = list(named.hosts)
        self._lock = threading.Lock()
        self._looked_at = 0.0
        self._on_move: list[Callable[[], None]] = []
        self.primary: Host | None = None  # as last told

    def on_move(self, act: Callable[[], None]) -> None:
        """Call ``act`` each time that the primary is at another address than before."""
        self._on_move.append(act)

    def find(self) -> Host:
        """Ask the sentinels until one tells where the primary is. Raises ``ConnectionError`` of redis-py."""
        ends_at = clock.monotonic() + self._seconds
        for host in tuple(self._order):
            left = ends_at - clock.monotonic()
            if left <= 0:
                break
            found = self._ask(host, min(left, self._seconds / 2))
            if found is not None:
                self._note(found, host)
                return found
        raise DriverConnectionError(f"No sentinel tells where the primary {self._name} is.")

    def find_replicas(self) -> list[Host]:
        """Ask the sentinels until one tells which replicas are up and follow the primary; none if none tells."""
        ends_at = clock.monotonic() + self._seconds
        for host in tuple(self._order):
            left = ends_at - clock.monotonic()
            if left <= 0:
                break
            told = self._exchange(host, min(left, self._seconds / 2), "REPLICAS")
            if told is not None:
                return [found for each in told if (found := _replica_of(each))]
        return []

    def look(self) -> None:
        """Ask again now and then, though all connections work: an isolated old primary closes none of them."""
        now = clock.monotonic()
        if now - self._looked_at < LOOK_SECONDS or not self._lock.acquire(blocking=False):
            return
        try:
            if now - self._looked_at >= LOOK_SECONDS:
                self._looked_at = now
                self.find()
        except DriverConnectionError as error:
            self._looked_at = clock.monotonic() + QUIET_SECONDS - LOOK_SECONDS
            logger.info("%s", error)
        finally:
            self._lock.release()

    def distrust(self) -> None:
        """Ask another sentinel first: what the last one named is no primary that answers."""
        self._order.append(self._order.pop(0))

    def _note(self, found: Host, told_by: Host) -> None:
        self._looked_at = clock.monotonic()
        if self._order[0] != told_by:
            self._order.sort(key=lambda each: each != told_by)
        before, self.primary = self.primary, found
        if before not in (None, found):
            logger.warning("the primary %s is at %s:%s now", self._name, *found)
            for act in self._on_move:
                act()

    def _ask(self, host: Host, seconds: float) -> Host | None:
        answer = self._exchange(host, seconds, "GET-MASTER-ADDR-BY-NAME")
        return (as_text(answer[0]), int(answer[1])) if answer else None

    def _exchange(self, host: Host, seconds: float, question: str) -> Any:
        """What one sentinel answers to a question about the primary; None if it does not."""
        timeouts = {"socket_timeout": seconds, "socket_connect_timeout": seconds}
        connection = self._connection_class(host=host[0], port=host[1], **timeouts, **self._options)
        try:
            connection.connect()
            connection.send_command("SENTINEL", question, self._name, check_health=False)
            return connection.read_response()
        except (RedisError, OSError) as error:
            logger.info("the sentinel at %s:%s does not answer: %s", *host, error)
            return None
        finally:
            connection.disconnect()


def _replica_of(told: Sequence[bytes | str]) -> Host | None:
    """The address in what a sentinel tells of a replica; None for one that is down or does not follow."""
    texts = [as_text(each) for each in told]
    told_of = dict(zip(texts[::2], texts[1::2], strict=False))
    is_up = not {"s_down", "o_down", "disconnected"} & set(told_of.get("flags", "").split(","))
    follows = told_of.get("master-link-status") == "ok"
    return (told_of["ip"], int(told_of["port"])) if is_up and follows else None


class _AsksFirst:
    """A mix-in for connections whose address is asked of sentinels each time that they are opened."""

    host: str
    port: int

    def __init__(self, *, sentinels: Sentinels, **options: Any) -> None:
        super().__init__(**options)
        self._sentinels = sentinels

    def _connect(self) -> Any:
        self.host, self.port = self._sentinels.find()
        return super()._connect()  # type: ignore[misc]  # of the class that this is mixed into

    def read_response(self, *args: Any, **options: Any) -> Any:
        """As redis-py's, but who hears that this is a replica connects anew the next time."""
        try:
            return super().read_response(*args, **options)  # type: ignore[misc]  # of the class that this is mixed into
        except ReadOnlyError:
            if options.get("disconnect_on_error", True):
                self.disconnect()  # type: ignore[attr-defined]  # of the class that this is mixed into
            raise


class PrimaryConnection(_AsksFirst, Connection):
    """A connection to the primary."""


class PrimaryTlsConnection(_AsksFirst, SSLConnection):
    """An encrypted connection to the primary."""


class SentinelPool(ConnectionPool):
    """Connections to the primary that sentinels name; django-redis makes it too, for the page cache."""

    @classmethod
    def from_url(cls, url: str, **options: Any) -> "SentinelPool":
        """Make the pool from a URL ``redis+sentinel://``; its options win over ``options``. Raises ``ValueError``."""
        named = read_many(url)
        given = {**options, **parse_url(named.plain)}
        given.pop("host", None)
        is_encrypted = given.pop("connection_class", None) is SSLConnection
        own = {name: value for name, value in given.items() if name.startswith("ssl_")}
        own |= {"username": named.user, "password": named.password, "retry": Retry(NoBackoff(), 0), "protocol": 2}
        seconds = min(ASK_SECONDS, given.get("socket_connect_timeout") or ASK_SECONDS)
        asking = Sentinels(named, seconds, own, SSLConnection if is_encrypted else Connection)
        pool = cls(
            connection_class=PrimaryTlsConnection if is_encrypted else PrimaryConnection, sentinels=asking, **given
        )
        pool.sentinels = asking
        return pool

    sentinels: Sentinels


def pool_of(url: str, **options: Any) -> ConnectionPool:
    """A pool for the server at ``url``, or for the primary behind sentinels. Raises ``ValueError``."""
    kind = SentinelPool if kind_of(url) == SENTINEL else ConnectionPool
    return kind.from_url(url, **options)
