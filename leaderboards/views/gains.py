"""Points by day: what each row has gained today and on the days before, as text and as bars.

Told on boards that add points up, against what was kept of the start of each day (``selectors/race.py``). The last day
is counted to what the row shows, so it is as live as that.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from leaderboards import formats
from leaderboards.core.points import points_number, scaled
from leaderboards.core.rules import Update
from leaderboards.models import Board
from leaderboards.selectors import Row, Standings
from leaderboards.selectors.race import MOST_DAYS, NEVER, Day, Past, Then

APART, HIGHEST = 8, 22  # of the bars: how far from one to the next, how high
MINUS = "\N{MINUS SIGN}"


class Gains(NamedTuple):
    """``by_day`` as far as it is known, the earliest first; the last is the day that runs, or the period's last."""

    by_day: tuple[int | None, ...]
    today: str


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of a page: the gains of its players, and the most that anybody gained in a day.

    ``has_today`` while the period runs.
    """

    gains: Mapping[str, Gains]
    most: int
    has_today: bool


def gains(found: Standings, past: Past, then: Mapping[str, Then], *, runs: bool) -> Told | None:
    """None where there is nothing to tell: on boards that do not add up, and where no start of a day is known."""
    rules = found.rules
    if not rules.of_points or rules.update is not Update.INCREMENT:
        return None
    if not any(day.look or day.is_first for day in past.days):
        return None
    each = {row.player: gains_of(found, row, past, then.get(row.player, NEVER)) for row in found.rows}
    most = max((gain or 0 for gained in each.values() for gain in gained.by_day), default=0)
    return Told(each, most, runs)


def gains_of(found: Standings, row: Row, past: Past, then: Then) -> Gains:
    """What one row has gained."""
    starts = [_had(day, then) for day in past.days]
    ends = [*starts[1:], scaled(row.points or 0, found.rules.decimals)]
    by_day = tuple(None if a is None or b is None else b - a for a, b in zip(starts, ends, strict=True))
    return Gains(by_day, signed(found.board, by_day[-1], found.rules.decimals))


def signed(board: Board, gain: int | None, decimals: int) -> str:
    """+214, with the sign that a fall has; nothing where it is not known."""
    if gain is None:
        return ""
    text = formats.points(board, points_number(abs(gain), decimals))
    return text if not gain else f"{'+' if gain > 0 else MINUS}{text}"


def cells(told: Told, gained: Gains) -> str:
    """The cells of a row: its days as bars, and what it has gained today."""
    today = f'<td class="today">{gained.today}</td>' if told.has_today else ""
    return f'<td class="days">{_bars(gained, told.most)}</td>{today}'


def no_cells(told: Told | None) -> str:
    """The same of a row of which nothing is known."""
    return "" if told is None else cells(told, Gains((None,), ""))


def _bars(gained: Gains, most: int) -> str:
    """The days beside each other, the last one by itself; listeners hear the numbers."""
    by_day = gained.by_day
    drawn = [
        "" if gain is None else _bar(nth, _height(gain, most))
        for nth, gain in enumerate(by_day, MOST_DAYS - len(by_day))
    ]
    paths = "".join(f'<path d="{path}"/>' for path in ("".join(drawn[:-1]), drawn[-1]))
    if not any(drawn):
        return ""
    heard = ", ".join("–" if gain is None else str(gain) for gain in by_day)
    return f'<svg role="img" aria-label="{heard}">{paths}</svg>'


def _bar(nth: int, high: int) -> str:
    return f"M{3 + nth * APART} 24v-{high}"


def _height(gain: int, most: int) -> int:
    return min(HIGHEST, max(1, round(HIGHEST * gain / most))) if most > 0 else 1


def _had(day: Day, then: Then) -> int | None:
    """The points at the start of a day; None where they are not known."""
    if day.is_first:
        return 0
    if day.look is None:
        return None
    return then.points.get(day.look.pk, 0 if day.look.is_whole else None)
