"""A link to fakeredis with the interface of ``foundation.redis.Link``: scripts run in a plain Lua, without a server."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import fakeredis
from redis.exceptions import ResponseError

from foundation.lua import Script
from foundation.redis import Argument, Link, RedisRefused


class FakeLink(Link):
    """Commands go to a server in this process; it refuses as the real one does."""

    def __init__(self) -> None:
        self._client = fakeredis.FakeRedis()
        self.run_id = "fake"

    @property
    def timeout_ms(self) -> int:
        return 500

    def deadline_ms(self) -> int:
        return int(time.time() * 1000) + self.timeout_ms

    def run(self, script: Script, keys: Sequence[str], args: Sequence[Argument]) -> Any:
        return self.call("EVAL", script.text, len(keys), *keys, *args)

    def call(self, *command: Argument, read: Callable[[Any], Any] | None = None) -> Any:
        try:
            answer = self._client.execute_command(*command)  # type: ignore[no-untyped-call]  # fakeredis has no types
        except ResponseError as error:
            raise RedisRefused(str(error)) from error
        return read(answer) if read else answer

    def reset(self) -> None:
        self._client.flushall()
