"""What everybody asks: a page of standings with its rows as they are sent, encoded once for all who ask; alone, or with
a player's own row and the like, which are read with it.

Redis compares: the script that reads a page tells the digest of what it read, and to who has the rows of that digest
nothing of it but the total. So kept rows are never older than the answer to a question, however many write. A second
ends them, since names are theirs too; then they are made anew.
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
from leaderboards import metrics
from leaderboards.models import Board, Period
from leaderboards.selectors.catalog.periods import PeriodInfo, find_period_row, period_info_or_window
from leaderboards.selectors.player_data.names import name_cache_generation
from leaderboards.selectors.rankings.row_json import row_json
from leaderboards.selectors.rankings.standings import NO_PLAYERS, Answers, CacheableAnswers, Row, read_period, row_of
from leaderboards.selectors.rankings.store_routing import read_period_if_changed
from leaderboards.selectors.visibility.hidden import hidden_in
from leaderboards.stores.base import Around, ForPlayers, Page, Query, QueryResult

HEAVIEST_BYTES = 8_000_000  # in each process
BESIDE_BYTES = 300  # key, digests and the like


@dataclass(frozen=True, slots=True)
class EncodedPage:
    """Rows of a period as JSON, with how many players it has and when that was so."""

    board: Board
    period: PeriodInfo
    total: int
    as_of: datetime
    live: bool
    rows: Encoded


@dataclass(frozen=True, slots=True)
class EncodedView:
    """Such a page, and of the same moment a player among their neighbours, and others by name, best first."""

    standings: EncodedPage
    me: Row | None
    neighbours: list[Row]
    named: list[Row]


class _Kept(NamedTuple):
    """Rows, the digest of what Redis told of them, and how many of its total are not shown."""

    told: str
    hidden: int
    rows: Encoded


def _weight(kept: _Kept) -> int:
    return BESIDE_BYTES + len(kept.rows.content)


_NOTHING = _Kept("none", 0, Encoded(b"[]", ""))
_Key = tuple[str, int, int, int, bytes, int]
_kept: MicroCache[_Key, _Kept] = MicroCache(HEAVIEST_BYTES, weigh=_weight)


def page_encoded(board: Board, name: str, offset: int, limit: int) -> EncodedPage:
    """The rows from ``offset``, ``limit`` at most. Raises as ``standings`` does."""
    return _read(board, name, Page(offset, limit), ())[0]


def view_encoded(board: Board, name: str, page: Page, beside: Around | None, named: ForPlayers) -> EncodedView:
    """All of it of one moment, as far as who is named is ranked. Raises as ``view`` does."""
    found, (answers, first) = _read(board, name, page, [beside or NO_PLAYERS, named])
    neighbours = answers.standings(first).rows
    me = row_of(beside.player, neighbours) if beside else None
    return EncodedView(found, me, neighbours, answers.standings(first + 1, in_order=True).rows)


def clear_encoded_cache() -> None:
    """Start anew."""
    _kept.forget()


def _read(board: Board, name: str, page: Page, others: Sequence[Query]) -> tuple[EncodedPage, tuple[Answers, int]]:
    """The page, and the answers with the place of the first of ``others`` among them."""
    as_of = clock.now()
    stored = find_period_row(board, name, as_of)
    shown = period_info_or_window(board, name, stored, as_of)

    def rows_of(told: tuple[QueryResult, bool], made: type[Answers] = Answers) -> Answers:
        return made(board, stored, shown, told, as_of)

    if stored is not None and stored.cache_version:
        total, rows, answers = _by_its_edition(stored, page, others, rows_of)
        return EncodedPage(board, shown, total, as_of, True, rows), answers
    told = rows_of(read_period(stored, [page, *others]))
    found = told.standings(0)
    return EncodedPage(board, shown, found.total, as_of, found.live, _encoded(found.rows)), (told, 1)


def _by_its_edition(
    stored: Period, page: Page, others: Sequence[Query], rows_of: Callable[..., Answers]
) -> tuple[int, Encoded, tuple[Answers, int]]:
    """The total, the rows, those that are kept while Redis says that they are the same, and the other answers."""
    out = hidden_in(stored)
    key = (stored.family.zset, stored.generation, page.offset, page.limit, _digest(out), name_cache_generation())
    kept = _kept.get_fresh(key) or _NOTHING
    told = read_period_if_changed(stored, [page], others, out, kept.told)
    metrics.count_page_read(were_kept=told.reading is None)
    if told.reading is None:
        return told.total - kept.hidden, kept.rows, (rows_of((told.beside, True)), 0)
    begun = clock.monotonic()
    reading = QueryResult(told.reading.total, [*told.reading.answers, *told.beside.answers])
    answers = rows_of((reading, True), CacheableAnswers)
    found = answers.standings(0)
    rows = _encoded(found.rows)
    _kept.put(key, _Kept(told.digest, told.total - found.total, rows), begun)
    return found.total, rows, (answers, 1)


@lru_cache(maxsize=8)
def _digest(out: frozenset[str]) -> bytes:
    """Short, since each page that is kept has it: who is hidden may be many, and is another set each second."""
    return blake2b("\0".join(sorted(out)).encode(), digest_size=16).digest()


def _encoded(rows: list[Row]) -> Encoded:
    content = as_json([row_json(row) for row in rows])
    return Encoded(content, blake2b(content, digest_size=12).hexdigest())
