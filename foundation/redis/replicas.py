"""Reading from replicas what may be some seconds old: which replica is asked, and whether its answer is fresh enough.

The caller gets an answer with its age, or None: then it asks the primary. An answer counts if the beat that was read
before it is one that this process wrote at the primary within REPLICA_STALENESS, or a later one (``beats.py``). So a
replica that is frozen, cut off, empty, loading, promoted, or of another site is not believed, whatever it says.

The trap: ages must never come out too low. An age counts from the moment before the beat was sent to the primary, and
by this process's monotonic clock: a server's clock may be set at any time.
"""

import logging
import threading
import time
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

BEAT_SECONDS = 0.5  # how often this process writes a beat, while it reads
BEATS_KEPT = 128  # for longer than REPLICA_STALENESS can be
FIND_SECONDS = 10.0  # how often is asked which replicas there are


class LaggingAnswer(NamedTuple):
    """What a script answered, and how many seconds old that is at most."""

    answer: Any
    age: float


class _Written(NamedTuple):
    """A beat that this process wrote, and a moment before that, by its monotonic clock."""

    at: float
    number: int


class _Series(NamedTuple):
    """The beats that this process wrote since the numbers began anew, the newest first."""

    name: str = ""
    written: tuple[_Written, ...] = ()


class Group:
    """The replicas of one primary."""

    def __init__(self, topology: Topology, primary: Server) -> None:
        self.primary, self._topology = primary, topology
        self.replicas: list[Replica] = []
        self.beat_key = ""
        self._own = _Series()
        self._lock = threading.Lock()
        self._beat_at = self._found_at = float("-inf")
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
            self._pass_over(replica, age)
            return None
        replica.was_good()
        if isinstance(answer, REFUSALS):  # another generation or cache version above all: the primary may have it
            replica_reads.add("refused")
            return None
        replica_reads.add("answered")
        return LaggingAnswer(answer, age)

    def age_of(self, value: Any) -> float | None:
        """How many seconds ago a beat was written at most; None if it is missing, an error, of another series, or older
        than all that this process wrote."""
        beat, own, now = beats.read_beat(value), self._own, clock.monotonic()
        if beat is None or beat.series != own.name:
            return None
        return next((now - each.at for each in own.written if each.number <= beat.number), None)

    def refresh(self) -> None:
        """Write a beat and find the replicas, if that was long ago: one thread at a time."""
        if clock.monotonic() - self._beat_at < BEAT_SECONDS or not self._lock.acquire(blocking=False):
            return
        try:
            if clock.monotonic() - self._beat_at >= BEAT_SECONDS:
                self._write_beat()
                self._find_replicas()
        except Unavailable as error:  # what was written stays, and gets older
            logger.debug("no beat for %s: %s", self.primary.label, error.detail)
        finally:
            self._beat_at = clock.monotonic()
            self._lock.release()

    def _write_beat(self) -> None:
        self.beat_key = beats.key_in(self._topology.a_slot_of(self.primary))
        at = clock.monotonic()
        info, value = self.primary.exchange([IDENTITY_COMMAND, beats.writing(self.beat_key)])
        beat = beats.read_beat(value)
        if beat is None or isinstance(info, Exception) or beat.identity != read_identity(info):
            logger.debug("no beat for %s: %s", self.primary.label, value)
            return
        before = self._own.written if beat.series == self._own.name else ()
        self._own = _Series(beat.series, (_Written(at, beat.number), *before[: BEATS_KEPT - 1]))

    def _find_replicas(self) -> None:
        if clock.monotonic() - self._found_at < FIND_SECONDS:
            return
        self._found_at = clock.monotonic()
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

    def _pass_over(self, replica: Replica, age: float | None) -> None:
        """Its answer is too old: leave it alone, if it has had the time to hear of the newest beat."""
        written = self._own.written
        if not written or clock.monotonic() - written[0].at < WAIT_SECONDS:
            replica_reads.add("too_old")
            return
        why = "it has no beat of this process" if age is None else f"it is {age:.1f} s behind"
        self._leave_alone(replica, "too_old", why)

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
        beat, age = _heard_by(replica, group)
    except Unavailable:
        problem = f"it did not answer within {WAIT_SECONDS} s"
    else:
        if isinstance(beat, REFUSALS):
            problem = str(beat)
        elif age is None:
            problem = "it has not heard what was written to this primary just now: it is behind, or follows another"
        elif age > sunwi_settings.REPLICA_STALENESS:
            problem = f"it is {age:.1f} s behind"
    return ReplicaSeen(replica.name, group.primary.name, None if problem else age, problem)


def _heard_by(replica: Replica, group: Group) -> tuple[Any, float | None]:
    """Its beat, and the age of that; a replica that is behind gets ``WAIT_SECONDS`` to hear of the newest one."""
    until = clock.monotonic() + WAIT_SECONDS
    while True:
        [beat] = replica.exchange([("GET", group.beat_key)])
        age = group.age_of(beat)
        if (age is not None and age <= sunwi_settings.REPLICA_STALENESS) or clock.monotonic() > until:
            return beat, age
        time.sleep(0.01)
