"""Renewing the leases of rows in a thread, while another thread resyncs them.

The trap: without renewal, a step that takes longer than a lease lets workers replace each other for ever. A frozen or
dead process renews nothing.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Protocol

from django.db import connection, transaction

from foundation.db.resilience import CONNECTION_ERRORS


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
