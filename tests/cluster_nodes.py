"""What may happen to the nodes of the tests' cluster (TEST_REDIS=cluster): a slot moves, or a node is silent."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import redis

from tests.raw import each_node

PATIENCE_MS = 5000


def move_slot(key: str) -> None:
    """Give the slot of a key, with all keys in it, to another node, as an operator does. Clients are not told."""
    nodes = each_node()
    try:
        names = {node: node.execute_command("CLUSTER", "MYID").decode() for node in nodes}
        slot = int(nodes[0].execute_command("CLUSTER", "KEYSLOT", key))
        source = _owner(nodes, slot)
        target = nodes[(nodes.index(source) + 1) % len(nodes)]
        target.execute_command("CLUSTER", "SETSLOT", slot, "IMPORTING", names[source])
        source.execute_command("CLUSTER", "SETSLOT", slot, "MIGRATING", names[target])
        host, port = target.get_connection_kwargs()["host"], target.get_connection_kwargs()["port"]
        while keys := source.execute_command("CLUSTER", "GETKEYSINSLOT", slot, 100):
            source.execute_command("MIGRATE", host, port, "", 0, PATIENCE_MS, "KEYS", *keys)
        for node in (target, source, *nodes):
            node.execute_command("CLUSTER", "SETSLOT", slot, "NODE", names[target])
    finally:
        for node in nodes:
            node.close()


@contextmanager
def silent_node(key: str) -> Iterator[None]:
    """The node that has a key answers nobody meanwhile: its process stands still."""
    nodes = each_node()
    try:
        slot = int(nodes[0].execute_command("CLUSTER", "KEYSLOT", key))
        process = int(_owner(nodes, slot).info("server")["process_id"])
    finally:
        for node in nodes:
            node.close()
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def _owner(nodes: list[redis.Redis], slot: int) -> redis.Redis:
    for first, last, primary, *_ in nodes[0].execute_command("CLUSTER", "SLOTS"):
        if first <= slot <= last:
            return next(node for node in nodes if node.get_connection_kwargs()["port"] == primary[1])
    raise AssertionError(f"nobody has slot {slot}")
