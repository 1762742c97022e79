"""Read standings from Redis's sorted set: each call runs one script in one round trip.

The trap: a script answers only if Redis has the generation of the caller's row; otherwise
``StaleGeneration`` is raised, and Redis is unavailable for this period.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, count, islice, repeat
from pathlib import Path
from typing import Any

from foundation.errors import Unavailable
from foundation.redis.client import Argument, RedisClient, ScriptCall
from foundation.redis.lua import Script
from foundation.sync.redis_state import raise_if_stale, script_loader
from leaderboards.core.ranking.histogram import PARTS, Edge, Histogram
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import Part
from leaderboards.stores.base import (
    Around,
    AroundGap,
    ConditionalResult,
    ForPlayers,
    Page,
    Quantiles,
    Query,
    QueryResult,
    RankedRow,
    ScoreRange,
    pack_gap,
)
from leaderboards.stores.redis.player_cells import cell_of_member

SHARES_PER_CALL = 251  # of a script that reads the scores of edges: a quarter of a millisecond

SCRIPTS = Path(__file__).parent / "scripts"
script = script_loader(SCRIPTS)
compact_script = script_loader(SCRIPTS, SCRIPTS / "compact")


def script_of(period: Part, name: str) -> Script:
    """Return a script as the keys of a period need it."""
    return compact_script(name) if period.layout.has_numbers else script(name)


def run(link: RedisClient, name: str, keys: Sequence[str], args: Sequence[Argument]) -> Any:
    """Run a script. Raises ``StaleGeneration``, or what the client raises."""
    with raise_if_stale():
        return link.run(script(name), keys, args)


def run_of(period: Part, link: RedisClient, name: str, keys: Sequence[str], args: Sequence[Argument]) -> Any:
    """Run a script as the keys of a period need it. Raises ``StaleGeneration``, or what the client raises."""
    with raise_if_stale():
        return link.run(script_of(period, name), keys, args)


def lua_bool(value: bool) -> str:
    """Return a boolean as the scripts take it."""
    return "1" if value else "0"


def descending_flag(period: Part) -> str:
    """Return whether greater scores are better, as the scripts take it."""
    return lua_bool(period.rules.order is Order.DESC)


def ranked_keys(period: Part) -> list[str]:
    """Return the first keys of nearly every script: generation, zset, members, distinct scores."""
    family = period.family
    return [family.gen, family.zset, family.members, family.scores]


def writing_keys(period: Part, *others: str) -> list[str]:
    """Return the keys of a script that includes place.lua: the ranked ones, ``others``, and what score ranges need."""
    return [*ranked_keys(period), *others, *noting_keys(period)]


def noting_keys(period: Part) -> tuple[str, ...]:
    """Return the last keys of a script that includes place.lua."""
    return (period.family.moved,) if period.family.has_ranges else ()


def placement_args(link: RedisClient, period: Part) -> list[Argument]:
    """Return the first arguments of the scripts that include place.lua: generation, deadline, in_member, dense."""
    flags = (lua_bool(period.layout.in_member), lua_bool(period.rules.ties is Ties.DENSE))
    return [period.generation, link.deadline_ms(period.family.gen), *flags]


class ZsetStore:
    """The standings in Redis."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def read(self, period: Part, queries: Sequence[Query]) -> QueryResult:
        """Answer all queries from one moment of the period, in one round trip.

        Raises ``StaleGeneration``, also if Redis has another cache version than the row.
        """
        return _parse_result(period, queries, self._read_lines(period, queries, ""))

    def read_if_changed(
        self, period: Part, queries: Sequence[Query], known: str, others: Sequence[Query] = ()
    ) -> ConditionalResult:
        """Answer the queries, unless the digest of the answers is still ``known``; always answer ``others``."""
        digest, *lines = self._read_lines(period, queries, known, others)
        if digest == "same":
            return ConditionalResult(known, int(lines[0]), None, _parse_result(period, others, lines))
        result = _parse_result(period, [*queries, *others], lines)
        total, answers = result.total, result.answers
        main, beside = answers[: len(queries)], answers[len(queries) :]
        return ConditionalResult(digest, total, QueryResult(total, main), QueryResult(total, beside))

    def _read_lines(
        self, period: Part, queries: Sequence[Query], known: str, others: Sequence[Query] = ()
    ) -> list[str]:
        compared = [part for query in queries for part in _query_args(period, query)]
        args = [*_first_args(period), known, len(compared) // 3, *compared]
        for query in others:
            args += _query_args(period, query)
        text: bytes = run_of(period, self._link, "read", _keys(period), args)
        return text.decode().split("\n")

    def totals(self, periods: Sequence[Part]) -> dict[int, int]:
        """Return the number of players by primary key of the period, without stale ones and those of servers away."""
        calls = [
            ScriptCall(script_of(period, "read"), _keys(period), [*_first_args(period), "", 0]) for period in periods
        ]
        answers = zip(periods, self._link.try_many(calls), strict=True)
        return {period.pk: int(answer) for period, answer in answers if not isinstance(answer, Unavailable)}

    def quantiles(self, period: Part, shares: Sequence[int]) -> Quantiles:
        """Return the rows at these shares of the ranking, in thousandths from the best."""
        with raise_if_stale():
            total, *cells = self._link.run(*quantiles_call(period, shares))
        pairs = zip(cells[::2], cells[1::2], strict=True)
        return Quantiles(int(total), [(member.decode(), float(score)) for member, score in pairs])

    def counts(self, period: Part, ranges: Sequence[ScoreRange]) -> list[int]:
        """Count the players in each range of scores."""
        with raise_if_stale():
            return [int(count) for count in self._link.run(*counts_call(period, ranges))]

    def scores(self, period: Part, players: Sequence[str]) -> dict[str, float]:
        """Return the scores of those of these players who are ranked. Raises as ``read`` does."""
        with raise_if_stale():
            found = zip(players, self._link.run(*scores_call(period, players)), strict=True)
        return {player: float(score) for player, score in found if score}

    def histogram(self, period: Part) -> Histogram:
        """Count the players at the scores of ``PARTS`` places. All counts are of one moment, in one script.

        The scores are read before, in scripts of ``SHARES_PER_CALL``: scores that change meanwhile make the gaps
        between two edges uneven, not the counts wrong.
        """
        shares, scores = range(PARTS + 1), set[float]()
        for start in range(0, len(shares), SHARES_PER_CALL):
            rows = self.quantiles(period, shares[start : start + SHARES_PER_CALL]).rows
            scores.update(score for _, score in rows)
        edges = sorted(scores)
        counts = self.counts(period, list(around_edges(edges)))
        return histogram_of(edges, counts)


def quantiles_call(period: Part, shares: Sequence[int]) -> ScriptCall:
    """The call that reads the rows at these shares of a family."""
    keys = [period.family.gen, period.family.zset]
    return ScriptCall(script_of(period, "quantiles"), keys, [period.generation, descending_flag(period), *shares])


def counts_call(period: Part, ranges: Sequence[ScoreRange]) -> ScriptCall:
    """The call that counts the players of a family in each range of scores."""
    args: list[Argument] = [period.generation]
    for start, stop in ((each.start, each.stop) for each in ranges):
        args.append("-inf" if start is None else repr(start))
        args.append("+inf" if stop is None else f"({stop!r}")
    return ScriptCall(script_of(period, "counts"), [period.family.gen, period.family.zset], args)


def scores_call(period: Part, players: Sequence[str]) -> ScriptCall:
    """The call that reads the scores of players of a family."""
    family = period.family
    keys = [family.gen, family.zset, family.members, family.cache_version]
    args: list[Argument] = [period.generation, lua_bool(period.layout.in_member), period.cache_version, *players]
    return ScriptCall(script_of(period, "scores"), keys, args)


def around_edges(edges: Sequence[float]) -> Iterator[ScoreRange]:
    """Yield the ranges below, at and between the edges, and above the last."""
    after: float | None = None
    for edge in edges:
        yield ScoreRange(after, edge)
        after = math.nextafter(edge, math.inf)
        yield ScoreRange(edge, after)
    yield ScoreRange(after, None)


def histogram_of(edges: Sequence[float], counts: Sequence[int]) -> Histogram:
    """Build a histogram from the counts of ``around_edges``."""
    up_to = list(accumulate(counts))
    found = [Edge(edge, up_to[2 * at], counts[2 * at + 1]) for at, edge in enumerate(edges)]
    return Histogram(up_to[-1], tuple(found))


def _keys(period: Part) -> list[str]:
    return [*ranked_keys(period), period.family.cache_version]


def _first_args(period: Part) -> list[Argument]:
    """Return the first arguments of the script ``read``. Without a query it answers with the total alone."""
    in_member = lua_bool(period.layout.in_member)
    return [period.generation, descending_flag(period), period.rules.ties.value, in_member, period.cache_version]


def _parse_result(period: Part, queries: Sequence[Query], lines: Sequence[str]) -> QueryResult:
    parts = _parse_parts(lines[1:], period.rules.ties.by_time)
    return QueryResult(int(lines[0]), [_next_answer(query, parts) for query in queries])


def _query_args(period: Part, query: Query) -> list[Argument]:
    match query:
        case Page(offset, limit):
            return ["page", offset, limit]
        case Around(player, radius):
            return ["around", player, radius]
        case ForPlayers(players):
            return [part for player in players for part in ("around", player, 0)]
        case AroundGap(gap, ahead, behind):
            score, member = pack_gap(period, gap)
            return ["gap", f"{score!r} {cell_of_member(period, member)}", f"{ahead} {behind} {lua_bool(gap.is_after)}"]


def _next_answer(query: Query, parts: Iterator[list[RankedRow]]) -> list[RankedRow]:
    """Take the rows of a query from the parts of the reply: ``ForPlayers`` has one part per player, others have one."""
    if isinstance(query, ForPlayers):
        return [row for rows in islice(parts, len(query.players)) for row in rows]
    return next(parts)


def _parse_parts(lines: Sequence[str], ranks_are_unique: bool) -> Iterator[list[RankedRow]]:
    """Parse the parts of the reply of ``read``; unique ranks are counted from the index of a part's first row."""
    at = 0
    while at < len(lines):
        first, start, end = int(lines[at]), at + 2, at + 2 + 2 * int(lines[at + 1])
        members_and_scores = lines[start:end:2], map(float, lines[start + 1 : end : 2])
        if ranks_are_unique:
            at = end
            yield [*map(RankedRow, *members_and_scores, count(first + 1), repeat(1), count(first))]
        else:
            at = end + 3 * (end - start) // 2
            rank, tied, ahead = (map(int, lines[end + part : at : 3]) for part in range(3))
            yield [*map(RankedRow, *members_and_scores, rank, tied, ahead)]
