"""Signatures by Standard Webhooks: HMAC-SHA256 over the message id, the time and the bytes that are sent.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
Its own library signs; receivers verify with the same one, or as docs/webhooks.md shows.
"""

import secrets
from base64 import b64encode
from collections.abc import Iterable
from datetime import UTC, datetime

from standardwebhooks import Webhook

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> str:
    """Generate a secret of 256 bits, in the form that receivers expect."""
    return PREFIX + b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def headers(message_id: str, at: datetime, body: bytes, signed_with: Iterable[str]) -> dict[str, str]:
    """The three headers of a message sent at ``at``, with one signature for each secret. ``body`` is UTF-8."""
    at, text = at.astimezone(UTC), body.decode()  # the library reads any time as UTC
    signatures = (Webhook(secret).sign(message_id, at, text) for secret in signed_with)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
