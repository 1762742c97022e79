"""The current actor in this thread, set once where a request or a command begins, so that services need not pass it.

The trap: arguments of ``record`` override it; without either, the entry has no actor, which means the schedule.
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
    """Something with a name: a service key."""

    name: str


@dataclass(slots=True)
class Actor:
    """An account, a service key, or a command (in ``note``), and the client's address, empty without a request.

    Account and address are functions, called only when an entry is recorded.
    """

    account: AccountGetter
    address: Address = str
    key: Named | None = None
    note: dict[str, Any] = field(default_factory=dict)

    @property
    def by(self) -> AbstractBaseUser | None:
        """The account that is signed in; None if a service key acts."""
        account = None if self.key is not None else self.account()
        return account if isinstance(account, AbstractBaseUser) else None


_acting: ContextVar[Actor | None] = ContextVar("audit_actor", default=None)


def current() -> Actor:
    """The current actor; one without account, key and note if none was set."""
    return _acting.get() or Actor(_nobody)


@contextmanager
def acting(account: AccountGetter | None = None, address: Address | None = None, **note: Any) -> Iterator[Actor]:
    """Record the entries of this block as done by ``account``, or with ``note``, such as a command's name.

    Without ``address`` the address of the enclosing block is used, because the request is the same.
    """
    token = _acting.set(Actor(account or _nobody, address or current().address, note=note))
    try:
        yield current()
    finally:
        _acting.reset(token)


def identify(key: Named) -> None:
    """Set the service key of the current request."""
    if (actor := _acting.get()) is not None:
        actor.key = key


def _nobody() -> None:
    return None
