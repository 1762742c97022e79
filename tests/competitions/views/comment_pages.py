"""The addresses and forms of comments, and a moderator."""

import re

from django.contrib.auth.models import Permission, User
from django.test import Client

from competitions.models import Competition
from tests.leaderboards.views.pages import signed_in


def of(competition: Competition, rest: str = "") -> str:
    return f"/competitions/{competition.pk}/comments/{rest}"


def moderator() -> Client:
    client = signed_in(Client(), "moderator", is_staff=True)
    User.objects.get(username="moderator").user_permissions.add(Permission.objects.get(codename="change_comment"))
    return client


def form_of(client: Client, address: str) -> str:
    found = re.search(r'name="form" value="([^"]+)"', client.get(address).content.decode())
    assert found is not None
    return found[1]
