"""A Redis Cluster of real Valkey nodes on this machine: primaries, and replicas of them, on ports of loopback."""

import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import redis

from config.local import valkey
from config.local.valkey import Valkey

SLOTS = 16_384
PRIMARIES = 3


@dataclass(frozen=True)
class Cluster:
    """The nodes: ``PRIMARIES`` primaries first, then as many replicas or none."""

    nodes: Sequence[Valkey]

    @property
    def url(self) -> str:
        return f"redis+cluster://{','.join(f'127.0.0.1:{_port(node)}' for node in self.nodes)}"

    def start(self) -> list[subprocess.Popen[bytes]]:
        """Start all nodes and join them. Returns their processes once every slot is served."""
        children = [node.start() for node in self.nodes]
        self.join()
        return children

    def join(self) -> None:
        """Make a cluster of nodes that run: nothing happens if they are one already."""
        if not self._is_joined():
            self._give_slots()
            self._introduce()
            self._follow()
        wait_until(self.is_whole, "the cluster serves every slot")

    def is_whole(self) -> bool:
        """Whether every node sees every slot served, and every replica follows."""
        return all(_is_well(node) for node in self.nodes)

    def _is_joined(self) -> bool:
        with client_of(self.nodes[0]) as client:
            return int(_info(client)["cluster_known_nodes"]) > 1

    def _give_slots(self) -> None:
        for nth, node in enumerate(self.nodes):
            with client_of(node) as client:
                client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", nth + 1)
                if nth < PRIMARIES:
                    first, last = SLOTS * nth // PRIMARIES, SLOTS * (nth + 1) // PRIMARIES - 1
                    client.execute_command("CLUSTER", "ADDSLOTSRANGE", first, last)

    def _introduce(self) -> None:
        with client_of(self.nodes[0]) as client:
            for node in self.nodes[1:]:
                client.execute_command("CLUSTER", "MEET", "127.0.0.1", *(node.ports or ()))
        known = len(self.nodes)
        for node in self.nodes:
            with client_of(node) as client:
                wait_until(lambda: int(_info(client)["cluster_known_nodes"]) == known, "the nodes know each other")

    def _follow(self) -> None:
        for primary, replica in zip(self.nodes[:PRIMARIES], self.nodes[PRIMARIES:], strict=False):
            with client_of(primary) as client:
                name = client.execute_command("CLUSTER", "MYID")
            with client_of(replica) as client:
                client.execute_command("CLUSTER", "REPLICATE", name)


def make(
    folder: Path,
    fsync: str = "always",
    replicas: bool = True,
    binary: Path | None = None,
    ports: Sequence[int] = (),
) -> Cluster:
    """A cluster in ``folder``, not started yet, on these ports (two for each node) or on some that are free now."""
    many, found = PRIMARIES * (2 if replicas else 1), binary or valkey.find_binary()
    ports = ports or free_ports(2 * many)
    return Cluster(
        [
            Valkey(
                binary=found,
                folder=folder / f"node-{nth}",
                socket=valkey.short_socket(folder / f"node-{nth}"),
                log=folder / f"node-{nth}.log",
                fsync=fsync,
                ports=(ports[2 * nth], ports[2 * nth + 1]),
            )
            for nth in range(many)
        ]
    )


def kept(folder: Path) -> Cluster:
    """The cluster that lives in ``folder``: its nodes know each other by their ports, so these are noted there."""
    note = folder / "ports"
    if not note.exists():
        folder.mkdir(parents=True, exist_ok=True)
        note.write_text(" ".join(map(str, free_ports(4 * PRIMARIES))))
    return make(folder, ports=[int(port) for port in note.read_text().split()])


def free_ports(many: int) -> list[int]:
    """Ports of loopback on which nobody listens now, all different."""
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(many)]
    ports = [int(each.getsockname()[1]) for each in taken]
    for each in taken:
        each.close()
    return ports


def client_of(node: Valkey) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(node.socket), socket_timeout=10, decode_responses=True)


def wait_until(holds: Callable[[], bool], what: str, seconds: float = 60) -> None:
    """Wait, and raise ``ServerFailed`` if it takes too long."""
    give_up = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > give_up:
            raise valkey.ServerFailed(f"after {seconds:.0f} s still not: {what}")
        time.sleep(0.05)


def _port(node: Valkey) -> int:
    return node.ports[0] if node.ports else 0


def _info(client: redis.Redis) -> dict[str, str]:
    told = client.execute_command("CLUSTER", "INFO")
    if isinstance(told, dict):
        return {str(name): str(value) for name, value in told.items()}
    return dict(line.split(":", 1) for line in str(told).splitlines() if ":" in line)


def _is_well(node: Valkey) -> bool:
    with client_of(node) as client:
        info, own = _info(client), client.info("replication")
    has_caught_up = own["role"] == "master" or own["master_link_status"] == "up"
    return info["cluster_state"] == "ok" and info["cluster_slots_ok"] == str(SLOTS) and has_caught_up
