"""A whole period as rows, from one SQL statement and so from one moment: for CSV, and for whoever counts after us."""

import hashlib
from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from foundation import clock
from leaderboards.core.instants import from_milliseconds
from leaderboards.core.rules import Order, Ties
from leaderboards.models import Board, FinalStanding, Period, Player, Standing, State
from leaderboards.selectors.hidden import hidden_in
from leaderboards.selectors.periods import stored_period
from leaderboards.selectors.standings import Row
from leaderboards.stores.sql_final import hashed_line
from leaderboards.stores.sql_writes import state_of

CHUNK = 2000


def export_rows(board: Board, period: str) -> tuple[datetime, Iterator[Row]]:
    """When it was so, and every row of the period, best first. Raises ``UnknownPeriod`` at once.

    Reads SQL, of a final period its final standings: on a redis board run the mirror first.
    """
    as_of = clock.now()
    stored = stored_period(board, period, as_of)
    return as_of, iter(()) if stored is None else _rows(stored)


def ranking_of(period: Period) -> Iterator[tuple[int, FinalStanding]]:
    """The final standings of those who are shown, best first, each with its rank among them."""
    out = hidden_in(period)
    rows = (row for row in _final(period) if row.player.external_id not in out)
    seen = 0
    for nth, (_, group) in enumerate(groupby(rows, key=lambda row: row.rank), start=1):
        equals = list(group)
        rank = nth if period.rules.ties is Ties.DENSE else seen + 1
        yield from ((rank, row) for row in equals)
        seen += len(equals)


def content_hash_of(period: Period) -> str:
    """The hash of a final period over the rows that are shown: its own while nobody is left out."""
    if not hidden_in(period):
        return period.content_hash
    digest = hashlib.sha256()
    for rank, row in ranking_of(period):
        digest.update(hashed_line(rank, row.player_id, row.score))
    return digest.hexdigest()


def _rows(period: Period) -> Iterator[Row]:
    by_time, dense = period.rules.ties.by_time, period.rules.ties.value == "dense"
    seen = 0
    out = hidden_in(period)
    shown = (line for line in _lines(period) if line.player.external_id not in out)
    for nth, (_, group) in enumerate(groupby(shown, key=lambda line: line.score), start=1):
        equals = list(group)
        for index, line in enumerate(equals):
            if by_time:
                yield _row(period, line, seen + index + 1, 1, seen + index)
            else:
                yield _row(period, line, nth if dense else seen + 1, len(equals), seen)
        seen += len(equals)


class _Line(NamedTuple):
    score: float | None
    player: Player
    value: tuple[int, ...]
    at: datetime | None


def _lines(period: Period) -> Iterator[_Line]:
    if period.state in (State.FINAL, State.EXPIRED):
        for placed in _final(period):
            value, at_ms, _ = period.layout.unpack(placed.score, placed.member)
            yield _Line(placed.score, placed.player, value, None if at_ms is None else from_milliseconds(at_ms))
    else:
        for row in _ordered(period):
            value = state_of(row.points, row.fields, row.at).value
            yield _Line(row.score, row.player, value, row.at if period.layout.shows_time else None)


def _final(period: Period) -> Iterator[FinalStanding]:
    rows = FinalStanding.objects.filter(period=period).select_related("player").order_by("place")
    return rows.iterator(chunk_size=CHUNK)


def _ordered(period: Period) -> Iterator[Standing]:
    order = ("-score", "-member") if period.rules.order is Order.DESC else ("score", "member")
    rows = Standing.objects.filter(period=period, score__isnull=False).select_related("player").order_by(*order)
    return rows.iterator(chunk_size=CHUNK)


def _row(period: Period, line: _Line, rank: int, tied: int, ahead: int) -> Row:
    points, fields = period.rules.shown(line.value)
    return Row(
        rank=rank,
        player=line.player.external_id,
        name=line.player.name or line.player.external_id,
        points=points,
        fields=fields,
        achieved_at=line.at,
        tied=tied,
        ahead=ahead,
    )
