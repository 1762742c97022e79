"""What tests of replicas share: beats as the worker writes them, and a script that reads."""

import threading
from pathlib import Path
from typing import Any

import pytest

from foundation.redis import beats, lua, replica, replicas
from foundation.redis.client import RedisClient
from foundation.redis.replicas import LaggingAnswer, ReplicaReads

OPTIONS: dict[str, Any] = {"socket_timeout": 1.0, "socket_connect_timeout": 1.0}
STALENESS = 1.5


@pytest.fixture
def get(tmp_path: Path) -> lua.Script:
    (tmp_path / "get.lua").write_text("#!lua flags=allow-oom\nreturn redis.call('GET', KEYS[1])")
    return lua.load(tmp_path / "get.lua")


class Beating:
    """Writes beats as the worker does, for ``client``."""

    def __init__(self, client: RedisClient) -> None:
        self._client, self._over = client, threading.Event()
        self._thread = threading.Thread(target=self._go_on)

    def __enter__(self) -> None:
        beats.write_beats(self._client)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _go_on(self) -> None:
        while not self._over.wait(beats.EVERY_SECONDS):
            beats.write_beats(self._client)


@pytest.fixture(autouse=True)
def wanted(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replicas are read from, looked for at each turn, and tried again soon."""
    settings.REPLICA_STALENESS = STALENESS
    monkeypatch.setattr(replicas, "FIND_SECONDS", 0.2)
    monkeypatch.setattr(replicas, "CLOCK_SECONDS", 0.2)
    monkeypatch.setattr(replicas, "SOONEST_SECONDS", 0.1)
    monkeypatch.setattr(replica, "FIRST_REST_SECONDS", 0.2)
    monkeypatch.setattr(replica, "LONGEST_REST_SECONDS", 0.2)


def answered(reads: ReplicaReads, get: lua.Script, key: str = "a") -> LaggingAnswer | None:
    return reads.run(get, [key], [])


def is_answered(reads: ReplicaReads, get: lua.Script, key: str = "a") -> bool:
    return answered(reads, get, key) is not None
