"""Signatures of requests: HMAC-SHA256 over method, address, time, nonce and body, with a secret of the key's own.

Pure rules: nothing here reads a request, a clock or a table. docs/api.md tells callers how to sign; ``headers_of`` is
what they do. The trap: the address is signed in one spelling, whatever the caller's library made of its path.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar
from urllib.parse import quote

from foundation.errors import Unauthenticated

VERSION = "sunwi-v1"
TIMESTAMP, NONCE, SIGNATURE = HEADERS = ("Sunwi-Timestamp", "Sunwi-Nonce", "Sunwi-Signature")
SECRET_PREFIX = "sunwisig_"  # noqa: S105 - how each begins, and no secret
_MOMENT = re.compile(r"[0-9]{1,12}", re.ASCII)
_NONCE = re.compile(r"[A-Za-z0-9_-]{16,64}", re.ASCII)
_SIGNATURE = re.compile(r"v1=([0-9a-f]{64})", re.ASCII)


class SignatureMissing(Unauthenticated):
    """The key demands a signature, and one of its headers is missing or malformed."""

    code: ClassVar[str] = "signature_missing"


class SignatureUnexpected(Unauthenticated):
    """Signed with a key that has no signing secret: nobody would have checked it."""

    code: ClassVar[str] = "signature_unexpected"


class SignatureExpired(Unauthenticated):
    """Signed too long ago, or too far ahead of this clock."""

    code: ClassVar[str] = "signature_expired"


class SignatureWrong(Unauthenticated):
    """The signature is not over this request, or not with this key's signing secret."""

    code: ClassVar[str] = "signature_wrong"


@dataclass(frozen=True, slots=True)
class Signed:
    """What a signature covers of a request. ``address`` as ``address_of`` spells it."""

    method: str
    address: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a caller sends with it: Unix seconds, a nonce of 16 to 64 characters, and 64 hex digits."""

    moment: int
    nonce: str
    signature: str


def new_secret() -> str:
    """A fresh signing secret of 256 bits. Its whole text is the key of the HMAC."""
    return SECRET_PREFIX + secrets.token_hex(32)


def address_of(path: str, query: str) -> str:
    """A decoded path with its query, as it is signed: UTF-8, all but letters, digits, ``-._~/`` percent-encoded."""
    return quote(path, safe="/") + (f"?{query}" if query else "")


def headers_of(signed: Signed, nonce: str, at: datetime, secret: str) -> dict[str, str]:
    """The three headers of a request that is sent at ``at``."""
    moment = int(at.timestamp())
    return {
        TIMESTAMP: str(moment),
        NONCE: nonce,
        SIGNATURE: f"v1={_hmac(signed, str(moment), nonce, secret)}",
    }


def read(headers: Mapping[str, str], at: datetime, tolerated: timedelta) -> Stamp:
    """The stamp in ``headers``, which must be within ``tolerated`` of ``at``. Raises ``SignatureMissing`` or
    ``SignatureExpired``."""
    missing = [name for name in HEADERS if not headers.get(name)]
    if missing:
        raise SignatureMissing(f"This key demands a signature: send {', '.join(missing)}, as docs/api.md says.")
    moment, nonce, signature = (headers[name] for name in HEADERS)
    found = _SIGNATURE.fullmatch(signature)
    if not _MOMENT.fullmatch(moment) or str(int(moment)) != moment:
        raise SignatureMissing(f"{TIMESTAMP} must be the time in whole seconds since 1970, such as 1795264201.")
    if not _NONCE.fullmatch(nonce):
        raise SignatureMissing(f"{NONCE} must be 16 to 64 letters, digits, hyphens or underscores, new each time.")
    if found is None:
        raise SignatureMissing(f"{SIGNATURE} must be v1= and 64 small hexadecimal digits.")
    _refuse_expired(int(moment), at, tolerated)
    return Stamp(int(moment), nonce, found[1])


def verify(stamp: Stamp, signed: Signed, allowed: Iterable[str]) -> None:
    """Raise ``SignatureWrong`` unless one of the secrets ``allowed`` made the signature; all are compared."""
    expected = [_hmac(signed, str(stamp.moment), stamp.nonce, secret) for secret in allowed]
    fits = [hmac.compare_digest(each, stamp.signature) for each in expected]
    if not any(fits):
        raise SignatureWrong(
            f"The signature does not fit this request ({signed.method} {signed.address[:200]}, "
            f"{len(signed.body):,} bytes): check the signing secret and the text that is signed."
        )


def _refuse_expired(moment: int, at: datetime, tolerated: timedelta) -> None:
    off = moment - at.timestamp()
    if abs(off) > tolerated.total_seconds():
        where = "ahead of" if off > 0 else "behind"
        raise SignatureExpired(
            f"{TIMESTAMP} is {abs(off):,.0f} s {where} this server's clock; {tolerated.total_seconds():.0f} s are "
            "allowed. Set the clock, and sign each try anew."
        )


def _hmac(signed: Signed, moment: str, nonce: str, secret: str) -> str:
    """Hexadecimal, over six lines."""
    digest = hashlib.sha256(signed.body).hexdigest()
    lines = (VERSION, signed.method, signed.address, moment, nonce, digest)
    return hmac.digest(secret.encode(), "\n".join(lines).encode(), "sha256").hex()
