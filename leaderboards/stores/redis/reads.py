"""Reading standings from the Redis sorted set: each call one script, one moment, one round trip.

The trap: a script answers only for the generation that the caller's ``Period`` row names;
otherwise ``StaleGeneration`` says that Redis is away for this period.
"""

from collections.abc import Iterator, Sequence
from itertools import count, islice, repeat
from pathlib import Path
from typing import Any

from foundation.redis.client import Argument, RedisClient, RedisRefused, ScriptCall
from foundation.sync.redis_state import raise_if_stale, script_loader
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import Period
from leaderboards.stores.base import (
    Around,
    ConditionalResult,
    ForPlayers,
    Page,
    Quantiles,
    Query,
    QueryResult,
    RankedRow,
    ScoreRange,
)

script = script_loader(Path(__file__).parent / "scripts")


def run(link: RedisClient, name: str, keys: Sequence[str], args: Sequence[Argument]) -> Any:
    """Run a script. Raises ``StaleGeneration``, or what the link raises."""
    with raise_if_stale():
        return link.run(script(name), keys, args)


def lua_bool(value: bool) -> str:
    """A truth for Lua."""
    return "1" if value else "0"


def descending_flag(period: Period) -> str:
    """Whether more is better, for Lua."""
    return lua_bool(period.rules.order is Order.DESC)


def ranked_keys(period: Period) -> list[str]:
    """The keys that nearly every script opens with: generation, zset, members, distinct scores."""
    family = period.family
    return [family.gen, family.zset, family.members, family.scores]


def placement_args(link: RedisClient, period: Period) -> list[Argument]:
    """The arguments that the scripts open with which place players: generation, deadline, in_member, dense."""
    flags = (lua_bool(period.layout.in_member), lua_bool(period.rules.ties is Ties.DENSE))
    return [period.generation, link.deadline_ms(), *flags]


class ZsetStore:
    """Standings as Redis shows them."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def read(self, period: Period, questions: Sequence[Query]) -> QueryResult:
        """Answer all questions from one moment of the period, in one round trip. Raises ``StaleGeneration`` also where
        the row's
        edition is another."""
        return _reading(period, questions, self._lines(period, questions, ""))

    def read_if_changed(
        self, period: Period, questions: Sequence[Query], known: str, others: Sequence[Query] = ()
    ) -> ConditionalResult:
        """The same for who has answers of the digest ``known``: while it is so, only those to ``others`` are sent."""
        digest, *lines = self._lines(period, questions, known, others)
        if digest == "same":
            return ConditionalResult(known, int(lines[0]), None, _reading(period, others, lines))
        found = _reading(period, [*questions, *others], lines)
        told, beside = found.answers[: len(questions)], found.answers[len(questions) :]
        return ConditionalResult(digest, found.total, QueryResult(found.total, told), QueryResult(found.total, beside))

    def _lines(self, period: Period, questions: Sequence[Query], known: str, others: Sequence[Query] = ()) -> list[str]:
        compared = [part for question in questions for part in _asked(question)]
        args = [*_reading_head(period), known, len(compared) // 3, *compared]
        for question in others:
            args += _asked(question)
        text: bytes = run(self._link, "read", _reading_keys(period), args)
        return text.decode().split("\n")

    def totals(self, periods: Sequence[Period]) -> dict[int, int]:
        """By period (its pk) how many players it has, in one round trip; those that Redis lacks are left out."""
        calls = [
            ScriptCall(script("read"), _reading_keys(period), [*_reading_head(period), "", 0]) for period in periods
        ]
        answers = zip(periods, self._link.try_many(calls), strict=True)
        return {period.pk: int(answer) for period, answer in answers if not isinstance(answer, RedisRefused)}

    def quantiles(self, period: Period, shares: Sequence[int]) -> Quantiles:
        """The rows at shares of the field, in thousandths from the best."""
        keys = [period.family.gen, period.family.zset]
        total, *cells = run(self._link, "quantiles", keys, [period.generation, descending_flag(period), *shares])
        pairs = zip(cells[::2], cells[1::2], strict=True)
        return Quantiles(int(total), [(member.decode(), float(score)) for member, score in pairs])

    def counts(self, period: Period, spans: Sequence[ScoreRange]) -> list[int]:
        """How many players each span of scores holds."""
        args: list[Argument] = [period.generation]
        for span in spans:
            args.append("-inf" if span.start is None else repr(span.start))
            args.append("+inf" if span.stop is None else f"({span.stop!r}")
        return [int(count) for count in run(self._link, "counts", [period.family.gen, period.family.zset], args)]


def _reading_keys(period: Period) -> list[str]:
    return [*ranked_keys(period), period.family.cache_version]


def _reading_head(period: Period) -> list[Argument]:
    """The arguments that ``read`` opens with; without any question it answers with the total alone."""
    in_member = lua_bool(period.layout.in_member)
    return [period.generation, descending_flag(period), period.rules.ties.value, in_member, period.cache_version]


def _reading(period: Period, questions: Sequence[Query], lines: Sequence[str]) -> QueryResult:
    rows = _neighbours(lines[1:], period.rules.ties.by_time)
    return QueryResult(int(lines[0]), [_answer(question, rows) for question in questions])


def _asked(question: Query) -> list[Argument]:
    match question:
        case Page(offset, limit):
            return ["page", offset, limit]
        case Around(player, radius):
            return ["around", player, radius]
        case ForPlayers(players):
            return [part for player in players for part in ("around", player, 0)]


def _answer(question: Query, found: Iterator[list[RankedRow]]) -> list[RankedRow]:
    """The rows of a question: of ``ForPlayers``, those of each player."""
    if isinstance(question, ForPlayers):
        return [row for rows in islice(found, len(question.players)) for row in rows]
    return next(found)


def _neighbours(lines: Sequence[str], alone: bool) -> Iterator[list[RankedRow]]:
    """Rows beside each other, as often as was asked; where nobody shares a rank, the first index says all of them."""
    at = 0
    while at < len(lines):
        first, start, end = int(lines[at]), at + 2, at + 2 + 2 * int(lines[at + 1])
        spots = lines[start:end:2], map(float, lines[start + 1 : end : 2])
        if alone:
            at = end
            yield [*map(RankedRow, *spots, count(first + 1), repeat(1), count(first))]
        else:
            at = end + 3 * (end - start) // 2
            rank, tied, ahead = (map(int, lines[end + part : at : 3]) for part in range(3))
            yield [*map(RankedRow, *spots, rank, tied, ahead)]
