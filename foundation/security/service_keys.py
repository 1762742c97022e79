"""Making and authenticating the API keys of game servers.

A key reads ``sunwi_<prefix>_<secret>``: the prefix finds the row, the secret (160 bits) is compared
as a SHA-256 hash in constant time. A fast hash is enough at this entropy (OWASP ASVS 5.0, 6.5.2).
Rows are cached for two seconds, so a revoked key stops working within that time.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime, timedelta

from django.db import transaction

from foundation import clock
from foundation.audit import record
from foundation.audit.row_values import subjects_of
from foundation.db.resilience import SqlAway, StaleIfErrorCache, ask
from foundation.errors import Forbidden, Invalid, Unauthenticated
from foundation.messages import Message
from foundation.models import ServiceKey
from foundation.throttling.limits import Limit

SCOPES = ("scores:write", "players:write", "likes:write", "boards:read")
REMEMBERED_SECONDS = 2.0
KNOWN_SECONDS = 0.25
LAST_USED_EVERY = timedelta(minutes=1)
_FORM = re.compile(r"sunwi_[0-9a-f]{8}_[0-9a-f]{40}")


_reserved: set[str] = set()


def reserve(*names: str) -> None:
    """Forbid these names for keys: apps use them for sources that are not a service key."""
    _reserved.update(names)


def make(
    name: str,
    scopes: Iterable[str],
    boards: Iterable[int] | None = None,
    expires_at: datetime | None = None,
    limit: Limit | None = None,
) -> tuple[ServiceKey, str]:
    """Make a key; return its row and its text, which is stored nowhere. Raises ``Invalid``.

    ``limit`` is the key's own rate limit, instead of the site's.
    """
    scopes = list(dict.fromkeys(scopes))
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        raise Invalid(
            Message(
                "A key needs scopes out of %(scopes)s; got %(unknown)s.",
                scopes=", ".join(SCOPES),
                unknown=", ".join(unknown) or "none",
            )
        )
    if not 1 <= len(name.strip()) <= 100:
        raise Invalid(Message("A key needs a name of 1 to 100 characters: the service that will hold it."))
    if name.strip() in _reserved:
        raise Invalid(
            Message("Choose another name: %(name)s is how the site calls a source of its own.", name=name.strip())
        )
    prefix, secret = secrets.token_hex(4), secrets.token_hex(20)
    values = {
        "name": name.strip(),
        "scopes": scopes,
        "boards": sorted(set(boards)) if boards else None,
        "expires_at": expires_at,
        "requests": limit.requests if limit else None,
        "seconds": limit.seconds if limit else None,
    }
    with transaction.atomic():
        key = ServiceKey.objects.create(prefix=prefix, secret_hash=_hash(secret), **values)
        record("service_key.made", at=clock.now(), subjects=subjects_of(key), after=values)
    _prefixes.forget()
    return key, f"sunwi_{prefix}_{secret}"


def authenticate(header: str | None) -> ServiceKey:
    """The valid key in an ``Authorization`` header. Raises ``Unauthenticated``."""
    scheme, _, token = (header or "").partition(" ")
    parts = token.strip().split("_")
    if scheme.lower() != "bearer" or len(parts) != 3 or parts[0] != "sunwi":
        raise Unauthenticated(Message("Send the service key as 'Authorization: Bearer sunwi_…'."))
    key = _cache.get(parts[1]) if _FORM.fullmatch(token.strip()) and _prefixes.has(parts[1]) else None
    if key is None or not hmac.compare_digest(key.secret_hash, _hash(parts[2])):
        raise Unauthenticated(Message("This service key is not known."))
    if not key.is_live(clock.now()):
        raise Unauthenticated(Message("This service key was revoked or has expired."))
    _note_use(key)
    return key


def require(key: ServiceKey, scope: str) -> None:
    """Raise ``Forbidden`` unless ``key`` has ``scope``."""
    if scope not in key.scopes:
        raise Forbidden(Message("This key lacks the scope %(scope)s.", scope=scope))


def revoke(key: ServiceKey, at: datetime) -> None:
    """Revoke a key for good."""
    with transaction.atomic():
        if ServiceKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=at):
            record("service_key.revoked", at=at, subjects=subjects_of(key), before={"name": key.name})
    forget()


def forget() -> None:
    """Clear this process's cache after a key was changed. Others read it within ``REMEMBERED_SECONDS``."""
    _cache.forget()


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _note_use(key: ServiceKey) -> None:
    """Update ``last_used_at`` at most once a minute."""
    at = clock.now()
    if key.last_used_at is None or at - key.last_used_at >= LAST_USED_EVERY:
        key.last_used_at = at
        with suppress(SqlAway):  # the key stays valid while SQL is unavailable
            ask(lambda: ServiceKey.objects.filter(pk=key.pk).update(last_used_at=at))


class _Prefixes:
    """The prefixes of all keys, read at most every ``KNOWN_SECONDS``, so that invented keys cost no query each."""

    def __init__(self) -> None:
        self._read_at = -KNOWN_SECONDS
        self._known: frozenset[str] = frozenset()

    def has(self, prefix: str) -> bool:
        """Whether a key has this prefix. A new key may take ``KNOWN_SECONDS`` to be found. Raises ``SqlAway``."""
        if prefix not in self._known and clock.monotonic() - self._read_at >= KNOWN_SECONDS:
            read_at = clock.monotonic()
            self._known = ask(lambda: frozenset(ServiceKey.objects.values_list("prefix", flat=True)))
            self._read_at = read_at
        return prefix in self._known

    def forget(self) -> None:
        """Read the prefixes again at the next call."""
        self._read_at = -KNOWN_SECONDS


def _by_prefix(prefixes: Collection[str]) -> dict[str, ServiceKey]:
    return {key.prefix: key for key in ServiceKey.objects.filter(prefix__in=prefixes)}


_prefixes = _Prefixes()
_cache = StaleIfErrorCache(_by_prefix, fresh=REMEMBERED_SECONDS)
