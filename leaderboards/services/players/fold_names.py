"""Fold names that were written without their folded form: by an older release, an expression or SQL of one's own.

Each batch of a few hundred rows is a transaction of its own, so no row is locked for long. A partial index contains the
rows that are left, so the query is cheap once there are none.
"""

from time import monotonic

from django.db import connection, transaction

from leaderboards.core.input.folding import folded_name
from leaderboards.models import Player

BATCH = 500
_SET = (
    f"UPDATE {Player._meta.db_table} SET folded_name = %s, folded_from = %s"  # noqa: S608 - the table's name is our own
    " WHERE id = %s AND name = %s"
)


def fold_due_names(seconds: float) -> int:
    """Fold names for about ``seconds``; return how many."""
    until, folded = monotonic() + seconds, 0
    while True:
        count = _fold_batch()
        folded += count
        if count < BATCH or monotonic() >= until:
            return folded


@transaction.atomic
def _fold_batch() -> int:
    """Fold one batch; rows are locked by primary key, in the order that all other code uses."""
    due = Player.objects.select_for_update(no_key=True).filter(Player.TO_FOLD).order_by("pk")
    rows = list(due.values_list("pk", "name")[:BATCH])
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(_SET, [(folded_name(name), name or None, number, name) for number, name in rows])
    return len(rows)
