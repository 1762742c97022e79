"""A child that comes in by the front door: pages and API over the whole request path, noting each answer."""

import time
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from tests.faults.nursery import stopping
from tests.faults.writers import Notes, like_a_request


def visit(notes: str, paths: list[str], user: str = "", pause: float = 0.02) -> int:
    """Ask for these paths until told to stop, signed in as a new ``user`` if named; returns how many answers came."""
    client, written, made = Client(raise_request_exception=False), Notes(notes), 0
    client.defaults["SERVER_NAME"] = "localhost"
    if user:
        client.force_login(User.objects.create_user(user))
    while not stopping():
        for path in paths:
            written.write(**_visited(client, path))
            made += 1
        time.sleep(pause)
    return made


def _visited(client: Client, path: str) -> dict[str, Any]:
    began = time.monotonic()
    with like_a_request():
        response = client.get(path)
    body = response.content.decode()
    return {"path": path, "began": began, "ended": time.monotonic(), "status": response.status_code, "body": body}
