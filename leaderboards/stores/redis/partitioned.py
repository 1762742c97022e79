"""Read the standings of a divided period: a few rounds of questions to all of its partitions.

A reading is not of one moment, but of one for each partition and round, all within its wait. If a partition does not
answer in time, what the others have is shown without ranks (``complete`` is False). If one has another state than SQL
says, the whole reading is refused, as that of an undivided period is.
"""

from collections.abc import Sequence
from typing import Any

from foundation.errors import Unavailable
from foundation.redis.client import RedisClient, ScriptCall
from foundation.sync.redis_state import refusal_of
from leaderboards.core.levels import levels_ahead
from leaderboards.core.ranking.histogram import PARTS, Histogram
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import Period, Standing
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
from leaderboards.stores.redis.compact import named_players
from leaderboards.stores.redis.partition_plans import Counts, Placed, Plans, ScoreCount
from leaderboards.stores.redis.partition_rounds import FoundRow, Plan, Rounds, rows
from leaderboards.stores.redis.player_cells import cell_of_member, cells_of
from leaderboards.stores.redis.ranged import read_ranges
from leaderboards.stores.redis.reads import around_edges, counts_call, histogram_of, quantiles_call, scores_call


class PartitionedStore:
    """The standings in the partitions of periods. ``link`` waits only a short time for each server."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def read(self, period: Period, queries: Sequence[Query]) -> QueryResult:
        """Answer all queries. Raises ``StaleGeneration``, and what the client raises if no partition answers."""
        if period.has_score_ranges and (found := read_ranges(self._link, period, queries)):
            return found
        return self._read_partitions(period, queries)

    def _read_partitions(self, period: Period, queries: Sequence[Query]) -> QueryResult:
        rounds = Rounds(self._link, period)
        plans = Plans(rounds)
        rounds.cells.look_up(named_players(queries))
        asked = [_plans(plans, period, query) for query in queries]
        found = iter(rounds.run([plan for own in asked for plan in own]))
        placed = [[next(found) for _ in own] for own in asked]
        rounds.wants_levels = False
        last: list[Plan[Any]] = [_sizes(rounds)]
        uncounted = [each for own in placed for each in own if each and each.rows and each.counts is None]
        if uncounted and not period.rules.ties.by_time:
            last.append(plans.counts([row for each in uncounted for row in each.rows]))
        _, *counts = rounds.run(last)
        ranking = _Ranking(rounds, counts[0] if counts else None)
        named = [list(zip(_names(query, own), own, strict=True)) for query, own in zip(queries, placed, strict=True)]
        in_sql = _rows_in_sql(period, [name for own in named for name, each in own if each is None])
        rounds.cells.name(row.member for own in placed for each in own if each for row in each.rows)
        answers = [
            [row for name, each in own for row in (ranking.rows(each) if each else in_sql.get(name, []))]
            for own in named
        ]
        unheard = {row.member for own in in_sql.values() for row in own}
        return QueryResult(rounds.total, answers, complete=not rounds.missing, unheard=unheard)

    def totals(self, periods: Sequence[Period]) -> dict[int, int]:
        """Count the players of each period, by primary key, without those that have not all partitions now."""
        counted: dict[int, int] = {}
        for period in periods:
            rounds = Rounds(self._link, period)
            try:
                rounds.run([_sizes(rounds)])
            except Unavailable:
                continue
            if not rounds.missing:
                counted[period.pk] = rounds.total
        return counted

    def quantiles(self, period: Period, shares: Sequence[int]) -> Quantiles:
        """Return the rows at these shares of the ranking, in thousandths. Raises if a partition is away."""
        rounds = Rounds(self._link, period)
        rounds.wants_levels = False
        rounds.run([_sizes(rounds)])
        total, plans = rounds.total, Plans(rounds)
        indexes = [min(total * share // 1000, total - 1) for share in shares] if total else []
        found: list[Placed] = rounds.run([plans.page(index, 1) for index in indexes])
        _require_all(rounds)
        cells = rounds.cells
        cells.name(row.member for each in found for row in each.rows)
        return Quantiles(total, [(cells.member(row.member), row.score) for each in found for row in each.rows])

    def counts(self, period: Period, ranges: Sequence[ScoreRange]) -> list[int]:
        """Count the players in each range of scores. Raises if a partition is away."""
        answers = self._run_all([counts_call(part, ranges) for part in period.parts])
        return [sum(map(int, counts)) for counts in zip(*answers, strict=True)]

    def scores(self, period: Period, players: Sequence[str]) -> dict[str, float]:
        """Return the scores of those of these players who are ranked. Raises if a partition of theirs is away."""
        groups, cells = period.by_part(players, str), cells_of(period)
        cells.look_up(players)
        answers = self._run_all([scores_call(part, [*map(cells.cell, own)]) for part, own in groups])
        pairs = (zip(own, scores, strict=True) for (_, own), scores in zip(groups, answers, strict=True))
        return {player: float(score) for own in pairs for player, score in own if score}

    def histogram(self, period: Period) -> Histogram:
        """Count the players at scores that each partition has at its own shares, as many as of an undivided period.

        Counts of partitions are added up: those of one are of one moment.
        """
        shares = range(0, PARTS + 1, max(1, period.partitions // 4))
        answers = self._run_all([quantiles_call(part, shares) for part in period.parts])
        found = sorted({float(score) for _, *cells in answers for score in cells[1::2]})
        edges = found[:: max(1, len(found) // PARTS)] + found[-1:]
        edges = sorted(set(edges))
        return histogram_of(edges, self.counts(period, list(around_edges(edges))))

    def _run_all(self, calls: Sequence[ScriptCall]) -> list[Any]:
        answers = self._link.try_many(calls) if calls else []
        for answer in answers:
            if isinstance(answer, Unavailable):
                raise refusal_of(answer)
        return answers


class _Ranking:
    """Turns rows with their places into ranked rows; without ranks if a partition has not answered."""

    def __init__(self, rounds: Rounds, counts: Counts | None) -> None:
        self._rounds, self._counts = rounds, counts
        self._period = rounds.period

    def rows(self, placed: Placed) -> list[RankedRow]:
        """Rank rows."""
        member, player_of = self._rounds.cells.member, self._rounds.cells.player_of
        if self._rounds.missing:
            return [RankedRow(member(row.member), row.score, None, None, None) for row in placed.rows]
        counts = placed.counts or self._counts
        if counts is None:
            return [
                RankedRow(member(row.member), row.score, at + 1, 1, at)
                for at, row in enumerate(placed.rows, placed.first)
            ]
        count = counts.among({player_of(row.member): row for row in placed.rows})
        return [self._rank(row, count(row.score), placed.levels_of(row)) for row in placed.rows]

    def _rank(self, row: FoundRow, count: ScoreCount, levels: int) -> RankedRow:
        rules, better = self._period.rules, count.ahead
        if rules.ties is Ties.DENSE:
            better = levels_ahead(levels, int(row.score), rules.order is Order.DESC)
        return RankedRow(self._rounds.cells.member(row.member), row.score, better + 1, count.tied, count.ahead)


def _plans(plans: Plans, period: Period, query: Query) -> list[Plan[Any]]:
    match query:
        case Page(offset, limit):
            return [plans.page(offset, limit)]
        case Around(player, radius):
            return [plans.around(player, radius)]
        case ForPlayers(players):
            return [plans.around(player, 0) for player in players]
        case AroundGap(gap, ahead, behind):
            score, member = pack_gap(period, gap)
            return [plans.gap(FoundRow(cell_of_member(period, member), score), ahead, behind, gap.is_after)]


def _names(query: Query, placed: Sequence[object]) -> Sequence[str]:
    """Return the player whom each plan of a query is about, "" for none."""
    match query:
        case Around(player, _):
            return [player]
        case ForPlayers(players):
            return players
    return [""] * len(placed)


def _rows_in_sql(period: Period, players: Sequence[str]) -> dict[str, list[RankedRow]]:
    """Return the rows of players whose partition is away, without ranks, by player."""
    if not players:
        return {}
    standings = Standing.objects.filter(period=period.pk, player__external_id__in=players)
    found = standings.values_list("player__external_id", "member", "score")
    return {name: [RankedRow(member, score, None, None, None)] for name, member, score in found if score is not None}


def _sizes(rounds: Rounds) -> Plan[None]:
    """Ask the partitions that have not been asked yet for the number of their players."""
    if unasked := set(range(rounds.period.partitions)) - rounds.sizes.keys() - rounds.missing:
        yield dict.fromkeys(sorted(unasked), (rows(0, 0),))


def _require_all(rounds: Rounds) -> None:
    if rounds.missing:
        raise Unavailable(f"{len(rounds.missing)} partitions of the period do not answer.")
