"""Read the standings of a period in DynamoDB: every shard is asked at the same time, and the answers are merged.

Reads are strongly consistent, but not of one moment: DynamoDB has no snapshot over several queries. A rank is the
number of better places of all shards. Counting reads each of them, so it ends at ``MOST_RANKED``: a row that is not
among them has no rank, and never a guessed one. Nor are there quantiles and distributions, which would read everybody.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import groupby

from foundation import clock
from foundation.errors import NotAvailable
from foundation.messages import Message
from leaderboards.core import dynamodb_keys as keys
from leaderboards.core.ranking.rules import Order
from leaderboards.models import Period
from leaderboards.stores.base import (
    Around,
    AroundGap,
    ForPlayers,
    Page,
    Quantiles,
    Query,
    QueryResult,
    RankedRow,
    ScoreRange,
    pack_gap,
)
from leaderboards.stores.dynamodb.client import READ_SECONDS, ShardQuery, client, gather

MOST_RANKED = 1000
FEW_PLAYERS = 3  # whose ranks are counted one by one; for more, all better places are read once


class DynamoStore:
    """The standings in DynamoDB. Every method raises ``StorageUnavailable`` while it does not answer."""

    def read(self, period: Period, queries: Sequence[Query]) -> QueryResult:
        """Answer all queries. Raises ``NotAvailable`` for a page beyond the first ``MOST_RANKED`` rows."""
        total = self.totals([period])[period.pk]
        view = _View(period, total)
        return QueryResult(total, [view.answer(query) for query in queries])

    def totals(self, periods: Collection[Period]) -> dict[int, int]:
        """Return the number of players by primary key of the period."""
        found = gather([partial(_count_players, period) for period in periods])
        return {period.pk: players for period, players in zip(periods, found, strict=True)}

    def quantiles(self, period: Period, shares: Sequence[int]) -> Quantiles:  # noqa: ARG002 - as every store
        """Return no rows: finding them would read everybody."""
        return Quantiles(self.totals([period])[period.pk], [])

    def counts(self, period: Period, ranges: Sequence[ScoreRange]) -> None:
        """Return None: counting would read everybody."""

    def scores(self, period: Period, players: Sequence[str]) -> dict[str, float]:
        """Return the scores of those of these players who are ranked."""
        layout, cells = period.layout, [keys.score_and_member(place) for place in _View(period).places_of(players)]
        return {layout.player_of(member): score for score, member in cells}


def _count_players(period: Period) -> int:
    counters = client().walk(keys.counters(period.board_id, period.label))
    return sum(int(item["players"]["N"]) for item in counters)


def _deadline() -> float:
    return clock.monotonic() + READ_SECONDS


class _View:
    """The places of a period, best first: texts that sort as score and member do; greater is better if descending."""

    def __init__(self, period: Period, total: int = 0) -> None:
        self._period, self._total, self._client, self._deadline = period, total, client(), _deadline()
        self._shards = keys.shards(period.board_id, period.label, period.write_shards)
        self._by_time = period.rules.ties.by_time
        self._is_descending = period.rules.order is Order.DESC

    def answer(self, query: Query) -> list[RankedRow]:
        match query:
            case Page(offset, limit):
                return self._page(offset, limit)
            case Around(player, radius):
                return self._around(player, radius)
            case AroundGap(gap, ahead, behind):
                packed = pack_gap(self._period, gap)
                there = keys.place(packed.score, packed.member)
                before = self._beyond(there, ahead, is_better=True, with_it=gap.is_after)
                behind_it = self._beyond(there, behind, is_better=False, with_it=not gap.is_after)
                return self._consecutive([*before, *behind_it])
            case ForPlayers(players, ranked):
                places = self.places_of(players)
                return self._of_players(places) if ranked else _rows(places, None)

    def places_of(self, players: Sequence[str]) -> list[str]:
        """Return the places of those of these players who are ranked, best first."""
        period = self._period
        wanted = [keys.standing(period.board_id, period.label, period.write_shards, each) for each in players]
        found = self._client.get(self._deadline, wanted)
        return sorted((item["place"]["S"] for item in found.values()), reverse=self._is_descending)

    def _page(self, offset: int, limit: int) -> list[RankedRow]:
        if MOST_RANKED <= offset < self._total:
            raise NotAvailable(
                Message(
                    "This board is stored in DynamoDB, where a place is found by reading all before it: pages by "
                    "number end at place %(most)s. Read on by the cursors of the pages.",
                    most=MOST_RANKED,
                )
            )
        best = self._best(offset + limit) if offset < MOST_RANKED else []
        shown = best[offset:]
        if self._by_time or not shown:
            return _rows(shown, offset)
        score = _score(shown[0])
        return self._sharing(shown, sum(_score(place) != score for place in best[:offset]))

    def _around(self, player: str, radius: int) -> list[RankedRow]:
        mine = self.places_of([player])
        if not mine:
            return []
        before = self._beyond(mine[0], radius, is_better=True)
        return self._consecutive([*before, *mine, *self._beyond(mine[0], radius, is_better=False)])

    def _of_players(self, places: list[str]) -> list[RankedRow]:
        if len(places) <= FEW_PLAYERS:
            return [row for place in places for row in self._consecutive([place])]
        best = self._best(MOST_RANKED + 1)
        worst_first = best[::-1] if self._is_descending else best
        rows: list[RankedRow] = []
        for place in places:
            low, high = (place, place) if self._by_time else keys.places_of_score(_score(place))
            first, last = bisect_left(worst_first, low), bisect_right(worst_first, high)
            ahead, tied = (len(best) - last, last - first) if self._is_descending else (first, last - first)
            rows += _rows([place], ahead) if self._by_time else [_shared(place, ahead, tied)]
        return rows

    def _consecutive(self, places: list[str]) -> list[RankedRow]:
        """Add ranks to consecutive places, by counting those before the first."""
        if not places:
            return []
        if self._by_time:
            return _rows(places, self._count_better(places[0]))
        return self._sharing(places, self._count_better_scores(_score(places[0])))

    def _sharing(self, places: list[str], ahead: int | None) -> list[RankedRow]:
        """Add shared ranks to consecutive places; ``ahead`` are better than the score of the first.

        The first and the last score may be shared beyond these places, so they are counted.
        """
        ends = {_score(places[0]), _score(places[-1])}
        rows: list[RankedRow] = []
        for score, group in groupby(places, key=_score):
            equals = list(group)
            tied = None if ahead is None else (self._count_score(score) if score in ends else len(equals))
            rows += [_shared(place, ahead, tied) for place in equals]
            ahead = None if ahead is None or tied is None else ahead + tied
        return rows

    def _best(self, limit: int) -> list[str]:
        return self._merge(limit, {}, is_ascending=not self._is_descending)

    def _beyond(self, place: str, limit: int, *, is_better: bool, with_it: bool = False) -> list[str]:
        """Return the places next to one, best first: the better or the worse ones, perhaps with the place itself."""
        is_greater = is_better is self._is_descending
        bound = ("least" if with_it else "above") if is_greater else ("most" if with_it else "below")
        near = self._merge(limit, {bound: place}, is_ascending=is_greater)
        return near[::-1] if is_better else near

    def _merge(self, limit: int, bounds: Mapping[str, str], *, is_ascending: bool) -> list[str]:
        if limit <= 0:
            return []
        queries = [ShardQuery(shard, limit, bounds, is_ascending) for shard in self._shards]
        found = gather([partial(self._client.places, self._deadline, query) for query in queries])
        return sorted((place for places in found for place in places), reverse=not is_ascending)[:limit]

    def _count_better(self, place: str) -> int | None:
        return self._count({"above" if self._is_descending else "below": place})

    def _count_better_scores(self, score: float) -> int | None:
        least, most = keys.places_of_score(score)
        return self._count_better(most if self._is_descending else least)

    def _count_score(self, score: float) -> int | None:
        least, most = keys.places_of_score(score)
        return self._count({"least": least, "most": most})

    def _count(self, bounds: Mapping[str, str]) -> int | None:
        """Count places of all shards; None if there are more than ``MOST_RANKED``."""
        queries = [ShardQuery(shard, MOST_RANKED + 1, bounds) for shard in self._shards]
        counted = sum(gather([partial(self._client.count, self._deadline, query) for query in queries]))
        return counted if counted <= MOST_RANKED else None


def _score(place: str) -> float:
    return keys.score_and_member(place)[0]


def _rows(places: Sequence[str], ahead: int | None) -> list[RankedRow]:
    """Return consecutive rows whose ranks nobody shares; ``ahead`` are before the first, None: too many."""
    rows: list[RankedRow] = []
    for nth, place in enumerate(places):
        score, member = keys.score_and_member(place)
        if ahead is None or ahead + nth >= MOST_RANKED:
            rows.append(RankedRow(member, score, None, None, None))
        else:
            rows.append(RankedRow(member, score, ahead + nth + 1, 1, ahead + nth))
    return rows


def _shared(place: str, ahead: int | None, tied: int | None) -> RankedRow:
    """Return a row whose rank others may share; it has one if all with it are among the first ``MOST_RANKED``."""
    score, member = keys.score_and_member(place)
    if ahead is None or tied is None or ahead + tied > MOST_RANKED:
        return RankedRow(member, score, None, None, None)
    return RankedRow(member, score, ahead + 1, tied, ahead)
