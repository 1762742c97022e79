"""Which columns hold sealed secrets, and sealing them anew with the first key after the keys were changed."""

from collections.abc import Iterator
from typing import NamedTuple

from django.db import transaction
from django.db.models import Model

from foundation.models import ServiceKey, WebhookEndpoint
from foundation.security import sealing
from foundation.security.sealing import Unsealable
from foundation.worker.each import for_each

# By model: what its secrets are sealed for, and where they stand.
COLUMNS: dict[type[Model], tuple[str, tuple[str, ...]]] = {
    WebhookEndpoint: (sealing.WEBHOOK, ("secret", "previous_secret")),
    ServiceKey: (sealing.SIGNING, ("signing_secret", "previous_signing_secret")),
}


class SecretCounts(NamedTuple):
    """How many secrets the first key sealed, how many another did, and which rows hold one that no key opens."""

    current: int = 0
    older: int = 0
    unreadable: tuple[str, ...] = ()

    def plus(self, other: "SecretCounts") -> "SecretCounts":
        """Both."""
        return SecretCounts(self.current + other.current, self.older + other.older, self.unreadable + other.unreadable)


def count_secrets() -> SecretCounts:
    """Where all stored secrets stand; changes nothing."""
    return _total(_found_in(row) for row in _rows())


def reseal() -> SecretCounts:
    """Seal with the first key what another sealed, a row at a time; returns what was found. What no key opens stays as
    it is. Safe to run twice, and beside rotations."""
    return _total(iter(for_each(_rows(), _resealed)))


def health_problems() -> list[str]:
    """A sentence if secrets can not be opened; none means that all can."""
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
def _resealed(row: Model) -> SecretCounts:
    """The row as it is now, locked: a rotation in between must not be undone."""
    locked = type(row)._default_manager.select_for_update().get(pk=row.pk)
    found = _found_in(locked)
    if found.older and not found.unreadable:
        purpose, columns = COLUMNS[type(row)]
        for column in columns:
            if sealed := getattr(locked, column):
                setattr(locked, column, sealing.seal(sealing.unseal(sealed, purpose), purpose))
        locked.save(update_fields=columns)
    return found


def _found_in(row: Model) -> SecretCounts:
    purpose, columns = COLUMNS[type(row)]
    kept = [sealed for column in columns if (sealed := getattr(row, column))]
    try:
        for sealed in kept:
            sealing.unseal(sealed, purpose)
        current = sum(sealing.is_current(sealed, purpose) for sealed in kept)
    except Unsealable:
        return SecretCounts(unreadable=(f"{row._meta.verbose_name} {row}",))
    return SecretCounts(current, len(kept) - current)


def _total(each: Iterator[SecretCounts]) -> SecretCounts:
    total = SecretCounts()
    for found in each:
        total = total.plus(found)
    return total
