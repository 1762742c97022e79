"""Leases of rows that a worker resyncs: which are free, and renewing them in a thread while another one works.

The trap: without renewal, a step that takes longer than a lease lets workers replace each other for ever. A frozen or
dead process renews nothing.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, Protocol

from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from foundation.db.resilience import CONNECTION_ERRORS

MAX_LEASE = timedelta(minutes=1)  # longer than any lease is given for, also after waiting for the row's lock


class Leased(Protocol):
    """Whoever has a lease."""

    def renew_lease(self) -> None:
        """Renew the lease."""


@contextmanager
def renewing_leases(leased: Sequence[Leased], every: float, name: str) -> Iterator[None]:
    """Renew the leases ``every`` so many seconds, for as long as the block lasts; ``name`` is that of the thread."""
    is_over = threading.Event()

    def renew_until_over() -> None:
        try:
            while not is_over.wait(every):
                with suppress(*CONNECTION_ERRORS), transaction.atomic():
                    for each in leased:
                        each.renew_lease()
        finally:
            connection.close()

    thread = threading.Thread(target=renew_until_over, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def stale_and_free(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Narrow rows to those that are stale, and that no worker has a lease of.

    It is measured by SQL's clock, since a worker's own clock may be wrong by an hour. A lease that ends after
    ``MAX_LEASE`` was given before SQL's clock was set back, and does not count.
    """
    is_leased = {"lease_expires_at__gt": Now(), "lease_expires_at__lt": Now() + MAX_LEASE}
    return rows.filter(stale_since__isnull=False).exclude(**is_leased)
