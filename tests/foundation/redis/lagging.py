"""What tests of replicas share: their settings, and a script that reads."""

from pathlib import Path
from typing import Any

import pytest

from foundation.redis import lua, replica, replicas
from foundation.redis.replicas import LaggingAnswer, ReplicaReads

OPTIONS: dict[str, Any] = {"socket_timeout": 1.0, "socket_connect_timeout": 1.0}
STALENESS = 1.5


@pytest.fixture
def get(tmp_path: Path) -> lua.Script:
    (tmp_path / "get.lua").write_text("#!lua flags=allow-oom\nreturn redis.call('GET', KEYS[1])")
    return lua.load(tmp_path / "get.lua")


@pytest.fixture(autouse=True)
def wanted(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replicas are read from, looked for at each turn, and tried again soon."""
    settings.REPLICA_STALENESS = STALENESS
    monkeypatch.setattr(replicas, "FIND_SECONDS", 0.2)
    monkeypatch.setattr(replicas, "BEAT_SECONDS", 0.1)
    monkeypatch.setattr(replica, "FIRST_REST_SECONDS", 0.2)
    monkeypatch.setattr(replica, "LONGEST_REST_SECONDS", 0.2)


def answered(reads: ReplicaReads, get: lua.Script, key: str = "a") -> LaggingAnswer | None:
    return reads.run(get, [key], [])


def is_answered(reads: ReplicaReads, get: lua.Script, key: str = "a") -> bool:
    return answered(reads, get, key) is not None
