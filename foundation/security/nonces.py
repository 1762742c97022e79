"""Nonces of signed requests: each works once for its key, on every process.

A unique row in SQL says so, whatever happens to Redis; without SQL no signed request is let in. Rows are kept until
the longest tolerance that can be set has passed, so that raising the setting opens no door to what was forgotten.
"""

from datetime import UTC, datetime, timedelta
from typing import ClassVar

from django.db import connection, transaction

from foundation.db.resilience import ask
from foundation.errors import Unauthenticated
from foundation.models import ServiceKey, UsedNonce

KEPT = timedelta(
    seconds=960
)  # the longest tolerance (config/components/sealing.py), and a minute for clocks that differ
BATCH = 5_000
MOST_BATCHES = 40

_ONCE = """
INSERT INTO foundation_usednonce (key_id, nonce, expires_at) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING
"""


class Replayed(Unauthenticated):
    """A signed request that was let in before."""

    code: ClassVar[str] = "replayed"


def use(key: ServiceKey, nonce: str, moment: int) -> None:
    """Use up ``nonce`` of a request that was signed at ``moment`` (Unix seconds). Raises ``Replayed``, ``SqlAway``."""
    expires_at = datetime.fromtimestamp(moment, UTC) + KEPT
    if not ask(lambda: _inserted(key.pk, nonce, expires_at)):
        raise Replayed("This nonce was used before: sign each request, and each try of it, with a new one.")


def forget_old(at: datetime) -> int:
    """Delete nonces that no signature can bear any more, up to 200,000 a run; returns how many."""
    gone = 0
    for _ in range(MOST_BATCHES):
        deleted = _forget_batch(at)
        gone += deleted
        if deleted < BATCH:
            break
    return gone


@transaction.atomic
def _forget_batch(at: datetime) -> int:
    """What another worker is deleting already is left to it."""
    old = UsedNonce.objects.select_for_update(skip_locked=True).filter(expires_at__lte=at).order_by("expires_at", "pk")
    return UsedNonce.objects.filter(pk__in=list(old.values_list("pk", flat=True)[:BATCH])).delete()[0]


def _inserted(key: int, nonce: str, expires_at: datetime) -> bool:
    """One statement: of two at once one inserts, and the other waits for it and finds it there."""
    moment = connection.ops.adapt_datetimefield_value(expires_at)
    with connection.cursor() as cursor:
        cursor.execute(_ONCE, [key, nonce, moment])
        return bool(cursor.rowcount == 1)
