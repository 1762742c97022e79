"""Reading from replicas what may be some seconds old: which replica is asked, and whether its answer is fresh enough.

The caller gets an answer with its age, or None: then it asks the primary. An answer counts if the beat that was read
before it is of the primary that this process knows, and not older than REPLICA_STALENESS by that primary's clock. So a
replica that is frozen, cut off, empty, loading, promoted, or of another site is not believed, whatever it says.

The trap: ages must never come out too low. The primary's clock is read once in ``CLOCK_SECONDS``, and the whole round
trip of that reading is added to each age.
"""

import logging
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from redis.connection import Connection, parse_url

from foundation import clock
from foundation.conf import redis_address
from foundation.errors import Unavailable
from foundation.monitoring.server_metrics import replica_reads
from foundation.redis import beats
from foundation.redis import client as redis
from foundation.redis.addresses import CLUSTER, kind_of, read_many
from foundation.redis.commands import IDENTITY_COMMAND, Argument, read_identity
from foundation.redis.connection import REFUSALS
from foundation.redis.lua import Script, for_replicas
from foundation.redis.replica import WAIT_SECONDS, Replica
from foundation.redis.server import Server
from foundation.redis.topology import Topology
from foundation.sunwi_settings import sunwi_settings

logger = logging.getLogger(__name__)

CLOCK_SECONDS = 2.0  # how often the clock and the identity of a primary are read
SOONEST_SECONDS = 0.5  # if a beat shows that what is known of the primary is out of date
FIND_SECONDS = 10.0  # how often is asked which replicas there are


class LaggingAnswer(NamedTuple):
    """What a script answered, and how many seconds old that is at most."""

    answer: Any
    age: float


class _Primary(NamedTuple):
    """The identity of a primary, and its clock minus ours: ms, never too small."""

    identity: str
    offset_ms: int


class Group:
    """The replicas of one primary."""

    def __init__(self, topology: Topology, primary: Server) -> None:
        self.primary, self._topology = primary, topology
        self.replicas: list[Replica] = []
        self.beat_key = ""
        self._known: _Primary | None = None
        self._lock = threading.Lock()
        self._read_at = self._found_at = float("-inf")
        self._is_doubted = False
        self._turn = 0

    def read(self, script: Script, keys: Sequence[str], args: Sequence[Argument]) -> LaggingAnswer | None:
        """Ask the replica whose turn it is; None if none is asked now, or its answer does not count."""
        self.refresh()
        replica = self._next()
        if replica is None:
            replica_reads.add("none_ready")
            return None
        try:
            beat, answer = replica.read(self.beat_key, script, keys, args)
        except Unavailable as error:
            self._leave_alone(replica, "no_answer", error.detail)
            return None
        age = self.age_of(beat)
        if age is None or age > sunwi_settings.REPLICA_STALENESS:
            why = "it has no beat of its primary" if age is None else f"it is {age:.1f} s behind"
            self._leave_alone(replica, "too_old", why)
            return None
        replica.was_good()
        if isinstance(answer, REFUSALS):  # another generation or cache version above all: the primary may have it
            replica_reads.add("refused")
            return None
        replica_reads.add("answered")
        return LaggingAnswer(answer, age)

    def age_of(self, value: Any) -> float | None:
        """The age of a beat in seconds; None if it is missing, an error, of another primary, or from the future."""
        beat, known, now = beats.read_beat(value), self._known, clock.monotonic()
        if beat is None or known is None:
            return None
        age_ms = now * 1000 + known.offset_ms - beat.at_ms
        if beat.identity != known.identity or age_ms < 0:  # the primary is another, or its clock was set
            self._is_doubted = True
            return None
        return age_ms / 1000

    def refresh(self) -> None:
        """Read the primary's clock and find its replicas, if that was long ago: one thread at a time."""
        due_after = SOONEST_SECONDS if self._is_doubted or self._known is None else CLOCK_SECONDS
        if clock.monotonic() - self._read_at < due_after or not self._lock.acquire(blocking=False):
            return
        try:
            if clock.monotonic() - self._read_at >= due_after:
                self._read_primary()
                self._find_replicas()
        except Unavailable as error:  # what is known stays: without a primary there are no new beats
            logger.debug("the clock of %s is not read: %s", self.primary.label, error.detail)
        finally:
            self._read_at = clock.monotonic()
            self._lock.release()

    def _read_primary(self) -> None:
        began = clock.monotonic()
        info, now = self.primary.exchange([IDENTITY_COMMAND, ("TIME",)])
        if isinstance(info, Exception) or isinstance(now, Exception):
            return
        server_ms = int(now[0]) * 1000 + int(now[1]) // 1000
        self._known = _Primary(read_identity(info), server_ms + 1 - int(began * 1000))
        self._is_doubted = False

    def _find_replicas(self) -> None:
        if clock.monotonic() - self._found_at < FIND_SECONDS:
            return
        self._found_at = clock.monotonic()
        self.beat_key = beats.key_in(self._topology.a_slot_of(self.primary))
        found = _addresses(self._topology, self.primary)
        before = {replica.name: replica for replica in self.replicas}
        made = [_replica(**address) for address in found]
        self.replicas = [before.pop(each.name, each) for each in made]
        for gone in before.values():
            gone.close()

    def _next(self) -> Replica | None:
        replicas = self.replicas
        for _ in replicas:
            self._turn += 1
            replica = replicas[self._turn % len(replicas)]
            if not replica.is_resting():
                return replica
        return None

    def _leave_alone(self, replica: Replica, kind: str, why: str) -> None:
        replica_reads.add(kind)
        replica.rest()
        logger.info("the replica at %s is left alone for a while: %s", replica.name, why)


