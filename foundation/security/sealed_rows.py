"""Which columns hold encrypted secrets, and encrypting them again with the first key after a change of keys."""

from collections.abc import Iterator
from typing import NamedTuple

from django.db import transaction
from django.db.models import Model

from foundation.models import ServiceKey, WebhookEndpoint
from foundation.security import sealing
from foundation.security.sealing import Unsealable
from foundation.worker.each import for_each

# By model: the purpose of its secrets, and their columns.
COLUMNS: dict[type[Model], tuple[str, tuple[str, ...]]] = {
    WebhookEndpoint: (sealing.WEBHOOK, ("secret", "previous_secret")),
    ServiceKey: (sealing.SIGNING, ("signing_secret", "previous_signing_secret")),
}


class SecretCounts(NamedTuple):
    """How many secrets are encrypted with the first key and with older keys, and which rows no key can decrypt."""

    current: int = 0
    older: int = 0
    unreadable: tuple[str, ...] = ()

    def plus(self, other: "SecretCounts") -> "SecretCounts":
        """The sum of both."""
        return SecretCounts(self.current + other.current, self.older + other.older, self.unreadable + other.unreadable)


def count_secrets() -> SecretCounts:
    """Count all stored secrets by the key that encrypted them."""
    return _total(_count_in(row) for row in _rows())


def reseal() -> SecretCounts:
    """Encrypt all secrets of older keys with the first key, row by row; return the counts from before.

    A secret that no key can decrypt stays unchanged. Safe to repeat, and to run during rotations.
    """
    return _total(iter(for_each(_rows(), _reseal_row)))


def health_problems() -> list[str]:
    """A sentence if there are secrets that no key can decrypt; otherwise empty."""
    unreadable = count_secrets().unreadable
    if not unreadable:
        return []
    return [
        f"secrets that can not be opened: {len(unreadable)} ({', '.join(unreadable[:3])}); put the key that they were "
        "encrypted with into ENCRYPTION_KEYS, or rotate them"
    ]


def _rows() -> Iterator[Model]:
    for model in COLUMNS:
        yield from model._default_manager.order_by("pk")


@transaction.atomic
def _reseal_row(row: Model) -> SecretCounts:
    """Reseal the row's current values under a lock, so that a concurrent rotation is not overwritten."""
    locked = type(row)._default_manager.select_for_update().get(pk=row.pk)
    counts = _count_in(locked)
    if counts.older and not counts.unreadable:
        purpose, columns = COLUMNS[type(row)]
        for column in columns:
            if sealed := getattr(locked, column):
                setattr(locked, column, sealing.seal(sealing.unseal(sealed, purpose), purpose))
        locked.save(update_fields=columns)
    return counts


def _count_in(row: Model) -> SecretCounts:
    purpose, columns = COLUMNS[type(row)]
    secrets = [sealed for column in columns if (sealed := getattr(row, column))]
    try:
        for sealed in secrets:
            sealing.unseal(sealed, purpose)
        current = sum(sealing.is_current(sealed, purpose) for sealed in secrets)
    except Unsealable:
        return SecretCounts(unreadable=(f"{row._meta.verbose_name} {row}",))
    return SecretCounts(current, len(secrets) - current)


def _total(counts: Iterator[SecretCounts]) -> SecretCounts:
    total = SecretCounts()
    for each in counts:
        total = total.plus(each)
    return total
