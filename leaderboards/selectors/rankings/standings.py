"""Ranked rows of a period: a page, one player, the players around them, or several players by id.

All queries of one call are answered in one round trip, from one moment of the period. Names come from SQL and are for
display only; ranks never depend on them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal

from foundation import clock
from foundation.messages import Message
from foundation.redis.client import RedisClient
from leaderboards.core.input.names import display_name
from leaderboards.core.instants import from_milliseconds
from leaderboards.core.ranking.gaps import NO_ENDS, PageEnds
from leaderboards.core.ranking.ranks import percentile
from leaderboards.core.ranking.rules import Rules
from leaderboards.errors import NotRanked
from leaderboards.models import Board, Period
from leaderboards.selectors.catalog.periods import CURRENT, PeriodInfo, find_period_row, period_info_or_window
from leaderboards.selectors.player_data.names import cached_names, names_for_caching, names_of
from leaderboards.selectors.rankings.cursor_pages import CursorPage, cut_page, cut_window, page_query, window_query
from leaderboards.selectors.rankings.lagging import lag_of, reader_for
from leaderboards.selectors.rankings.metadata import is_metadata_wanted, metadata_of
from leaderboards.selectors.rankings.store_routing import read_from_store
from leaderboards.stores.base import Around, ForPlayers, Page, Query, QueryResult, RankedRow

NEIGHBOURS = 3  # on each side of the viewer, on a board's page
NO_PLAYERS = ForPlayers(())


@dataclass(frozen=True, slots=True)
class Row:
    """A ranked player: ``tied`` players share the rank, this one included, and ``ahead`` players are strictly better.

    ``rank``, ``tied`` and ``ahead`` are None if Redis is away and SQL did not count in time. ``metadata`` is JSON as
    text, only where it was wanted (``reading_metadata``).
    """

    rank: int | None
    player: str
    name: str
    points: int | Decimal | None
    fields: dict[str, int] | None
    achieved_at: datetime | None
    tied: int | None
    ahead: int | None
    metadata: str | None = None


@dataclass(frozen=True, slots=True)
class Standings:
    """Rows of a period, its players at ``as_of``, and its rules; of pages and windows around a player also the ends.

    Not ``complete``: a partition of the period has not answered. Then it is not live either, nobody has a rank, and
    ``total`` counts only the players of the others.
    """

    board: Board
    period: PeriodInfo
    total: int
    as_of: datetime
    live: bool
    rows: list[Row]
    rules: Rules
    ends: PageEnds = NO_ENDS
    complete: bool = True


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """One player's row, and the percentage of the other players that they are ahead of.

    ``complete`` is that of ``Standings``.
    """

    row: Row
    percentile: float | None
    total: int
    as_of: datetime
    live: bool
    period: PeriodInfo
    rules: Rules
    complete: bool = True


@dataclass(frozen=True, slots=True)
class BoardPage:
    """A page of rows, a player with their neighbours, and chosen players best first, all from one moment.

    ``stored`` is the period's row, for further queries. ``around_ends`` are the ends of the neighbours.
    """

    standings: Standings
    me: Row | None
    neighbours: list[Row]
    stored: Period | None = None
    named: list[Row] = field(default_factory=list)
    around_ends: PageEnds = NO_ENDS


def standings(board: Board, period: str = CURRENT, offset: int = 0, limit: int = 10) -> Standings:
    """Return the rows from ``offset``. Raises ``UnknownPeriod``."""
    return standings_page(board, period, Page(offset, limit))


def standings_page(board: Board, period: str, page: Page | CursorPage) -> Standings:
    """Return a page with its ends. Raises ``UnknownPeriod`` or ``BadCursor``."""
    return _query(board, period, [page_query(page)]).page(0, page)


def player_row(board: Board, player: str, period: str = CURRENT) -> PlayerRow:
    """Return one player's row. Raises ``NotRanked`` or ``UnknownPeriod``."""
    found = _query(board, period, [ForPlayers((player,))]).standings(0)
    if not found.rows:
        raise not_ranked(player, found.period)
    row, total = found.rows[0], found.total
    share = share_below(row, total)
    return PlayerRow(row, share, total, found.as_of, found.live, found.period, found.rules, found.complete)


