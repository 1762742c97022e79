"""Copy the standings of a closing period from DynamoDB to SQL, so that it can become final there.

The period takes no more submissions, so nothing changes meanwhile; a copy that was interrupted is made again. SQL has
an empty standing of each player, made before the first score: what has none there (its player was erased while a writer
was frozen, say) is not copied, and logged.
"""

import logging
from collections.abc import Sequence
from operator import attrgetter

from django.db import transaction

from foundation.chunks import in_chunks
from foundation.db.pipeline import StatementRunner
from foundation.failpoints import failpoint
from foundation.sync import barrier
from leaderboards.models import Period, PeriodState, Standing
from leaderboards.stores.dynamodb.writes import DynamoWriter, StoredStanding
from leaderboards.stores.sql.writes import StandingRow, write_standings

logger = logging.getLogger(__name__)

CHUNK = 1000


def copy_to_sql(period: Period) -> int:
    """Copy every standing; returns how many. Raises ``StorageUnavailable`` while DynamoDB does not answer."""
    copied = 0
    for rows in in_chunks(DynamoWriter().walk(period), CHUNK):
        copied += _copy(period, rows)
        failpoint("dynamodb.copied_chunk")
    return copied


@transaction.atomic
def _copy(period: Period, rows: Sequence[StoredStanding]) -> int:
    barrier.hold_shared(period.pk)
    if not Period.objects.filter(pk=period.pk, state=PeriodState.CLOSING).exists():
        return 0  # another worker has made it final
    stored = Standing.objects.filter(period=period, player__external_id__in=[row.player for row in rows])
    known = {
        name: (pk, version) for name, pk, version in stored.values_list("player__external_id", "player", "version")
    }
    standings = [
        StandingRow(
            known[row.player][0], row.player, row.packed.member, row.state, row.packed.score, known[row.player][1] + 1
        )
        for row in rows
        if row.player in known
    ]
    if len(standings) < len(rows):
        logger.error("%d standings of period %s have no player in SQL", len(rows) - len(standings), period.pk)
    write_standings(StatementRunner(), period, sorted(standings, key=attrgetter("player_id")))
    return len(standings)
