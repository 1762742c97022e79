"""A page to look at, and who looks."""

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.test import Client


@dataclass(frozen=True, slots=True)
class SitePage:
    """``who`` has signed in (empty: nobody).

    Who has signed in stays so for all pages; where that is too old, or not what a page needs, ``cookie`` makes a
    session of its own. Pages of the admin are Django's: of them only width and language are looked at, and ``foreign``
    is what they say in Korean.
    """

    title: str
    address: str
    who: str = ""
    status: int = 200
    foreign: str = ""
    cookie: Callable[[str], str] | None = None


def signed_in(username: str) -> tuple[User, Client]:
    """Somebody, and a client at which they have just signed in."""
    user, client = User.objects.get(username=username), Client()
    client.force_login(user)
    return user, client


def cookie_of(client: Client) -> str:
    """The cookie of its session."""
    return client.cookies["sessionid"].value


def session(username: str) -> str:
    """The cookie of somebody who has signed in."""
    return cookie_of(signed_in(username)[1])
