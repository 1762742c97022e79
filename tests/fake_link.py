"""A link to fakeredis with the interface of ``foundation.redis.client.RedisClient``: scripts run in a plain Lua,
without a server."""

import hashlib
import time
from collections.abc import Sequence
from typing import Any

import fakeredis
from redis.exceptions import NoScriptError, ResponseError

from foundation import clock
from foundation.redis.client import IDENTITY_ARG, Argument, RedisClient, RedisRefused
from foundation.redis.errors import ScriptMissing


class FakeLink(RedisClient):
    """Commands go to a server in this process; it refuses as the real one does."""

    def __init__(self) -> None:
        self._client = fakeredis.FakeRedis()
        self.identity = "fake"
        self._digests: dict[str, str] = {}

    @property
    def timeout_ms(self) -> int:
        return 500

    def deadline_ms(self, key: str, since: float | None = None) -> int:
        passed = 0.0 if since is None else clock.monotonic() - since
        return int((time.time() - passed) * 1000) + self.timeout_ms

    def _exchange(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        return [
            self._asked([self.identity if part is IDENTITY_ARG else part for part in command]) for command in commands
        ]

    def _asked(self, command: Sequence[Argument]) -> Any:
        try:
            return self._client.execute_command(*self._without_kind(command))  # type: ignore[no-untyped-call]  # fakeredis has no types
        except NoScriptError as error:
            return ScriptMissing(str(error))
        except ResponseError as error:
            return RedisRefused(str(error))

    def _without_kind(self, command: Sequence[Argument]) -> Sequence[Argument]:
        """fakeredis takes the line that tells a script's kind for a mistake; so a script has another digest there."""
        if command[0] == "EVALSHA":
            return "EVALSHA", self._digests.get(str(command[1]), command[1]), *command[2:]
        if command[0] != "EVAL" or not str(command[1]).startswith("#!"):
            return command
        text = str(command[1])
        plain = "\n" + text.partition("\n")[2]
        self._digests[_digest(text)] = _digest(plain)
        return "EVAL", plain, *command[2:]

    def fetch_identity(self) -> str:
        return self.identity

    def reset(self) -> None:
        self._client.flushall()


def _digest(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
