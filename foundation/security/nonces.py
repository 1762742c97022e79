"""Nonces of signed requests: each can be used once for its key, over all processes.

A unique row in SQL ensures that, independently of Redis; without SQL no signed request is accepted. Rows are kept for
the longest tolerance that can be configured, so that raising the setting does not allow replays.
"""

from datetime import UTC, datetime, timedelta
from typing import ClassVar

from django.db import connection, transaction

from foundation.db.resilience import ask
from foundation.errors import Unauthenticated
from foundation.models import ServiceKey, UsedNonce

# The longest tolerance (config/components/sealing.py), and a minute for clocks that differ.
KEEP_FOR = timedelta(seconds=960)
BATCH = 5_000
MOST_BATCHES = 40

_INSERT = """
INSERT INTO foundation_usednonce (key_id, nonce, expires_at) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING
"""


class Replayed(Unauthenticated):
    """A signed request with a nonce that was used before."""

    code: ClassVar[str] = "replayed"


def use(key: ServiceKey, nonce: str, moment: int) -> None:
    """Mark ``nonce`` of a request signed at ``moment`` (Unix seconds) as used. Raises ``Replayed``, ``SqlAway``."""
    expires_at = datetime.fromtimestamp(moment, UTC) + KEEP_FOR
    if not ask(lambda: _insert(key.pk, nonce, expires_at)):
        raise Replayed("This nonce was used before: sign each request, and each try of it, with a new one.")


def forget_old(at: datetime) -> int:
    """Delete expired nonces, up to 200,000 a run; return how many."""
    total = 0
    for _ in range(MOST_BATCHES):
        deleted = _delete_batch(at)
        total += deleted
        if deleted < BATCH:
            break
    return total


@transaction.atomic
def _delete_batch(at: datetime) -> int:
    """Delete one batch, without the rows that another worker has locked."""
    old = UsedNonce.objects.select_for_update(skip_locked=True).filter(expires_at__lte=at).order_by("expires_at", "pk")
    return UsedNonce.objects.filter(pk__in=list(old.values_list("pk", flat=True)[:BATCH])).delete()[0]


def _insert(key: int, nonce: str, expires_at: datetime) -> bool:
    """Insert the row if it is not there. Of two concurrent statements the second waits and then inserts nothing."""
    moment = connection.ops.adapt_datetimefield_value(expires_at)
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, [key, nonce, moment])
        return bool(cursor.rowcount == 1)
