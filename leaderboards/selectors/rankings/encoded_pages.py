"""Pages of standings as JSON, encoded once for all readers; alone, or together with a viewer's own rows.

Each read asks Redis: its script returns the digest of the page, and the rows only if the caller does not have them yet.
So cached rows are never older than an uncached answer, however often scores change. They also hold names, for which
they expire after ``micro_cache.TTL_SECONDS``. Rows with metadata are not cached: it may change where the page does not.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from foundation import clock
from foundation.caching.micro_cache import MicroCache
from foundation.http.encoding import Encoded, as_json
from foundation.redis.client import RedisClient
from leaderboards import metrics
from leaderboards.core.ranking.gaps import NO_ENDS, PageEnds
from leaderboards.models import Board, Period
from leaderboards.selectors.catalog.periods import PeriodInfo, find_period_row, period_info_or_window
from leaderboards.selectors.player_data.names import name_cache_generation
from leaderboards.selectors.rankings.cursor_pages import CursorPage, page_query, window_query
from leaderboards.selectors.rankings.lagging import lag_of, reader_for
from leaderboards.selectors.rankings.metadata import is_metadata_wanted
from leaderboards.selectors.rankings.row_json import row_json
from leaderboards.selectors.rankings.standings import NO_PLAYERS, Answers, CacheableAnswers, Row, read_period, row_of
from leaderboards.selectors.rankings.store_routing import read_period_if_changed
from leaderboards.selectors.visibility.hidden import hidden_in
from leaderboards.stores.base import Around, ForPlayers, Page, Query, QueryResult

CACHE_BYTES = 8_000_000  # in each process
OVERHEAD_BYTES = 300  # of one entry: key, digests


@dataclass(frozen=True, slots=True)
class EncodedPage:
    """Rows of a period as JSON, with its number of players at ``as_of``; ``complete`` as that of ``Standings``."""

    board: Board
    period: PeriodInfo
    total: int
    as_of: datetime
    live: bool
    rows: Encoded
    ends: PageEnds = NO_ENDS
    complete: bool = True


@dataclass(frozen=True, slots=True)
class EncodedView:
    """An encoded page and, from the same moment, a player with their neighbours, and chosen players best first."""

    standings: EncodedPage
    me: Row | None
    neighbours: list[Row]
    named: list[Row]
    around_ends: PageEnds


class _CachedRows(NamedTuple):
    """Encoded rows with their page's ends, Redis's digest of them, and how many of Redis's total are hidden."""

    digest: str
    hidden: int
    rows: Encoded
    ends: PageEnds


def _weight(cached: _CachedRows) -> int:
    return OVERHEAD_BYTES + len(cached.rows.content)


_EMPTY = _CachedRows("none", 0, Encoded(b"[]", ""), NO_ENDS)
_Key = tuple[str, int, Page | CursorPage, bytes, int]
_cache: MicroCache[_Key, _CachedRows] = MicroCache(CACHE_BYTES, weigh=_weight)


def page_encoded(board: Board, name: str, page: Page | CursorPage) -> EncodedPage:
    """Return a page. Raises as ``standings_page`` does."""
    return _read(board, name, page, ())[0]


def view_encoded(
    board: Board, name: str, page: Page | CursorPage, beside: Around | None, named: ForPlayers
) -> EncodedView:
    """Return a page, the player of ``beside`` with neighbours, and the players ``named``, all from one moment.

    Raises as ``read_page`` does.
    """
    others = [window_query(beside) if beside else NO_PLAYERS, named]
    encoded, (answers, first) = _read(board, name, page, others)
    near = answers.window(first, beside)
    me = row_of(beside.player, near.rows) if beside else None
    return EncodedView(encoded, me, near.rows, answers.standings(first + 1, in_order=True).rows, near.ends)


def clear_encoded_cache() -> None:
    """Forget all cached pages (for tests)."""
    _cache.forget()


def _read(
    board: Board, name: str, page: Page | CursorPage, others: Sequence[Query]
) -> tuple[EncodedPage, tuple[Answers, int]]:
    """Return the page, the answers, and the index of the first of ``others`` among the answers."""
    as_of = clock.now()
    stored = find_period_row(board, name, as_of)
    shown, reader = period_info_or_window(board, name, stored, as_of), reader_for([page_query(page), *others])

    def answers_of(result: tuple[QueryResult, bool], kind: type[Answers] = Answers) -> Answers:
        return kind(board, stored, shown, result, as_of - lag_of(reader))

    if stored is not None and stored.cache_version and not is_metadata_wanted():
        total, cached, indexed = _read_with_cache(stored, page, others, answers_of, reader)
        moment, ends = indexed[0].as_of, cached.ends.within(total)
        return EncodedPage(board, shown, total, moment, True, cached.rows, ends), indexed
    answers = answers_of(read_period(stored, [page_query(page), *others], reader))
    first = answers.page(0, page)
    rows = _encoded(first.rows)
    page_read = (board, shown, first.total, first.as_of, first.live, rows, first.ends, first.complete)
    return EncodedPage(*page_read), (answers, 1)


def _read_with_cache(
    stored: Period,
    page: Page | CursorPage,
    others: Sequence[Query],
    answers_of: Callable[..., Answers],
    reader: RedisClient,
) -> tuple[int, _CachedRows, tuple[Answers, int]]:
    """Return the total, the rows (cached ones if Redis has the same) and the indexed answers."""
    hidden = hidden_in(stored)
    key = (stored.family.zset, stored.generation, page, _digest(hidden), name_cache_generation())
    cached = _cache.get_fresh(key) or _EMPTY
    result = read_period_if_changed(stored, [page_query(page)], others, hidden, cached.digest, reader)
    metrics.count_page_read(were_cached=result.reading is None)
    if result.reading is None:
        return result.total - cached.hidden, cached, (answers_of((result.beside, True)), 0)
    begun = clock.monotonic()
    reading = QueryResult(result.reading.total, [*result.reading.answers, *result.beside.answers])
    answers = answers_of((reading, True), CacheableAnswers)
    first, ends = answers.page_with_ends(0, page)
    fresh = _CachedRows(result.digest, result.total - first.total, _encoded(first.rows), ends)
    _cache.put(key, fresh, begun)
    return first.total, fresh, (answers, 1)


@lru_cache(maxsize=8)
def _digest(hidden: frozenset[str]) -> bytes:
    """Shorten the set of hidden players for the cache key. The LRU cache saves hashing a large set for each request."""
    return blake2b("\0".join(sorted(hidden)).encode(), digest_size=16).digest()


def _encoded(rows: list[Row]) -> Encoded:
    content = as_json([row_json(row) for row in rows])
    return Encoded(content, blake2b(content, digest_size=12).hexdigest())
