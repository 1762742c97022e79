"""The distribution of points on a board, as a histogram with the viewer's bar marked.

It is computed at most every ``CACHE_TTL`` seconds for each period, because it changes slowly and takes two queries.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.core.cache import cache
from django.utils.translation import gettext as _

from foundation.errors import Unavailable
from leaderboards import formats, selectors
from leaderboards.core.ranking.rules import Rules
from leaderboards.models import Board
from leaderboards.selectors import Bin, Distribution, Row, Standings

CACHE_TTL = 30  # seconds
MIN_PLAYERS = 10  # with fewer the table itself shows the distribution
WIDTH, HEIGHT = 600, 140  # stage.css has the width of bars


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the drawing as a stroke (SVG path; empty if it counts nobody), and the texts of its row in the table."""

    path: str
    first: str
    last: str
    count: int


@dataclass(frozen=True, slots=True)
class DistributionChart:
    """The bars, lowest points first. Half and a tenth of the players reach the points ``half`` and ``tenth``."""

    bars: list[Bar]
    histogram: list[Bin]
    lowest: str
    highest: str
    half: str
    tenth: str
    as_of: datetime
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def path(self) -> str:
        """All bars as one SVG path."""
        return "".join(bar.path for bar in self.bars)

    @property
    def words(self) -> str:
        """What the drawing shows, as a sentence."""
        words = _("Half of the players have %(half)s or better, the best tenth %(tenth)s or better.")
        return words % {"half": self.half, "tenth": self.tenth}

    @property
    def seen(self) -> object:
        """Everything that an ETag covers: all but the moment, which alone is no reason to send it anew."""
        return (self.bars, self.lowest, self.highest, self.half, self.tenth)


def distribution_chart(standings: Standings, label: str) -> DistributionChart | None:
    """Return the chart. None if there are few players, if all are equal, or while the data is unavailable."""
    distribution = _cached_distribution(standings.board, label)
    if distribution is None or distribution.total < MIN_PLAYERS or len(distribution.histogram) < 2:
        return None
    return DistributionChart(
        bars=[_bar(standings, distribution, nth) for nth in range(len(distribution.histogram))],
        histogram=distribution.histogram,
        lowest=_text(standings, distribution.histogram[0].from_),
        highest=_text(standings, distribution.histogram[-1].to),
        half=_text(standings, distribution.percentiles["50"]),
        tenth=_text(standings, distribution.percentiles["90"]),
        as_of=distribution.as_of,
    )


def _cached_distribution(board: Board, label: str) -> Distribution | None:
    key = f"spread:{board.seq}:{label}"
    distribution = _decode(cache.get(key))
    if distribution is None:
        try:
            distribution = selectors.distribution(board, label)
        except Unavailable:
            return None
        cache.set(key, _encode(distribution), CACHE_TTL)
    return distribution


def _encode(distribution: Distribution) -> dict[str, Any]:
    """Encode for the cache; numbers become text, so that none is rounded."""
    return {
        "total": distribution.total,
        "as_of": distribution.as_of.isoformat(),
        "live": distribution.live,
        "percentiles": {share: str(value) for share, value in distribution.percentiles.items()},
        "histogram": [[str(each.from_), str(each.to), each.count] for each in distribution.histogram],
    }


def _decode(stored: Any) -> Distribution | None:
    """Decode a cached distribution; None if there is none or its form is unknown."""
    try:
        return Distribution(
            total=int(stored["total"]),
            as_of=datetime.fromisoformat(stored["as_of"]),
            live=bool(stored["live"]),
            percentiles={str(share): _number(value) for share, value in stored["percentiles"].items()},
            histogram=[Bin(_number(from_), _number(to), int(count)) for from_, to, count in stored["histogram"]],
        )
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        return None


def _number(text: str) -> formats.Number:
    return Decimal(text) if "." in text else int(text)


def _bar(standings: Standings, distribution: Distribution, nth: int) -> Bar:
    each, step = distribution.histogram[nth], WIDTH / len(distribution.histogram)
    most = max(other.count for other in distribution.histogram)
    height = max(round(each.count / most * HEIGHT), 2)
    return Bar(
        path=f"M{nth * step + step / 2:g} {HEIGHT}v-{height}" if each.count else "",
        first=_text(standings, each.from_),
        last=_text(standings, each.to),
        count=each.count,
    )


def with_own_bar(html: str, drawing: DistributionChart, rules: Rules, me: Row) -> str:
    """Draw the viewer's bar once more, in colour, in the HTML of ``_spread.html``."""
    bar = drawing.bars[own_bar(drawing, rules, me)]
    return html.replace("</svg>", f'<path class="bar is-mine" d="{bar.path}"/></svg>', 1)


def own_bar(drawing: DistributionChart, rules: Rules, me: Row) -> int:
    """Return the index of the viewer's bar."""
    return _bar_of(drawing.histogram, _value_of(rules, me))


def _bar_of(histogram: list[Bin], mine: formats.Number) -> int:
    """Return the index of the viewer's bar; a value outside the cached range belongs to the outermost bar."""
    inside = (nth for nth, each in enumerate(histogram) if each.from_ <= mine <= each.to)
    return next(inside, 0 if mine < histogram[0].from_ else len(histogram) - 1)


def _value_of(rules: Rules, me: Row) -> formats.Number:
    """Return the viewer's points, or their value of the first criterion."""
    return (me.points or 0) if me.fields is None else me.fields[rules.fields[0].name]


def _text(standings: Standings, value: formats.Number) -> str:
    return formats.points(standings.board, value) if standings.rules.of_points else formats.number(value)
