"""The nodes of a real Redis Cluster on loopback; each can be killed, frozen and started again."""

import os
from pathlib import Path

from config.local import cluster, valkey
from foundation.redis.addresses import read_many
from tests.faults.servers import RedisServer
from tests.faults.world import wait_until


class Nodes:
    """Three primaries, and a replica of each if wanted."""

    def __init__(self, folder: Path, replicas: bool, fsync: str = "no") -> None:
        binary = Path(os.environ.get("TEST_REDIS_SERVER") or valkey.find_binary())
        self.cluster = cluster.make(folder, fsync, replicas, binary)
        self.servers: list[RedisServer] = []
        self.addresses = [f"{host}:{port}" for host, port in read_many(self.cluster.url).hosts]
        for node in self.cluster.nodes:
            node.write_configuration()
            self.servers.append(RedisServer(node, node.command))

    @property
    def url(self) -> str:
        return self.cluster.url

    def start(self) -> None:
        """Start all, and wait until they are one cluster."""
        for server in self.servers:
            server.start()
        self.cluster.join()

    def wait_until_whole(self) -> None:
        wait_until(self.cluster.is_whole, "the cluster serves every slot")

    def primary_of(self, key: str, but: RedisServer | None = None) -> RedisServer:
        """The server that has the key now, as a node says that is up and not ``but``."""
        with next(each for each in self.servers if each is not but and each._process is not None).client() as client:
            slot = client.execute_command("CLUSTER", "KEYSLOT", key)
            for first, last, primary, *_ in client.execute_command("CLUSTER", "SLOTS"):
                if first <= slot <= last:
                    return self.servers[self.addresses.index(f"127.0.0.1:{primary[1]}")]
        raise AssertionError(f"nobody has {key}")

    def end(self) -> None:
        for server in self.servers:
            server.end()
