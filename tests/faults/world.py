"""A world to break: a Valkey and a PostgreSQL of its own, and child processes that use them."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.faults.children import Child, Nursery
from tests.faults.servers import RedisServer, SqlServer


class World:
    """Two servers and the processes that use them. Make it by the fixture `make_world`."""

    def __init__(self, folder: Path, redis_server: RedisServer, sql: SqlServer) -> None:
        self.folder = folder
        self.redis = redis_server
        self.sql = sql
        self.histories = folder / "histories"
        self.histories.mkdir()
        self._nurseries: dict[str, Nursery] = {}
        self._histories = 0

    def new_history(self) -> str:
        """A file for a writer or reader to write its operations to."""
        self._histories += 1
        return str(self.histories / f"{self._histories:04d}.jsonl")

    def spawn(self, target: Callable[..., Any], *, fail_at: str = "", redis_url: str = "", **arguments: Any) -> Child:
        """Run a function of a module of ours in a child of its own. `redis_url`: not the server, but a proxy."""
        return self._nursery(redis_url or self.redis.made.url).bear(target, fail_at, arguments)

    def call(self, target: Callable[..., Any], *, seconds: float = 90, redis_url: str = "", **arguments: Any) -> Any:
        """The same, and wait for what it returns."""
        return self.spawn(target, redis_url=redis_url, **arguments).result(seconds)

    def end(self) -> None:
        for nursery in self._nurseries.values():
            nursery.end()
        self.redis.end()
        self.sql.end()
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.sql.made.folder, ignore_errors=True)

    def environment(self, redis_url: str = "") -> dict[str, str]:
        """What a process of ours needs to use these servers."""
        return {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATA_DIR": str(self.folder),
            "DATABASE_URL": self.sql.made.url,
            "REDIS_URL": redis_url or self.redis.made.url,
            "SECRET_KEY": "only-for-tests",
            "HTTPS": "off",
            "LOG_LEVEL": "WARNING",
        }

    def _nursery(self, redis_url: str) -> Nursery:
        if redis_url not in self._nurseries:
            self._nurseries[redis_url] = Nursery(self.folder, self.environment(redis_url))
        return self._nurseries[redis_url]
