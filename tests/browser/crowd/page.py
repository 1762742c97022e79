"""A page to look at, and who looks."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.test import Client


@dataclass(frozen=True, slots=True)
class SitePage:
    """``who`` has signed in (empty: nobody).

    Pages of the admin are Django's: of them only width and language are looked at, and ``foreign`` is what they say in
    Korean.
    """

    title: str
    address: str
    who: str = ""
    status: int = 200
    foreign: str = ""


def session(username: str) -> str:
    """The cookie of somebody who has signed in."""
    client = Client()
    client.force_login(User.objects.get(username=username))
    return client.cookies["sessionid"].value
