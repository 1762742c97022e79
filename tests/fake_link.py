"""A link to fakeredis with the interface of ``foundation.redis.Link``: scripts run in a plain Lua, without a server."""

import time
from collections.abc import Sequence
from typing import Any

import fakeredis
from redis.exceptions import NoScriptError, ResponseError

from foundation.redis import RUN_ID, Argument, Link, RedisRefused, _ScriptMissing


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

    def _exchange(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        return [self._asked([self.run_id if part is RUN_ID else part for part in command]) for command in commands]

    def _asked(self, command: Sequence[Argument]) -> Any:
        try:
            return self._client.execute_command(*command)  # type: ignore[no-untyped-call]  # fakeredis has no types
        except NoScriptError as error:
            return _ScriptMissing(str(error))
        except ResponseError as error:
            return RedisRefused(str(error))

    def reset(self) -> None:
        self._client.flushall()
