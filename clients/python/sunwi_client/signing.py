"""Signatures for keys that demand them: HMAC-SHA256 over the request as it is sent, new for each try."""

import hashlib
import hmac
import secrets
import time

VERSION = "sunwi-v1"


def signature_headers(method: str, address: str, body: bytes, secret: str) -> dict[str, str]:
    """The three headers. ``address`` is path and query as they are sent, the path percent-encoded in capitals."""
    moment, nonce = str(int(time.time())), secrets.token_hex(16)
    lines = (VERSION, method, address, moment, nonce, hashlib.sha256(body).hexdigest())
    signature = hmac.digest(secret.encode(), "\n".join(lines).encode(), "sha256").hex()
    return {"Sunwi-Timestamp": moment, "Sunwi-Nonce": nonce, "Sunwi-Signature": f"v1={signature}"}
