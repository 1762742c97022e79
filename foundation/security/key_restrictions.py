"""Restrictions of a service key: signed requests, and allowed client addresses.

Both are set when the key is made and stay; only the signing secret can be rotated.
``leaderboards/api/http/request_guards.py`` enforces them.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import ClassVar

from django.db import transaction

from foundation import clock
from foundation.audit import record
from foundation.audit.row_values import subjects_of
from foundation.errors import Conflict
from foundation.models import ServiceKey
from foundation.security import sealing, service_keys, signatures
from foundation.security.networks import read_blocks

BOTH_SIGN_FOR = timedelta(hours=24)


class NotSigned(Conflict):
    """A key that demands no signatures has no signing secret to rotate."""

    code: ClassVar[str] = "key_not_signed"


def restrict_addresses(key: ServiceKey, blocks: Iterable[str]) -> None:
    """Allow a new key only from these CIDR blocks; none means from anywhere. Raises ``BadNetwork``."""
    key.addresses = read_blocks(blocks) or None
    with transaction.atomic():
        key.save(update_fields=["addresses"])
        if key.addresses:
            _record("service_key.bound", key, clock.now(), {"addresses": key.addresses})
    service_keys.forget()


def require_signatures(key: ServiceKey) -> str:
    """Give a new key a signing secret, with which all its requests must be signed, and return it.

    The secret is not shown again.
    """
    secret = signatures.new_secret()
    key.signing_secret = sealing.seal(secret, sealing.SIGNING)
    with transaction.atomic():
        key.save(update_fields=["signing_secret"])
        _record("service_key.signed", key, clock.now())
    service_keys.forget()
    return secret


@transaction.atomic
def rotate(key: ServiceKey, at: datetime) -> str:
    """Replace the signing secret and return the new one; the old one is valid for 24 hours. Raises ``NotSigned``."""
    stored = ServiceKey.objects.select_for_update().get(pk=key.pk)
    if not stored.is_signed:
        raise NotSigned(f"{stored} demands no signatures: make a key that does, and revoke this one.")
    secret = signatures.new_secret()
    stored.previous_signing_secret, stored.previous_signing_until = stored.signing_secret, at + BOTH_SIGN_FOR
    stored.signing_secret = sealing.seal(secret, sealing.SIGNING)
    stored.save(update_fields=["signing_secret", "previous_signing_secret", "previous_signing_until"])
    _record("service_key.rotated", stored, at)
    transaction.on_commit(service_keys.forget)
    return secret


def forget_previous(at: datetime) -> int:
    """Delete previous signing secrets that are no longer valid; return how many."""
    expired = ServiceKey.objects.filter(previous_signing_until__lte=at)
    return expired.update(previous_signing_secret="", previous_signing_until=None)


def _record(act: str, key: ServiceKey, at: datetime, after: dict[str, object] | None = None) -> None:
    record(act, at=at, subjects=subjects_of(key), after=after)
