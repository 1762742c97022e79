"""In step: how Redis follows what SQL has committed, on hybrid boards.

1. *Announce*: with the standings' rows locked, ``:inflight`` gets player → token, a new one for each attempt. The
   answer is heard before COMMIT is sent. Where nobody can promise that Redis has it, the rows are marked
   ``pending_publish`` and the period stale, in the same transaction.
2. *Commit*. Who does not hear whether that was kept publishes nothing.
3. *Publish*: each standing whose token still stands is shown, and its announcement goes.
4. *Reconcile* (``services/sync/reconcile.py``), each second: what was announced and not published, and what is marked,
is
   shown as SQL has it.

Announcements of a player come in the order of the row lock, so a token that still stands means that nobody has decided
since; what comes late finds another, and does nothing. Redis never shows what SQL did not commit, and needs no deadline
(decision 0033; a model walks all interleavings: tests/leaderboards/services/sync/test_publish.py).
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from django.db import transaction

from foundation.db.pipeline import StatementRunner
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.redis import client as redis
from foundation.redis.client import ScriptCall
from leaderboards.models import Period, Storage
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.stores.redis.publish import Publisher, new_token
from leaderboards.stores.redis.writes import ZsetRow
from leaderboards.stores.sql.writes import StandingRow, mark_pending_publish, write_standings

logger = logging.getLogger(__name__)


def write_and_publish(statements: StatementRunner, period: Period, rows: Sequence[StandingRow], at: datetime) -> None:
    """Write standings to SQL, announced; they are published once the transaction has committed.

    Call it as the last step of the transaction that holds the rows' locks. SQL writes while Redis hears.
    While a period is put as a whole nobody announces: its marks come last.
    """
    if not rows:
        return
    shown = period.board.storage == Storage.HYBRID
    write_standings(statements, period, rows, pending_publish=shown and period.needs_full_rebuild)
    statements.mark_idle()
    failpoint("submit.before_announce")
    if shown and not period.needs_full_rebuild and not _announce(period, rows):
        mark_pending_publish(statements, period, rows, at)
        invalidate_readers(period)
    statements.mark_idle()  # who meets a new server asks SQL who that is
    failpoint("submit.after_announce")
    failpoint("submit.before_commit")
    transaction.on_commit(lambda: failpoint("submit.after_commit"))


def _announce(period: Period, rows: Sequence[StandingRow]) -> bool:
    """Whether Redis has heard of it. If so they are published after the commit."""
    publisher, token = Publisher(redis.boards()), new_token()
    try:
        publisher.announce(period, [row.player for row in rows], token)
    except Unavailable as error:
        logger.warning("period %s: Redis does not hear what is decided: %s", period.pk, error.detail)
        return False
    decided = [ZsetRow(row.player, row.score, row.member) for row in rows]
    prepared = publisher.prepare_publish(
        period, {token: decided}
    )  # while SQL writes; after the commit everybody waits for it
    transaction.on_commit(partial(_publish, publisher, period, prepared))
    return True


def _publish(publisher: Publisher, period: Period, prepared: Sequence[ScriptCall]) -> None:
    failpoint("submit.before_publish")
    try:
        publisher.send_prepared(prepared)
    except Unavailable as error:  # the announcements stand
        logger.warning("period %s: standings wait to be reconciled: %s", period.pk, error.detail)
