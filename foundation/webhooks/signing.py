"""Signatures by Standard Webhooks: HMAC-SHA256 over the message id, the time and the bytes that are sent.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
``verify`` is the receiver's side; Sunwi itself only signs.
"""

import hmac
import secrets
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

PREFIX = "whsec_"
SECRET_BYTES = 32
TOLERATED = timedelta(minutes=5)


def new_secret() -> str:
    """Generate a secret of 256 bits, in the form that receivers expect."""
    return PREFIX + b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def headers(message_id: str, at: datetime, body: bytes, signed_with: Iterable[str]) -> dict[str, str]:
    """The three headers of a message sent at ``at``, with one signature for each secret."""
    moment = str(int(at.timestamp()))
    signatures = (_signature(message_id, moment, body, secret) for secret in signed_with)
    return {"webhook-id": message_id, "webhook-timestamp": moment, "webhook-signature": " ".join(signatures)}


def verify(received: Mapping[str, str], body: bytes, secret: str, at: datetime) -> bool:
    """Whether ``body`` was signed with ``secret``, within five minutes of ``at``."""
    moment = received["webhook-timestamp"]
    if not (moment.isascii() and moment.isdigit() and abs(int(moment) - at.timestamp()) <= TOLERATED.total_seconds()):
        return False
    expected = _signature(received["webhook-id"], moment, body, secret).encode()
    return any(hmac.compare_digest(expected, each.encode()) for each in received["webhook-signature"].split(" "))


def _signature(message_id: str, moment: str, body: bytes, secret: str) -> str:
    key = b64decode(secret.removeprefix(PREFIX))
    signed = hmac.digest(key, f"{message_id}.{moment}.".encode() + body, "sha256")
    return "v1," + b64encode(signed).decode()
