"""All rows of a period, from one SQL statement and so from one moment: for CSV files and for competitions' results."""

import hashlib
from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from django.db.models import F, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from foundation import clock
from foundation.errors import NotAvailable
from foundation.messages import Message
from leaderboards.core.instants import from_milliseconds
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import OVER_STATES, Board, FinalStanding, Period, Standing, Storage
from leaderboards.selectors.catalog.periods import find_period_row
from leaderboards.selectors.rankings.standings import Row
from leaderboards.selectors.visibility.hidden import hidden_in, keeps_vacated_places
from leaderboards.stores.sql.final import hashed_line
from leaderboards.stores.sql.writes import value_of

CHUNK = 2000


def export_rows(board: Board, period: str, metadata: bool = False) -> tuple[datetime, Iterator[Row]]:
    """Return the time, and an iterator over every row of the period, best first. Raises ``UnknownPeriod`` at once, and
    ``NotAvailable`` for a period in DynamoDB that is not final.

    With ``metadata`` rows have theirs, read by the same statement. Reads SQL (the final standings of a final period):
    on a redis board run the mirror first.
    """
    as_of = clock.now()
    stored = find_period_row(board, period, as_of)
    if stored is not None and board.storage == Storage.DYNAMODB and stored.state not in OVER_STATES:
        raise NotAvailable(
            Message(
                "SQL gets the standings of a board in DynamoDB when a period is final: there is no file before that."
            )
        )
    return as_of, iter(()) if stored is None else _rows(stored, metadata)


def final_rows(period: Period, excluded: Collection[str], stay_empty: bool) -> Iterator[Row]:
    """Yield every row of a final period without the players ``excluded`` (ids), best first.

    With ``stay_empty`` nobody moves up. No cache is used: for results that are stored.
    """
    return _visible_rows(period, excluded, stay_empty)


class Finalist(NamedTuple):
    """A final standing: the player's internal number and id, the rank at closing, and the score."""

    player_id: int
    player: str
    rank: int
    score: float
    member: str


IsExcluded = Callable[["Finalist"], bool]


def visible_final_ranking(period: Period) -> Iterator[tuple[int, Finalist]]:
    """Yield the final standings of visible players, best first, each with its rank among them."""
    hidden = hidden_in(period)
    return _ranked(period, lambda row: row.player in hidden, keeps_vacated_places(period))


def final_ranking(period: Period, excluded: Collection[int], stay_empty: bool) -> Iterator[tuple[int, Finalist]]:
    """Yield the final standings without the players ``excluded`` (internal numbers). Bans of now are not looked at.

    With ``stay_empty`` nobody moves up. No cache is used: for callers that work from a stored result.
    """
    numbers = frozenset(excluded)
    return _ranked(period, lambda row: row.player_id in numbers, stay_empty)


def standard_places(period: Period, excluded: Collection[int], stay_empty: bool) -> Iterator[tuple[int, int]]:
    """Yield the players of ``final_ranking`` (internal numbers) with 1 plus the number of better players: 1 1 1 4.

    Also if the board's own ranks are dense. With ``stay_empty``, excluded players count as better players too.
    """
    numbers = frozenset(excluded)
    for group in _equals(period, lambda row: row.player_id in numbers):
        place = (group.places if stay_empty else group.ahead) + 1
        yield from ((row.player_id, place) for row in group.rows)


def _ranked(period: Period, is_excluded: IsExcluded, stay_empty: bool) -> Iterator[tuple[int, Finalist]]:
    is_dense = period.rules.ties is Ties.DENSE
    for nth, group in enumerate(_equals(period, is_excluded), start=1):
        moved_up = nth if is_dense else group.ahead + 1
        yield from ((row.rank if stay_empty else moved_up, row) for row in group.rows)


class _Equals(NamedTuple):
    """The rows of one rank that are not excluded; ``ahead`` such rows are better, ``places`` with the excluded ones."""

    ahead: int
    places: int
    rows: list[Finalist]


