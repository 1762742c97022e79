"""Both clients before a real site: a live server, a real database, a real Redis."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from pytest_django.live_server_helper import LiveServer

from sunwi_client import AsyncClient, AsyncSender, Client, RetryPolicy, Sender, UncountedScore
from tests.foundation.factories import KeyFactory
from tests.links import links
from tests.playing import make_board

__all__ = ["links"]

QUICK = RetryPolicy(seconds=10, first=0.01, longest=0.05)


class Waited:
    """An object whose methods are awaited, called as if they were not."""

    def __init__(self, portal: BlockingPortal, awaited: Any) -> None:
        self._portal, self.awaited = portal, awaited

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self.awaited, name)
        return lambda *args, **named: self._portal.call(partial(method, *args, **named))


class Kind:
    """One of the two clients and its sender, called alike, and closed at the end of the test."""

    def __init__(self, stack: ExitStack, portal: BlockingPortal | None) -> None:
        self._stack, self._portal = stack, portal

    def client(self, site: str, key: str | None = None, **wanted: Any) -> Any:
        """A client of ``site``."""
        named = {"retry_policy": QUICK, **wanted}
        made = Client(site, key, **named) if self._portal is None else AsyncClient(site, key, **named)
        return self._kept(made)

    def sender(self, client: Any, **wanted: Any) -> Any:
        """A sender by ``client``, as ``client`` made it."""
        if self._portal is None:
            return self._kept(Sender(client, **wanted))

        async def made() -> AsyncSender:
            return AsyncSender(client.awaited, **wanted)

        return self._kept(self._portal.call(made))

    def sender_that_adds_again(self, client: Any, **wanted: Any) -> Any:
        """A sender whose ``on_uncounted`` waits until others have filled its queue, and then adds the score."""
        made: list[Any] = []

        def again(lost: UncountedScore) -> None:
            while not made[0]._box.is_full:
                time.sleep(0.01)
            made[0].add(lost.score)

        async def again_awaited(lost: UncountedScore) -> None:
            while not made[0].awaited._box.is_full:
                await asyncio.sleep(0.01)
            await made[0].awaited.add(lost.score)

        made.append(self.sender(client, on_uncounted=again if self._portal is None else again_awaited, **wanted))
        return made[0]

    def with_options(self, client: Any, **wanted: Any) -> Any:
        """The client with other options."""
        if self._portal is None:
            return client.with_options(**wanted)
        return Waited(self._portal, client.awaited.with_options(**wanted))

    def pages(self, client: Any, method: str, *args: Any, **named: Any) -> list[Any]:
        """All pages that ``pages`` yields."""
        if self._portal is None:
            return list(client.pages(getattr(client, method), *args, **named))

        async def collect() -> list[Any]:
            awaited = client.awaited
            return [page async for page in awaited.pages(getattr(awaited, method), *args, **named)]

        return self._portal.call(collect)

    def _kept(self, made: Any) -> Any:
        shown = made if self._portal is None else Waited(self._portal, made)
        self._stack.callback(shown.close)
        return shown


@pytest.fixture(params=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> Iterator[Kind]:
    """Every test with this one runs twice.

    The loop of the asynchronous client runs in a thread of its own: browser tests leave one running in this thread.
    """
    with ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal()) if request.param == "async" else None
        yield Kind(stack, portal)


@pytest.fixture
def site(live_server: LiveServer) -> str:
    """The site's address."""
    return str(live_server.url)


@pytest.fixture
def key(site: str) -> str:
    """A key that opens all that game servers do."""
    return KeyFactory.create()


@pytest.fixture
def board(site: str) -> int:
    """A board that adds up, where a score that is counted twice shows."""
    return make_board(update="increment", storage="hybrid")
