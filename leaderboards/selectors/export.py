"""A whole period as rows, from one SQL statement and so from one moment: for CSV, and for whoever counts after us."""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby

from foundation import clock
from leaderboards.core.rules import Order
from leaderboards.models import Board, Period, Standing
from leaderboards.selectors.periods import stored_period
from leaderboards.selectors.standings import Row
from leaderboards.stores.sql_writes import state_of

CHUNK = 2000


def export_rows(board: Board, period: str) -> tuple[datetime, Iterator[Row]]:
    """When it was so, and every row of the period, best first. Raises ``UnknownPeriod`` at once.

    Reads SQL: on a redis board run the mirror first.
    """
    as_of = clock.now()
    stored = stored_period(board, period, as_of)
    return as_of, iter(()) if stored is None else _rows(stored)


def _rows(period: Period) -> Iterator[Row]:
    by_time, dense = period.rules.ties.by_time, period.rules.ties.value == "dense"
    seen = 0
    for nth, (_, group) in enumerate(groupby(_ordered(period), key=lambda standing: standing.score), start=1):
        equals = list(group)
        for index, standing in enumerate(equals):
            if by_time:
                yield _row(period, standing, seen + index + 1, 1, seen + index)
            else:
                yield _row(period, standing, nth if dense else seen + 1, len(equals), seen)
        seen += len(equals)


def _ordered(period: Period) -> Iterator[Standing]:
    order = ("-score", "-member") if period.rules.order is Order.DESC else ("score", "member")
    rows = Standing.objects.filter(period=period, score__isnull=False).select_related("player").order_by(*order)
    return rows.iterator(chunk_size=CHUNK)


def _row(period: Period, standing: Standing, rank: int, tied: int, ahead: int) -> Row:
    points, fields = period.rules.shown(state_of(standing.points, standing.fields, standing.at).value)
    player = standing.player
    return Row(
        rank=rank,
        player=player.external_id,
        name=player.name or player.external_id,
        points=points,
        fields=fields,
        achieved_at=standing.at if period.layout.shows_time else None,
        tied=tied,
        ahead=ahead,
    )
