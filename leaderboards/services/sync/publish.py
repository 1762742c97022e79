"""Publish to Redis what SQL has committed, on hybrid boards.

1. *Announce*: with the standings' rows locked, ``:inflight`` gets player → token, a new token for each attempt, behind
   those that are open. Redis's answer is awaited before COMMIT is sent. If Redis does not confirm, the rows are marked
   ``pending_publish`` and the period stale, in the same transaction.
2. *Commit*. A writer that does not learn whether the commit succeeded publishes nothing.
3. *Publish*: each standing whose token is still there is written to Redis; the token and those before it are removed.
4. *Reconcile* (``services/sync/reconcile.py``), each second: standings that are announced but not published, or marked,
   are published from SQL.

Announcements of a player come in the order of the row lock. So a token that is still there means that nothing newer was
published, and a late call does not find its token and does nothing: Redis never shows what SQL did not commit, and once
a writer is answered it shows their score or a newer one, without any deadline (decision 0033; a model walks all
interleavings: tests/leaderboards/services/sync/test_publish.py).
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from operator import attrgetter

from django.db import transaction

from foundation.db.pipeline import StatementRunner
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.redis import client as redis
from foundation.redis.client import ScriptCall
from leaderboards.models import Part, Period, Storage
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.stores.redis.publish import Publisher, new_token
from leaderboards.stores.redis.writes import ZsetRow
from leaderboards.stores.sql.writes import StandingRow, mark_pending_publish, write_standings

logger = logging.getLogger(__name__)

Group = tuple[Part, Sequence[StandingRow]]  # standings of one family


def write_and_publish(statements: StatementRunner, period: Period, rows: Sequence[StandingRow], at: datetime) -> None:
    """Write standings to SQL, announce them, and publish them after the commit.

    Call it as the last step of the transaction that holds the rows' locks. SQL works on the statements while Redis is
    called. While a period needs a full rebuild, rows are only marked: the rebuild publishes marked rows last.
    """
    if not rows:
        return
    is_hybrid = period.board.storage == Storage.HYBRID
    groups = period.by_part(rows, attrgetter("player"))
    for part, own in groups:
        write_standings(statements, period, own, pending_publish=is_hybrid and part.needs_full_rebuild)
    statements.mark_idle()
    failpoint("submit.before_announce")
    told = [(part, own) for part, own in groups if is_hybrid and not part.needs_full_rebuild]
    if told and (unheard := _announce(told)):
        mark_pending_publish(statements, unheard, at)
        invalidate_readers(period)
    statements.mark_idle()  # the Redis client queries SQL when it finds a new server
    failpoint("submit.after_announce")
    failpoint("submit.before_commit")
    transaction.on_commit(lambda: failpoint("submit.after_commit"))


def _announce(groups: Sequence[Group]) -> list[Group]:
    """Announce rows and publish them after the commit; returns those whose announcement Redis did not confirm."""
    publisher, token = Publisher(redis.boards()), new_token()
    errors = publisher.announce_each([(part, [row.player for row in rows]) for part, rows in groups], token)
    unheard, prepared = list[Group](), list[ScriptCall]()
    for (part, rows), error in zip(groups, errors, strict=True):
        if error is not None:
            logger.warning("period %s: Redis does not hear what is decided: %s", part, error.detail)
            unheard.append((part, rows))
            continue
        zset_rows = [ZsetRow(row.player, row.score, row.member, row.player_id) for row in rows]
        prepared += publisher.prepare_publish(part, {token: zset_rows})  # now, while SQL works: later the caller waits
    if prepared:
        transaction.on_commit(partial(_publish, publisher, groups[0][0].period, prepared))
    return unheard


def _publish(publisher: Publisher, period: Period, prepared: Sequence[ScriptCall]) -> None:
    failpoint("submit.before_publish")
    try:
        publisher.send_prepared(prepared)
    except Unavailable as error:  # the announcements remain
        logger.warning("period %s: standings wait to be reconciled: %s", period.pk, error.detail)
