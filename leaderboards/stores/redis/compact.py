"""Read the standings of compact periods from Redis: the same scripts, with numbers in the place of players.

Before it asks Redis, SQL tells the numbers of the players that are asked for; afterwards, whose numbers the rows have.
So these boards are not read while SQL is away. The rows of one reading are of one moment; their ids are read behind it.
"""

from collections.abc import Iterable, Sequence
from itertools import chain

from foundation.redis.client import RedisClient
from leaderboards.core.ranking.histogram import Histogram
from leaderboards.models import Part
from leaderboards.stores.base import Around, ForPlayers, Quantiles, Query, QueryResult, ScoreRange
from leaderboards.stores.redis.player_cells import NOBODY, PlayerCells, cells_of
from leaderboards.stores.redis.reads import ZsetStore


class CompactStore:
    """The standings of undivided compact periods in Redis."""

    def __init__(self, link: RedisClient) -> None:
        self._store = ZsetStore(link)

    def read(self, period: Part, queries: Sequence[Query]) -> QueryResult:
        """Answer all queries from one moment of the period. Raises ``StaleGeneration`` and ``SqlAway``."""
        cells = cells_of(period)
        cells.look_up(named_players(queries))
        found = self._store.read(period, [_in_cells(query, cells) for query in queries])
        cells.name(row.member for row in chain.from_iterable(found.answers))
        answers = [[row._replace(member=cells.member(row.member)) for row in rows] for rows in found.answers]
        return QueryResult(found.total, answers)

    def totals(self, periods: Sequence[Part]) -> dict[int, int]:
        """Return the number of players by primary key of the period, without stale ones and those of servers away."""
        return self._store.totals(periods)

    def quantiles(self, period: Part, shares: Sequence[int]) -> Quantiles:
        """Return the rows at these shares of the ranking, in thousandths from the best."""
        found = self._store.quantiles(period, shares)
        cells = cells_of(period)
        cells.name(cell for cell, _ in found.rows)
        return Quantiles(found.total, [(cells.member(cell), score) for cell, score in found.rows])

    def counts(self, period: Part, ranges: Sequence[ScoreRange]) -> list[int]:
        """Count the players in each range of scores."""
        return self._store.counts(period, ranges)

    def scores(self, period: Part, players: Sequence[str]) -> dict[str, float]:
        """Return the scores of those of these players who are ranked."""
        cells = cells_of(period)
        cells.look_up(players)
        found = self._store.scores(period, [cells.cell(player) for player in players])
        scores = {player: found.get(cells.cell(player)) for player in players}
        return {player: score for player, score in scores.items() if score is not None}

    def histogram(self, period: Part) -> Histogram:
        """Count the players at the scores of so many places. All counts are of one moment."""
        return self._store.histogram(period)


def named_players(queries: Sequence[Query]) -> Iterable[str]:
    """Return the players that queries name."""
    for query in queries:
        match query:
            case Around(player, _):
                yield player
            case ForPlayers(players):
                yield from players


def _in_cells(query: Query, cells: PlayerCells) -> Query:
    match query:
        case Around(player, radius):
            return Around(cells.cell(player), radius)
        case ForPlayers(players, ranked):
            return ForPlayers(tuple(cell for cell in map(cells.cell, players) if cell != NOBODY), ranked)
    return query