class ReplicaReads:
    """The replicas of all servers of a deployment."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._groups: dict[Server, Group] = {}

    def run(self, script: Script, keys: Sequence[str], args: Sequence[Argument]) -> LaggingAnswer | None:
        """Let a replica run a script that only reads; None if the primary is to be asked."""
        try:
            primary = self._topology.server_of(keys[0])
        except Unavailable:
            return None
        return self._group(primary).read(for_replicas(script), keys, args)

    def groups(self) -> list[Group]:
        """The replicas by primary. Raises ``RedisAway`` if nobody tells who is primary."""
        return [self._group(server) for server in self._topology.servers()]

    def reset(self) -> None:
        """Forget everything and close all connections."""
        while self._groups:
            for replica in self._groups.popitem()[1].replicas:
                replica.close()

    def _group(self, primary: Server) -> Group:
        group = self._groups.get(primary)
        return group or self._groups.setdefault(primary, Group(self._topology, primary))


@cache
def reads() -> ReplicaReads:
    """The replicas of the boards' Redis; ask only with REPLICA_STALENESS."""
    return ReplicaReads(redis.boards().topology)


def _addresses(topology: Topology, primary: Server) -> list[dict[str, Any]]:
    """The options of redis-py's connections to each replica: of the named ones, else of those that are told of."""
    url = redis_address("boards")
    shared = dict(primary.pool.connection_kwargs)
    for name in ("sentinels", "redis_connect_func", "path", "host", "port"):
        shared.pop(name, None)
    if not kind_of(url):
        return [{**shared, **_of_url(each)} for each in sunwi_settings.REPLICA_URLS]
    given = _of_url(read_many(url).plain)
    hosts = topology.replicas_of(primary)
    return [{**shared, **given, "host": host, "port": port, "is_node": kind_of(url) == CLUSTER} for host, port in hosts]


def _of_url(url: str) -> dict[str, Any]:
    return dict(parse_url(url))


def _replica(connection_class: type[Connection] = Connection, is_node: bool = False, **options: Any) -> Replica:
    return Replica(options, connection_class, is_node)


class ReplicaSeen(NamedTuple):
    """A replica as this process sees it now: ``age`` in seconds if its answers count; else ``problem`` says why not.

    ``name`` is empty for a primary that has none which could be asked.
    """

    name: str
    primary: str
    age: float | None
    problem: str


def look_at_each() -> list[ReplicaSeen]:
    """Ask each replica for its beat now. Raises ``RedisAway`` if nobody tells who is primary."""
    seen: list[ReplicaSeen] = []
    for group in reads().groups():
        group.refresh()
        none = ReplicaSeen("", group.primary.name, None, "it has no replica that is up, or none is named")
        seen += [_seen(group, replica) for replica in group.replicas] or [none]
    return seen


def _seen(group: Group, replica: Replica) -> ReplicaSeen:
    age, problem = None, ""
    try:
        [beat] = replica.exchange([("GET", group.beat_key)])
    except Unavailable:
        problem = f"it did not answer within {WAIT_SECONDS} s"
    else:
        age = group.age_of(beat)
        if isinstance(beat, REFUSALS):
            problem = str(beat)
        elif age is None:
            problem = "it has no beat of this primary: the worker writes none, or it follows another"
        elif age > sunwi_settings.REPLICA_STALENESS:
            problem = f"it is {age:.1f} s behind, or the worker writes no beats"
    return ReplicaSeen(replica.name, group.primary.name, None if problem else age, problem)
