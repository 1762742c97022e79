"""Folding the names that were written before they were folded, or by a process of the release before.

A few hundred rows at a time, each batch a transaction of its own, so nobody waits long for a row. A partial index knows
which rows are left: when there are none, asking costs next to nothing.
"""

from time import monotonic

from django.db import connection, transaction

from leaderboards.core.input.folding import folded_name
from leaderboards.models import Player

BATCH = 500
_SET = f"UPDATE {Player._meta.db_table} SET folded_name = %s WHERE id = %s AND name = %s"  # noqa: S608 (a name of ours)


def fold_due_names(seconds: float) -> int:
    """Fold names for about so long; returns how many."""
    until, folded = monotonic() + seconds, 0
    while True:
        count = _fold_batch()
        folded += count
        if count < BATCH or monotonic() >= until:
            return folded


@transaction.atomic
def _fold_batch() -> int:
    """Held by number as everybody who locks several; who was renamed meanwhile is read as they are."""
    due = Player.objects.select_for_update(no_key=True).filter(Player.TO_FOLD).order_by("pk")
    rows = list(due.values_list("pk", "name")[:BATCH])
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(_SET, [(folded_name(name), number, name) for number, name in rows])
    return len(rows)
