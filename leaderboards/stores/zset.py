"""Reading standings from the Redis sorted set: each call one script, one moment, one round trip.

The trap: a script answers only for the generation that the caller's ``Period`` row names;
otherwise ``Stale`` says that Redis is away for this period.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from foundation import lua
from foundation.redis import Argument, Link, RedisRefused
from leaderboards.core.rules import Order
from leaderboards.models import Period
from leaderboards.stores.base import Around, Named, Page, Placed, Quantiles, Question, Reading, Span, Stale

_SCRIPTS = Path(__file__).parent / "scripts"


@cache
def script(name: str) -> lua.Script:
    """The script of that name."""
    return lua.load(_SCRIPTS / f"{name}.lua")


def run(link: Link, name: str, keys: Sequence[str], args: Sequence[Argument]) -> Any:
    """Run a script. Raises ``Stale``, or what the link raises."""
    try:
        return link.run(script(name), keys, args)
    except RedisRefused as error:
        if "STALE" in error.detail:
            raise Stale("Redis does not have this period's present state.") from error
        raise


def flag(value: bool) -> str:
    """A truth for Lua."""
    return "1" if value else "0"


def is_descending(period: Period) -> str:
    """Whether more is better, for Lua."""
    return flag(period.rules.order is Order.DESC)


def ranked_keys(period: Period) -> list[str]:
    """The keys that nearly every script opens with: generation, zset, members, distinct scores."""
    family = period.family
    return [family.gen, family.zset, family.members, family.scores]


class ZsetStore:
    """Standings as Redis shows them."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def read(self, period: Period, questions: Sequence[Question]) -> Reading:
        """Answer all questions from one moment of the period, in one round trip."""
        args: list[Argument] = [
            period.generation,
            is_descending(period),
            period.rules.ties.value,
            flag(period.layout.in_member),
        ]
        for question in questions:
            args += _asked(question)
        total, *answers = run(self._link, "read", ranked_keys(period), args)
        return Reading(int(total), [_placed(answer) for answer in answers])

    def quantiles(self, period: Period, shares: Sequence[int]) -> Quantiles:
        """The rows at shares of the field, in thousandths from the best."""
        keys = [period.family.gen, period.family.zset]
        total, *cells = run(self._link, "quantiles", keys, [period.generation, is_descending(period), *shares])
        pairs = zip(cells[::2], cells[1::2], strict=True)
        return Quantiles(int(total), [(member.decode(), float(score)) for member, score in pairs])

    def counts(self, period: Period, spans: Sequence[Span]) -> list[int]:
        """How many players each span of scores holds."""
        args: list[Argument] = [period.generation]
        for span in spans:
            args.append("-inf" if span.start is None else repr(span.start))
            args.append("+inf" if span.stop is None else f"({span.stop!r}")
        return [int(count) for count in run(self._link, "counts", [period.family.gen, period.family.zset], args)]


def _asked(question: Question) -> list[Argument]:
    match question:
        case Page(offset, limit):
            return ["page", offset, limit]
        case Around(player, radius):
            return ["around", player, radius]
        case Named(players):
            return ["named", len(players), *players]


def _placed(cells: Sequence[Any]) -> list[Placed]:
    rows = zip(*(iter(cells),) * 5, strict=True)
    return [
        Placed(member.decode(), float(score), int(rank), int(tied), int(ahead))
        for member, score, rank, tied, ahead in rows
    ]
