"""A game server that signs its requests; in other hands, somebody who changes what it sent."""

import os
from typing import Any

from django.test import Client

from foundation import clock
from foundation.models import ServiceKey
from foundation.security import key_restrictions, signatures
from foundation.security.signatures import Signed
from tests.foundation.factories import KeyFactory

SCORES = "/api/v1/scores"


class Signer:
    """A game server that signs, or somebody who has its key and changes what it sent."""

    def __init__(self, **wanted: Any) -> None:
        self.text = KeyFactory.create(**wanted)
        self.key = ServiceKey.objects.get(prefix=self.text.split("_")[1])
        self.secret = key_restrictions.require_signatures(self.key)

    def headers(self, method: str, address: str, body: bytes = b"", nonce: str = "") -> dict[str, str]:
        signed = Signed(method, address, body)
        return signatures.headers_of(signed, nonce or os.urandom(16).hex(), clock.now(), self.secret)

    def send(self, method: str, address: str, body: bytes = b"", **headers: Any) -> Any:
        """Signed unless ``signed`` holds other headers."""
        stamp = headers.pop("signed", None)
        wanted = self.headers(method, address, body) if stamp is None else stamp
        return send(self.text, method, address, body, {**wanted, **headers})


def send(key: str, method: str, address: str, body: bytes, headers: dict[str, str]) -> Any:
    client = Client(raise_request_exception=False)
    named = {"Authorization": f"Bearer {key}"} | headers
    remote = named.pop("From", "127.0.0.1")
    return client.generic(method, address, body, "application/json", headers=named, REMOTE_ADDR=remote)


def entry(board: int, points: int = 5) -> bytes:
    return b'{"entries": [{"board": %d, "player": "alice", "points": %d}]}' % (board, points)