def _equals(period: Period, is_excluded: IsExcluded) -> Iterator[_Equals]:
    columns = ("player", "player__external_id", "rank", "score", "member")
    finalists = map(Finalist._make, _final(period).values_list(*columns).iterator(chunk_size=CHUNK))
    ahead = places = 0
    for _, group in groupby(finalists, key=lambda row: row.rank):
        equals = list(group)
        included = [row for row in equals if not is_excluded(row)]
        if included:
            yield _Equals(ahead, places, included)
        ahead, places = ahead + len(included), places + len(equals)


def content_hash_of(period: Period) -> str:
    """Hash the visible rows of a final period; the stored hash if no player is hidden."""
    if not hidden_in(period):
        return period.content_hash
    digest = hashlib.sha256()
    for rank, row in visible_final_ranking(period):
        digest.update(hashed_line(rank, row.player_id, row.score))
    return digest.hexdigest()


def _rows(period: Period, metadata: bool) -> Iterator[Row]:
    return _visible_rows(period, hidden_in(period), keeps_vacated_places(period), metadata)


def _visible_rows(period: Period, excluded: Collection[str], stay_empty: bool, metadata: bool = False) -> Iterator[Row]:
    """Yield the rows in groups of equal scores: ``ahead`` counts better visible rows, ``places`` all better rows."""
    by_time = period.rules.ties.by_time
    ahead = places = 0
    groups = 0
    for _, group in groupby(_lines(period, metadata), key=lambda line: line.score):
        equals = list(group)
        shown = [(nth, line) for nth, line in enumerate(equals) if line.player not in excluded]
        groups += 1 if shown or stay_empty else 0
        for index, (nth, line) in enumerate(shown):
            before = places + nth if stay_empty else ahead + index
            if by_time:
                yield _row(period, line, before + 1, 1, ahead + index)
            else:
                rank = groups if period.rules.ties is Ties.DENSE else (places if stay_empty else ahead) + 1
                yield _row(period, line, rank, len(shown), ahead)
        ahead, places = ahead + len(shown), places + len(equals)


class _Line(NamedTuple):
    score: float | None
    player: str
    name: str
    value: tuple[int, ...]
    at: datetime | None
    metadata: str | None


def _lines(period: Period, metadata: bool) -> Iterator[_Line]:
    if period.state in OVER_STATES:
        # Columns instead of model instances: with a million players these would cost a second more.
        columns = ("score", "member", "player__external_id", "player__name")
        unpack = period.layout.unpack
        own = _final_metadata() if metadata else _NO_TEXT
        rows = _final(period).values_list(*columns, own)
        for score, member, player, name, text in rows.iterator(chunk_size=CHUNK):
            value, at_ms, _ = unpack(score, member)
            yield _Line(score, player, name, value, None if at_ms is None else from_milliseconds(at_ms), text)
    else:
        shows_time = period.layout.shows_time
        stored = ("score", "points", "fields", "at", "player__external_id", "player__name")
        live = _ordered(period).values_list(*stored, F("metadata") if metadata else _NO_TEXT)
        for score, points, fields, at, player, name, text in live.iterator(CHUNK):
            yield _Line(score, player, name, value_of(points, fields), at if shows_time else None, text)


_NO_TEXT = Value(None, TextField())


def _final_metadata() -> Combinable:
    """The metadata of a final standing: a copy's own, else that of the player's standing, which stays."""
    standing = Standing.objects.filter(period=OuterRef("period"), player=OuterRef("player"))
    return Coalesce(F("metadata"), Subquery(standing.values("metadata")))


def _final(period: Period) -> QuerySet[FinalStanding]:
    return FinalStanding.objects.filter(period=period).order_by("place")


def _ordered(period: Period) -> QuerySet[Standing]:
    order = ("-score", "-member") if period.rules.order is Order.DESC else ("score", "member")
    return Standing.objects.filter(period=period, score__isnull=False).order_by(*order)


def _row(period: Period, line: _Line, rank: int, tied: int, ahead: int) -> Row:
    points, fields = period.rules.shown(line.value)
    return Row(
        rank=rank,
        player=line.player,
        name=line.name or line.player,
        points=points,
        fields=fields,
        achieved_at=line.at,
        tied=tied,
        ahead=ahead,
        metadata=line.metadata,
    )