def share_below(row: Row, total: int) -> float | None:
    """Return the percentage of the other players that a player is ahead of; None if the rank is not known."""
    if row.ahead is None or row.tied is None:
        return None
    return percentile(total, total - row.ahead - row.tied)


def around(board: Board, player: str, radius: int = 4, period: str = CURRENT) -> Standings:
    """Return the player and up to ``radius`` rows on each side, with ends. Raises ``NotRanked``, ``UnknownPeriod``."""
    wanted = Around(player, radius)
    neighbours = _query(board, period, [window_query(wanted)]).window(0, wanted)
    if not neighbours.rows:
        raise not_ranked(player, neighbours.period)
    return neighbours


def not_ranked(player: str, period: PeriodInfo) -> NotRanked:
    """The refusal of a player without a standing in the period."""
    return NotRanked(Message("%(player)s has no standing in period %(period)s.", player=player, period=period.label))


def rows_of_players(board: Board, players: Sequence[str], period: str = CURRENT) -> Standings:
    """Return the rows of those of these players who are ranked, best first. Raises ``UnknownPeriod``."""
    wanted = tuple(dict.fromkeys(players))
    return _query(board, period, [ForPlayers(wanted)] if wanted else []).standings(0, in_order=True)


def board_page(board: Board, period: str, offset: int, limit: int, player: str | None) -> BoardPage:
    """Return a page and, if ``player`` is ranked, their row and neighbours. Raises ``UnknownPeriod``."""
    return read_page(board, period, Page(offset, limit), neighbours_query(player))


def neighbours_query(player: str | None) -> Around | None:
    """Return the query for a page's viewer and their neighbours; None without a viewer."""
    return Around(player, NEIGHBOURS) if player else None


def read_page(
    board: Board, period: str, rows: Page | CursorPage, beside: Around | None, named: ForPlayers = NO_PLAYERS
) -> BoardPage:
    """Return a page, the player of ``beside`` with neighbours, and the players ``named``, all from one moment.

    Players without a rank are omitted. Raises ``UnknownPeriod`` or ``BadCursor``.
    """
    answers = _query(board, period, [page_query(rows), window_query(beside) if beside else NO_PLAYERS, named])
    near, others = answers.window(1, beside), answers.standings(2, in_order=True).rows
    me = row_of(beside.player, near.rows) if beside else None
    return BoardPage(answers.page(0, rows), me, near.rows, answers.stored, others, near.ends)


def page_with_viewer(page: BoardPage, player: str) -> BoardPage:
    """Return the same page with ``player`` and their neighbours; these and the total are read now."""
    shared = page.standings
    result = read_period(page.stored, [Around(player, NEIGHBOURS)])
    own = _AnswersWithCachedNames(shared.board, page.stored, shared.period, result, clock.now()).standings(0)
    return replace(page, standings=replace(shared, total=own.total), me=row_of(player, own.rows), neighbours=own.rows)


def row_of(player: str | None, rows: Sequence[Row]) -> Row | None:
    """Return the row of a player, if it is among these."""
    return next((row for row in rows if row.player == player), None)


def _query(board: Board, name: str, questions: Sequence[Query]) -> "Answers":
    """Ask the period of this name. Raises ``UnknownPeriod``."""
    as_of = clock.now()
    stored = find_period_row(board, name, as_of)
    shown, reader = period_info_or_window(board, name, stored, as_of), reader_for(questions)
    result = read_period(stored, questions, reader)
    return Answers(board, stored, shown, result, as_of - lag_of(reader))


