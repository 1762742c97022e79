"""A primary, a replica of it, and three real sentinels that watch them, on loopback; each can be killed and frozen."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

import redis

from config.local import valkey
from tests.faults.servers import RedisServer, Server, new_redis
from tests.ports import free_port

NAME = "boards"
QUORUM = 2
DOWN_AFTER_MS = 800


@dataclass(frozen=True)
class Sentinel:
    """How one sentinel is started, and whether it answers."""

    folder: Path
    port: int
    log: Path

    def answers(self) -> bool:
        try:
            with redis.Redis(port=self.port, socket_timeout=1) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


class Watched:
    """The servers. ``url`` leads to the primary through the sentinels; ``begin`` starts what is down."""

    def __init__(self, folder: Path, primary: RedisServer) -> None:
        self.folder = folder
        self.servers = [primary, new_redis(folder, "always", "second")]
        self._own = self.servers[1:]
        self.ports: list[int] = []
        self.sentinels: list[Server] = []

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{each.made.port}" for each in self.sentinels)
        return f"redis+sentinel://{hosts}/{NAME}"

    def start(self) -> None:
        """Start the second server and the sentinels; the first one is up. Returns when all know each other."""
        for server in self._own:
            server.start()
        self.ports = [server.listen() for server in self.servers]
        self.servers[1].follow(self.ports[0])
        for server in self.servers:
            with server.client() as client:
                client.config_rewrite()  # the port, for when it is started again
        self.sentinels = [new_sentinel(self.folder, nth, self.ports[0]) for nth in range(3)]
        for sentinel in self.sentinels:
            sentinel.start()
        self.wait_until_watched()

    def wait_until_watched(self) -> None:
        """Every sentinel knows the other two and the replica."""
        give_up = time.monotonic() + 60
        while not all(self._knows_all(each) for each in self.sentinels):
            assert time.monotonic() < give_up, "the sentinels do not find each other"
            time.sleep(0.05)

    def primary(self) -> RedisServer:
        """Who the sentinels say it is."""
        with redis.Redis(port=self.sentinels[0].made.port, socket_timeout=5) as client:
            port = int(client.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)[1])
        return self.servers[self.ports.index(port)]

    def wait_for_another(self, before: RedisServer) -> RedisServer:
        """Wait until every sentinel names another primary than ``before``, and that one takes writes."""
        give_up = time.monotonic() + 90
        while True:
            found = {self._named_by(each) for each in self.sentinels}
            now = self.servers[1 - self.servers.index(before)]
            if found == {self.ports[self.servers.index(now)]} and is_primary(now):
                return now
            assert time.monotonic() < give_up, "nobody was promoted"
            time.sleep(0.05)

    def fail_over(self) -> None:
        """Promote the replica now, while the primary is up."""
        with redis.Redis(port=self.sentinels[0].made.port, socket_timeout=5) as client:
            client.execute_command("SENTINEL", "FAILOVER", NAME)

    def end(self) -> None:
        for each in (*self.sentinels, *self._own):
            each.end()

    def _named_by(self, sentinel: Server) -> int:
        with redis.Redis(port=sentinel.made.port, socket_timeout=5) as client:
            return int(client.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)[1])

    def _knows_all(self, sentinel: Server) -> bool:
        with redis.Redis(port=sentinel.made.port, socket_timeout=5) as client:
            seen = client.sentinel_master(NAME)
        return bool(seen["num-other-sentinels"] == 2 and seen["num-slaves"] == 1)


def new_sentinel(folder: Path, nth: int, watched_port: int) -> Server:
    """A sentinel of the server on that port, not started yet."""
    place, port = folder / f"sentinel-{nth}", free_port()
    place.mkdir(parents=True, exist_ok=True)
    (place / "sentinel.conf").write_text(
        f"port {port}\nbind 127.0.0.1\ndir {place}\n"
        f"sentinel monitor {NAME} 127.0.0.1 {watched_port} {QUORUM}\n"
        f"sentinel down-after-milliseconds {NAME} {DOWN_AFTER_MS}\nsentinel failover-timeout {NAME} 5000\n"
    )
    binary = os.environ.get("TEST_REDIS_SERVER") or str(valkey.find_binary())
    made = Sentinel(place, port, folder / f"sentinel-{nth}.log")
    return Server(made, [binary, str(place / "sentinel.conf"), "--sentinel"])


def is_primary(server: RedisServer) -> bool:
    with server.client() as client:
        return bool(client.info("replication")["role"] == "master")
