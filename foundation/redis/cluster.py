"""Redis Cluster: which of its primaries has a key, and commands for several of them at once.

The nodes tell who has which slots; that is asked again after an error, at most once a second, and never trusted: the
server behind a new connection must be a primary that SQL knows (``server.py``). The traps: a command is sent again only
if the answer says that nothing ran (``MOVED``, ``ASK``), and once; and several servers are written to before any is
read from, so that the slowest counts and not the sum.
"""

import logging
import threading
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from redis import ConnectionPool
from redis.backoff import NoBackoff
from redis.connection import Connection, parse_url
from redis.exceptions import RedisError
from redis.retry import Retry

from foundation import clock
from foundation.errors import Unavailable
from foundation.redis.addresses import Host, read_many
from foundation.redis.commands import Argument
from foundation.redis.connection import Sent
from foundation.redis.errors import NobodyServes, Redirected, RedisAway, RedisRefused, RedisSilent
from foundation.redis.info import as_text
from foundation.redis.server import IsKnown, Server
from foundation.redis.slots import SLOTS, key_of, slot_of

logger = logging.getLogger(__name__)

ASK_SECONDS = 0.25  # for all nodes together, unless the time-out to connect is shorter
ASK_AGAIN_SECONDS = 1.0  # between two questions where the slots are
ASK_REPLICAS_AGAIN_SECONDS = 5.0  # the same while replicas are read from, without any error
SKEW_MS = 50  # a script whose deadline is by one server's clock goes to no other whose clock differs more

Command = Sequence[Argument]
_NOBODY = "No server of the Redis cluster has this key now."