def read_period(
    stored: Period | None, questions: Sequence[Query], reader: RedisClient | None = None
) -> tuple[QueryResult, bool]:
    """Return a period's answers and whether they are live; empty answers for a period without a row.

    ``reader`` is that of ``read_from_store``.
    """
    if stored is None:
        return QueryResult(0, [[] for _ in questions]), True
    return read_from_store(stored, lambda store, period: store.read(period, questions), reader)


class Answers:
    """The answers of one period to a list of queries, as rows with names."""

    find_names = staticmethod(names_of)

    def __init__(
        self, board: Board, stored: Period | None, shown: PeriodInfo, result: tuple[QueryResult, bool], as_of: datetime
    ) -> None:
        self._board, self._shown, self.stored = board, shown, stored
        self._reading, is_live = result
        self.as_of = self._reading.as_of or as_of
        self._live = is_live and self._reading.complete
        self._names = {} if stored is None else self.find_names(self._players())
        self._metadata = metadata_of(stored, self._players()) if stored is not None and is_metadata_wanted() else {}

    def standings(self, index: int, in_order: bool = False) -> Standings:
        """Return the answer to query number ``index``, best first if ``in_order``."""
        placed = self._placed(index)
        if in_order and self.stored is not None:
            best_first = self.stored.rules.order.value == "desc"
            placed = sorted(placed, key=lambda each: (each.score, each.member.encode()), reverse=best_first)
        return self._standings(placed)

    def page(self, index: int, wanted: Page | CursorPage) -> Standings:
        """Return the answer to query number ``index``, which was ``page_query(wanted)``. Raises ``BadCursor``."""
        found, ends = self.page_with_ends(index, wanted)
        return replace(found, ends=ends.within(found.total))

    def window(self, index: int, wanted: Around | None) -> Standings:
        """Return the answer to query number ``index``, which was ``window_query(wanted)``; no rows for None."""
        if self.stored is None or wanted is None:
            return self._standings([])
        placed, ends = cut_window(self.stored, wanted, self._placed(index))
        return replace(self._standings(placed), ends=ends)

    def page_with_ends(self, index: int, wanted: Page | CursorPage) -> tuple[Standings, PageEnds]:
        """Return the same, with ends that do not go by the total yet: for callers that cache them."""
        if self.stored is None:
            return self._standings([]), NO_ENDS
        placed, ends = cut_page(self.stored, wanted, self._placed(index))
        return self._standings(placed), ends

    def _placed(self, index: int) -> list[RankedRow]:
        return self._reading.answers[index] if self._reading.answers else []

    def _standings(self, placed: list[RankedRow]) -> Standings:
        rows = [*self._rows(self.stored, placed)] if self.stored else []
        rules = self.stored.rules if self.stored else self._board.rules
        read = self._reading
        shown = (self._board, self._shown, read.total, self.as_of, self._live, rows, rules)
        return Standings(*shown, complete=read.complete)

    def _rows(self, period: Period, ranked: Sequence[RankedRow]) -> Iterator[Row]:
        unpack, shown = period.layout.unpack, period.rules.shown
        names, metadata = self._names, self._metadata
        for each in ranked:
            value, at_ms, player = unpack(each.score, each.member)
            points, fields = shown(value)
            name = display_name(names.get(player, ""), player)
            achieved_at = None if at_ms is None else from_milliseconds(at_ms)
            yield Row(each.rank, player, name, points, fields, achieved_at, each.tied, each.ahead, metadata.get(player))

    def _players(self) -> set[str]:
        if self.stored is None:
            return set()
        layout = self.stored.layout
        return {layout.player_of(placed.member) for answer in self._reading.answers for placed in answer}


class CacheableAnswers(Answers):
    """Answers whose rows are cached for ``micro_cache.TTL_SECONDS``, so with fresher names."""

    find_names = staticmethod(names_for_caching)


class _AnswersWithCachedNames(Answers):
    """Answers for pages that refresh every few seconds; their names may be ``CACHE_TTL`` seconds old."""

    find_names = staticmethod(cached_names)
