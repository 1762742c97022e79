"""Signatures for keys that demand them: HMAC-SHA256 over the request, made anew for each try."""

import hashlib
import hmac
import secrets
import time

VERSION = "sunwi-v1"


def signature_headers(method: str, address: str, body: bytes, secret: str) -> dict[str, str]:
    """The three headers. ``address`` is path and query as sent, the path percent-encoded with capital hex digits."""
    moment, nonce = str(int(time.time())), secrets.token_hex(16)
    lines = (VERSION, method, address, moment, nonce, hashlib.sha256(body).hexdigest())
    signature = hmac.digest(secret.encode(), "\n".join(lines).encode(), "sha256").hex()
    return {"Sunwi-Timestamp": moment, "Sunwi-Nonce": nonce, "Sunwi-Signature": f"v1={signature}"}
