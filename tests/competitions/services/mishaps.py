"""What goes wrong midway: Redis is away, a process dies at a failpoint, somebody else comes in between."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from foundation.redis import client as redis


@contextmanager
def redis_away() -> Iterator[None]:
    """Meanwhile no exchange with the boards' Redis succeeds; afterwards it is back."""
    with patch.object(redis.RedisClient, "_exchange", side_effect=redis.RedisAway("Redis is away.")):
        yield
    redis.boards().reset()


@contextmanager
def dying_at(module: Any, step: str = "") -> Iterator[None]:
    """Whoever comes to this failpoint of the module, or to the first, dies there; and somebody must."""

    def die(name: str) -> None:
        if step in ("", name):
            raise SystemExit(name)

    with patch.object(module, "failpoint", die), pytest.raises(SystemExit):
        yield


def let_happen_before(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, meanwhile: Callable[[], object]) -> None:
    """Just before the first call of that function; what happens there may call it again."""
    function = getattr(module, name)

    def delayed(*args: Any, **kwargs: Any) -> object:
        monkeypatch.setattr(module, name, function)
        meanwhile()
        return function(*args, **kwargs)

    monkeypatch.setattr(module, name, delayed)
