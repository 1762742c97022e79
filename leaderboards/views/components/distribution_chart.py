"""How points are spread over a board, as a drawing: bars of a histogram with the viewer's among them.

Measured at most every ``KEPT_SECONDS`` for each period, since a spread moves slowly and takes two questions.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.core.cache import cache

from foundation.errors import Unavailable
from leaderboards import formats, selectors
from leaderboards.core.ranking.rules import Rules
from leaderboards.models import Board
from leaderboards.selectors import Bin, Distribution, Row, Standings

KEPT_SECONDS = 30
FEWEST = 10  # players; below that the table itself shows how they lie
WIDTH, HEIGHT, BETWEEN = 600, 140, 4


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the drawing, and the words for its row in the table."""

    x: str
    y: str
    width: str
    height: str
    first: str
    last: str
    count: int


@dataclass(frozen=True, slots=True)
class DistributionChart:
    """The bars, lowest points first, and what half and a tenth of the players have at least."""

    bars: list[Bar]
    histogram: list[Bin]
    lowest: str
    highest: str
    half: str
    tenth: str
    as_of: datetime
    width: int = WIDTH
    height: int = HEIGHT


def distribution_chart(shown: Standings, label: str) -> DistributionChart | None:
    """None on small boards, on those where all are equal, and where nobody could be asked."""
    found = _measured(shown.board, label)
    if found is None or found.total < FEWEST or len(found.histogram) < 2:
        return None
    return DistributionChart(
        bars=[_bar(shown, found, nth) for nth in range(len(found.histogram))],
        histogram=found.histogram,
        lowest=_text(shown, found.histogram[0].from_),
        highest=_text(shown, found.histogram[-1].to),
        half=_text(shown, found.percentiles["50"]),
        tenth=_text(shown, found.percentiles["90"]),
        as_of=found.as_of,
    )


def _measured(board: Board, label: str) -> Distribution | None:
    key = f"spread:{board.seq}:{label}"
    found = _read(cache.get(key))
    if found is None:
        try:
            found = selectors.distribution(board, label)
        except Unavailable:
            return None
        cache.set(key, _written(found), KEPT_SECONDS)
    return found


def _written(found: Distribution) -> dict[str, Any]:
    """As the cache keeps it: numbers as text, so that none of them is rounded."""
    return {
        "total": found.total,
        "as_of": found.as_of.isoformat(),
        "live": found.live,
        "percentiles": {share: str(value) for share, value in found.percentiles.items()},
        "histogram": [[str(each.from_), str(each.to), each.count] for each in found.histogram],
    }


def _read(kept: Any) -> Distribution | None:
    """The same again; None where nothing, or nothing of ours, was kept."""
    try:
        return Distribution(
            total=int(kept["total"]),
            as_of=datetime.fromisoformat(kept["as_of"]),
            live=bool(kept["live"]),
            percentiles={str(share): _number(value) for share, value in kept["percentiles"].items()},
            histogram=[Bin(_number(from_), _number(to), int(count)) for from_, to, count in kept["histogram"]],
        )
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        return None


def _number(text: str) -> formats.Number:
    return Decimal(text) if "." in text else int(text)


def _bar(shown: Standings, found: Distribution, nth: int) -> Bar:
    each, step = found.histogram[nth], WIDTH / len(found.histogram)
    most = max(other.count for other in found.histogram)
    height = max(each.count / most * HEIGHT, 2.0) if each.count else 0.0
    return Bar(
        x=f"{nth * step + BETWEEN / 2:.1f}",
        y=f"{HEIGHT - height:.1f}",
        width=f"{step - BETWEEN:.1f}",
        height=f"{height:.1f}",
        first=_text(shown, each.from_),
        last=_text(shown, each.to),
        count=each.count,
    )


def with_own_bar(text: str, found: DistributionChart, rules: Rules, me: Row) -> str:
    """The drawing and its table as ``_spread.html`` wrote them for anybody, with the viewer's bar marked in both."""
    nth = _bar_of(found.histogram, _leading(rules, me))
    marked = text.replace(f'class="bar" data-bar="{nth}"', f'class="bar is-mine" data-bar="{nth}"')
    marked = marked.replace(f'<tr data-bar="{nth}">', f'<tr class="is-mine" data-bar="{nth}">')
    return marked.replace('class="spread-mine" hidden', 'class="spread-mine"')


def _bar_of(histogram: list[Bin], mine: formats.Number) -> int:
    """Which bar is the viewer's; who has left the measured range stands in the outermost."""
    inside = (nth for nth, each in enumerate(histogram) if each.from_ <= mine <= each.to)
    return next(inside, 0 if mine < histogram[0].from_ else len(histogram) - 1)


def _leading(rules: Rules, me: Row) -> formats.Number:
    """What the viewer is spread by: their points, or the criterion that is compared first."""
    return (me.points or 0) if me.fields is None else me.fields[rules.fields[0].name]


def _text(shown: Standings, value: formats.Number) -> str:
    return formats.points(shown.board, value) if shown.rules.of_points else formats.number(value)
