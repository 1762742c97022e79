"""What tests of pages read and who they are."""

import re
from html import unescape
from typing import Any

from django.test import Client

from tests.playing import account


def text(response: Any) -> str:
    """What people read, tags taken out and blanks joined."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def signed_in(client: Client, username: str, player: str | None = None, **more: object) -> Client:
    client.force_login(account(username, player, **more))
    return client
