"""Removing a player from an open period: a board's running one, or a competition's.

On hybrid and sql boards the player's submissions in the period are voided too. Redis boards keep no submissions; there
the mirror copies the removal to SQL. Of a board in DynamoDB SQL has no scores, and nothing to void either.
"""

from datetime import datetime

from django.db import transaction

from foundation import clock
from foundation.audit import record
from foundation.db.pipeline import pipelined
from foundation.errors import Unavailable
from foundation.messages import Message
from foundation.redis import client as redis
from foundation.sync import barrier
from leaderboards import selectors
from leaderboards.errors import NotRanked, OutcomeUnknown, PeriodClosed, StorageUnavailable
from leaderboards.models import Board, Period, PeriodState, Player, Standing, Storage, Submission
from leaderboards.selectors.catalog.reserved import refuse_reserved
from leaderboards.services.sync.publish import write_and_publish
from leaderboards.stores.dynamodb.writes import DynamoWriter, Overtaken
from leaderboards.stores.redis.writes import ZsetWriter
from leaderboards.stores.sql.locks import lock_standings
from leaderboards.stores.sql.writes import StandingRow

REMOVED = "player.removed"
REMOVE_SECONDS = 0.8  # as when scores are decided


def remove_player(board: Board, player: str, at: datetime) -> None:
    """Remove ``player`` from the running period.

    Raises ``NotRanked``, ``PeriodClosed``, ``BoardReserved`` or ``StorageUnavailable``.
    """
    refuse_reserved(board)
    period = selectors.find_period_row(board, "current", at)
    if period is None:
        raise _not_ranked(player)
    with transaction.atomic():
        remove_from_period(period, player, at)
        numbers = Player.objects.filter(external_id=player).values_list("pk", flat=True)
        subjects = [("board", board.pk), *(("player", number) for number in numbers)]
        record(REMOVED, at=at, subjects=subjects, note={"period": period.label})


def remove_from_period(period: Period, player: str, at: datetime) -> None:
    """Remove ``player`` from ``period``. Raises ``NotRanked``, ``PeriodClosed`` or ``StorageUnavailable``."""
    if period.board.storage == Storage.REDIS:
        _remove_from_redis(period, player)
    elif period.board.storage == Storage.DYNAMODB:
        _remove_from_dynamodb(period, player)
    else:
        _remove_from_sql(period, player, at)


def _remove_from_redis(period: Period, player: str) -> None:
    if period.state != PeriodState.OPEN:
        raise PeriodClosed(Message("Period %(period)s is closed.", period=period.label))
    try:
        if period.is_stale:
            raise StorageUnavailable(Message("The server that stores this board does not answer; try again."))
        was_there = ZsetWriter(redis.boards()).remove(period.part_of(player), player)
    except Unavailable as error:
        raise StorageUnavailable(Message("The server that stores this board does not answer; try again.")) from error
    if not was_there:
        raise _not_ranked(player)


@transaction.atomic
def _remove_from_dynamodb(period: Period, player: str) -> None:
    """Remove the standing there, and the empty one in SQL, whose lock keeps writers of the same player out."""
    barrier.hold_shared(period.pk)
    period = Period.objects.select_related("board").get(pk=period.pk)
    if period.state != PeriodState.OPEN:
        raise PeriodClosed(Message("Period %(period)s is closed.", period=period.label))
    lock_standings(period, [player])
    writer = DynamoWriter(clock.monotonic() + REMOVE_SECONDS)
    stored = writer.look_up(period, [player]).get(player)
    if stored is None:
        raise _not_ranked(player)
    try:
        writer.remove(period, stored)
    except Overtaken as error:
        raise StorageUnavailable(Message("The player has scored meanwhile; try again.")) from error
    except OutcomeUnknown:
        if DynamoWriter().look_up(period, [player]):
            raise
    Standing.objects.filter(period=period, player__external_id=player).delete()


@transaction.atomic
def _remove_from_sql(period: Period, player: str, at: datetime) -> None:
    barrier.hold_shared(period.pk)
    period = Period.objects.select_related("board").get(pk=period.pk)
    if period.state != PeriodState.OPEN:
        raise PeriodClosed(Message("Period %(period)s is closed.", period=period.label))
    locked = lock_standings(period, [player]).get(player)
    if locked is None or locked.state is None:
        raise _not_ranked(player)
    Submission.objects.filter(period=period, player=locked.player_id, voided_at=None).update(voided_at=at)
    gone = StandingRow(locked.player_id, player, player, None, None, locked.version + 1)
    with pipelined() as statements:
        write_and_publish(statements, period, [gone], at)


def _not_ranked(player: str) -> NotRanked:
    return NotRanked(Message("%(player)s has no standing in this period.", player=player))