class Cluster:
    """The topology of a cluster. ``options`` are those of redis-py's connections."""

    def __init__(self, url: str, is_known: IsKnown | None = None, **options: Any) -> None:
        named = read_many(url)
        given = {**options, **parse_url(named.plain)}
        given.pop("host", None)
        given.pop("port", None)
        self._class = given.pop("connection_class", Connection)
        self._options, self._is_known = given, is_known
        self._seconds = min(ASK_SECONDS, given.get("socket_connect_timeout") or ASK_SECONDS)
        self._seeds = list(named.hosts)
        self._servers: dict[Host, Server] = {}
        self._slots: list[Server | None] = [None] * SLOTS
        self._primaries: list[Server] = []
        self._replicas: dict[Server, list[Host]] = {}
        self._lock = threading.Lock()
        self._asked_at = 0.0
        self._turn = 0
        self._is_doubted = True

    @property
    def timeout_ms(self) -> int:
        """How long a caller waits for an answer, in ms."""
        return int(1000 * (self._options.get("socket_timeout") or 1))

    def servers(self) -> Sequence[Server]:
        """All primaries that have slots. Raises ``RedisAway`` if no node tells which they are.

        Who asks each of them does so past ``exchange``, so a failure there is noticed here.
        """
        if any(server.has_failed for server in self._primaries):
            self._is_doubted = True
        self._ask_if_in_doubt()
        if not self._primaries:
            raise RedisAway("No node of the Redis cluster answers.")
        return self._primaries

    def server_of(self, key: str | bytes, /) -> Server:
        """The primary that has the slot of ``key``. Raises ``RedisAway`` if none does."""
        self._ask_if_in_doubt()
        server = self._slots[slot_of(key)]
        if server is None:
            self._is_doubted = True
            raise RedisAway(_NOBODY)
        return server

    def groups(self, keys: Sequence[str]) -> list[list[str]]:
        """The keys by slot."""
        by_slot: dict[int, list[str]] = defaultdict(list)
        for key in keys:
            by_slot[slot_of(key)].append(key)
        return list(by_slot.values())

    def missing(self) -> int:
        """How many slots nobody has, as last told."""
        return self._slots.count(None)

    def a_slot_of(self, server: Server, /) -> int | None:
        """The first slot of a primary, as last told."""
        return self._slots.index(server) if server in self._slots else None

    def replicas_of(self, server: Server, /) -> Sequence[Host]:
        """The replicas of a primary; the nodes are asked again if that was long ago, since nobody else tells."""
        if clock.monotonic() - self._asked_at > ASK_REPLICAS_AGAIN_SECONDS:
            self._is_doubted = True
        self._ask_if_in_doubt()
        return self._replicas.get(server, ())

    def reset(self) -> None:
        """Forget where slots are, and drop all connections."""
        for server in list(self._servers.values()):
            server.reset()
        self._asked_at, self._is_doubted = 0.0, True

    def exchange(self, commands: Sequence[Command]) -> list[Any]:
        """Send each command to the server of its key, and read from all; see ``Topology``."""
        answers: list[Any] = [None] * len(commands)
        by_server: dict[Server, list[int]] = defaultdict(list)
        for index, command in enumerate(commands):
            try:
                by_server[self._server_for(command)].append(index)
            except RedisAway as error:
                answers[index] = error
        self._fill(answers, by_server, {index: [command] for index, command in enumerate(commands)})
        if moved := [index for index, answer in enumerate(answers) if isinstance(answer, Redirected)]:
            self._follow(answers, moved, commands)
        failed = [answer for answer in answers if isinstance(answer, (RedisAway, RedisSilent))]
        if len(failed) == len(commands):
            raise failed[0]
        return answers

    def _server_for(self, command: Command) -> Server:
        key = key_of(command)
        return self.servers()[0] if key is None else self.server_of(key)

    def _follow(self, answers: list[Any], moved: Sequence[int], commands: Sequence[Command]) -> None:
        """Send once more what another server has to answer."""
        by_server: dict[Server, list[int]] = defaultdict(list)
        prepared: dict[int, list[Command]] = {}
        for index in moved:
            redirect: Redirected = answers[index]
            server = self._server_at((redirect.host, redirect.port))
            try:
                before = self._server_for(commands[index])
                if not redirect.asking:
                    self._note_moved(commands[index], server)
                is_late_elsewhere = abs(server.offset_ms() - before.offset_ms()) > SKEW_MS
            except Unavailable as error:
                answers[index] = RedisAway(error.detail)
                continue
            if is_late_elsewhere:
                answers[index] = RedisAway("The key is at another server now, whose clock differs.")
                continue
            prepared[index] = [("ASKING",), commands[index]] if redirect.asking else [commands[index]]
            by_server[server].append(index)
        self._fill(answers, by_server, prepared)
        for index in moved:
            if isinstance(answers[index], Redirected):
                answers[index] = RedisAway("The key is being moved between servers.")

    def _fill(self, answers: list[Any], by_server: dict[Server, list[int]], prepared: dict[int, list[Command]]) -> None:
        """Put the answers to the prepared commands in their places; errors of a server in those of all its commands."""
        under_way: list[tuple[Server, list[int], Sent]] = []
        for server, indexes in by_server.items():
            try:
                sent = server.send([command for index in indexes for command in prepared[index]])
                under_way.append((server, indexes, sent))
            except (RedisAway, RedisSilent) as error:
                self._note_failure(answers, indexes, error)
        while under_way:
            server, indexes, sent = under_way.pop(0)
            try:
                is_early = 1000 * (clock.monotonic() - sent.at) < self.timeout_ms
                received = iter(server.receive(sent, waits=is_early))
            except RedisSilent as error:
                self._note_failure(answers, indexes, error)
                continue
            except BaseException:
                for other, _, unread in under_way:
                    other.abandon(unread)
                raise
            for index in indexes:
                *_, answers[index] = [next(received) for _ in prepared[index]]
                answers[index] = self._judged(answers[index])

    def _judged(self, answer: Any) -> Any:
        """The answer; who cannot serve a key is away, and a refusal by a replica makes us ask where slots are."""
        if isinstance(answer, NobodyServes):
            self._is_doubted = True
            return RedisAway(_NOBODY)
        if isinstance(answer, RedisRefused) and "READONLY" in answer.detail:
            self._is_doubted = True
        return answer

    def _note_failure(self, answers: list[Any], indexes: Sequence[int], error: Unavailable) -> None:
        self._is_doubted = True
        for index in indexes:
            answers[index] = error

    def _note_moved(self, command: Command, server: Server) -> None:
        key = key_of(command)
        if key is not None:
            self._slots[slot_of(key)] = server
        self._is_doubted = True

    def _server_at(self, host: Host) -> Server:
        with self._lock:
            return self._known_server(host)

    def _known_server(self, host: Host) -> Server:
        if host not in self._servers:
            pool = ConnectionPool(connection_class=self._class, host=host[0], port=host[1], **self._options)
            self._servers[host] = Server(pool, self._is_known, of_many=True)
        return self._servers[host]

    def _ask_if_in_doubt(self) -> None:
        """Ask where the slots are, if an error made that doubtful: one thread at a time, and not again at once."""
        if not self._is_doubted or clock.monotonic() - self._asked_at < ASK_AGAIN_SECONDS:
            return
        if not self._lock.acquire(blocking=not self._primaries):
            return
        try:
            if clock.monotonic() - self._asked_at >= ASK_AGAIN_SECONDS:
                self._ask_all()
        finally:
            self._lock.release()

    def _ask_all(self) -> None:
        """Ask one node after the other; the next time another one is asked first."""
        ends_at = clock.monotonic() + self._seconds
        known = list(dict.fromkeys([*self._servers, *self._seeds]))
        for host in known[self._turn :] + known[: self._turn]:
            left = ends_at - clock.monotonic()
            if left <= 0:
                break
            told = self._ask(host, min(left, self._seconds / 2))
            if told:
                self._learn(host, told)
                self._is_doubted = False
                break
        self._turn = (self._turn + 1) % len(known)
        self._asked_at = clock.monotonic()

    def _learn(self, told_by: Host, told: Sequence[Any]) -> None:
        slots: list[Server | None] = [None] * SLOTS
        primaries: list[Server] = []
        replicas: dict[Server, list[Host]] = {}
        for first, last, primary, *followers in told:
            server = self._known_server(_host_of(primary, told_by))
            replicas[server] = [_host_of(each, told_by) for each in followers]
            slots[int(first) : int(last) + 1] = [server] * (int(last) - int(first) + 1)
            if server not in primaries:
                primaries.append(server)
        for server in self._primaries:
            if server not in primaries:
                server.drop_connections()
        self._slots, self._primaries, self._replicas = slots, primaries, replicas

    def _ask(self, host: Host, seconds: float) -> Sequence[Any]:
        options = {**self._options, "socket_timeout": seconds, "socket_connect_timeout": seconds}
        options["retry"] = Retry(NoBackoff(), 0)
        options.pop("max_connections", None)
        connection = self._class(host=host[0], port=host[1], **options)
        try:
            connection.connect()
            connection.send_command("CLUSTER", "SLOTS", check_health=False)
            answer: Sequence[Any] = connection.read_response()
        except (RedisError, OSError) as error:
            logger.info("the node at %s:%s does not tell where slots are: %s", *host, error)
            return []
        finally:
            connection.disconnect()
        return answer


def _host_of(node: Sequence[Any], told_by: Host) -> Host:
    """The address of a node; one that does not know its own is at that of who told."""
    return as_text(node[0] or "") or told_by[0], int(node[1])
