"""Who is acting in this thread: said once where a request or a command begins, so that no service has to pass it on.

The trap: what ``record`` is told counts before what stands here, and without either the schedule did it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

AccountGetter = Callable[[], AbstractBaseUser | AnonymousUser | None]
Address = Callable[[], str]


class Named(Protocol):
    """A service key, as far as the log knows it."""

    name: str


@dataclass(slots=True)
class Actor:
    """An account, a service key, or a command, which is a note; and the address that a request comes from, empty
    without one. Account and address are asked for when they are needed."""

    account: AccountGetter
    address: Address = str
    key: Named | None = None
    note: dict[str, Any] = field(default_factory=dict)

    @property
    def by(self) -> AbstractBaseUser | None:
        """Who has signed in; nobody where a key acts."""
        found = None if self.key is not None else self.account()
        return found if isinstance(found, AbstractBaseUser) else None


_acting: ContextVar[Actor | None] = ContextVar("audit_actor", default=None)


def current() -> Actor:
    """Who is acting; nobody where nothing was said."""
    return _acting.get() or Actor(_nobody)


@contextmanager
def acting(account: AccountGetter | None = None, address: Address | None = None, **note: Any) -> Iterator[Actor]:
    """Let what is recorded in this block be done by ``account``, or bear ``note``, such as a command's name.

    Without an ``address`` it is that of the block around, since the request is the same.
    """
    token = _acting.set(Actor(account or _nobody, address or current().address, note=note))
    try:
        yield current()
    finally:
        _acting.reset(token)


def identify(key: Named) -> None:
    """The request under way is a key's."""
    if (actor := _acting.get()) is not None:
        actor.key = key


def _nobody() -> None:
    return None
