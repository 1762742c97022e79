"""A player's percentile: from the period's histogram where it has one, else from the player's rank.

From a histogram it takes the player's score and a search among a thousand edges, however many players there are; it is
of ``as_of`` and has an ``error``. From the rank it is exact and of now; counting it in SQL takes time.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from foundation import clock
from leaderboards.core.ranking.histogram import Percentile, percentile_in, top_percent
from leaderboards.models import Board, Period
from leaderboards.selectors.catalog.periods import CURRENT, PeriodInfo, find_period_row, period_info_or_window
from leaderboards.selectors.rankings.histograms import histogram_of
from leaderboards.selectors.rankings.standings import PlayerRow, not_ranked, player_row
from leaderboards.selectors.rankings.store_routing import read_from_store
from leaderboards.stores.base import Store


@dataclass(frozen=True, slots=True)
class PlayerPercentile:
    """A player's percentile among ``total`` players at ``as_of``.

    ``is_exact``: it was counted now. It is None if Redis is away, there is no histogram, and SQL did not count in time;
    or if a part of the players is missing (not ``complete``).
    """

    player: str
    percentile: Percentile | None
    is_exact: bool
    total: int
    as_of: datetime
    live: bool
    period: PeriodInfo
    complete: bool = True


def player_percentile(board: Board, player: str, period: str = CURRENT, *, exact: bool = False) -> PlayerPercentile:
    """Return a player's percentile, counted now if ``exact``. Raises ``NotRanked`` or ``UnknownPeriod``."""
    found = None if exact else histogram_percentile(board, player, period)
    return _from_rank(player_row(board, player, period)) if found is None else found


def histogram_percentile(board: Board, player: str, period: str = CURRENT) -> PlayerPercentile | None:
    """Return the same from the period's histogram, or None if it has none. Raises as ``player_percentile``."""
    at = clock.now()
    stored = find_period_row(board, period, at)
    taken = histogram_of(stored, at)
    if stored is None or taken is None or not taken.histogram.total:
        return None
    info = period_info_or_window(board, period, stored, at)
    scores, live = read_from_store(stored, partial(_scores, player=player))
    if player not in scores:
        raise not_ranked(player, info)
    found = percentile_in([taken.histogram], scores[player], stored.rules)
    return PlayerPercentile(player, found, False, taken.histogram.total, taken.taken_at, live, info)


def _scores(store: Store, period: Period, player: str) -> dict[str, float]:
    return store.scores(period, (player,))


def _from_rank(found: PlayerRow) -> PlayerPercentile:
    exact = None
    if found.percentile is not None and found.row.ahead is not None:
        exact = Percentile(top_percent(found.total, found.row.ahead), found.percentile, 0.0)
    read = (found.total, found.as_of, found.live, found.period, found.complete)
    return PlayerPercentile(found.row.player, exact, True, *read)
