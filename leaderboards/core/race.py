"""The race over time as geometry: which moments become columns, who stands where in each, and the lines between them.

Numbers only: nothing is read here, and no words. The drawing is ``WIDTH`` wide, whatever the screen makes of that, and
``ROW`` high for each row of the table that it stands beside, so that the third line runs into the third row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

MOST_COLUMNS = 14  # with the present, which is the last
LINES = 10
WIDTH, ROW = 480, 44
EDGE = 8  # left free on the left, for the dots that open lines
LANE = 52  # below the rows: where the viewer's own line runs while it is outside of them
IN_LANE = 30  # how far below the rows
_TURNS_APART = 52  # of two numbers that are written at turning points
MOST_TURNS = 6


@dataclass(frozen=True, slots=True)
class RanksThen:
    """Ranks by player at a moment. If it ``is_whole``, players who are missing were not ranked; else their rank is
    unknown."""

    ranks: Mapping[str, int]
    is_whole: bool


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of the drawing, with the rank there."""

    x: int
    y: int
    rank: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """A player's line: ``path`` as SVG has it, where it begins, and (of one's own) where it turns.

    ``has_lane`` if some of it runs below the rows.
    """

    path: str
    start: Dot | None
    turns: tuple[Dot, ...] = ()
    has_lane: bool = False


def columns(moments: Sequence[datetime], end: datetime, most: int = MOST_COLUMNS) -> list[int]:
    """Which of the ``moments`` (in order, all before ``end``) become columns, by number: evenly apart in time, and so
    few that there is room for the present."""
    if not moments:
        return []
    step = (end - moments[0]) / (most - 1)
    chosen = [0]
    for nth, at in enumerate(moments):
        if at - moments[chosen[-1]] >= step and end - at >= step / 2:
            chosen.append(nth)
    return chosen


def across(at: datetime, start: datetime, end: datetime) -> int:
    """How far from the left a moment lies."""
    span = (end - start) / timedelta(seconds=1) or 1.0
    return EDGE + round((WIDTH - EDGE) * min(1.0, max(0.0, (at - start) / timedelta(seconds=1) / span)))


def places(then: RanksThen, order: Sequence[str], above: Mapping[int, int] | None = None) -> list[int | None]:
    """The table row of each player in ``order``: None if they were not ranked, far below if their rank is unknown.

    Equals stand in rows one below the other, in the order that they have now. ``above`` is given where ranks are dense:
    how many stood before each rank.
    """
    found: list[int | None] = []
    met: dict[int, int] = {}
    for player in order:
        rank = then.ranks.get(player)
        if rank is None:
            found.append(None if then.is_whole else LINES * 100)
            continue
        first = rank if above is None else above.get(rank, rank - 1) + 1
        found.append(first + met.get(rank, 0))
        met[rank] = met.get(rank, 0) + 1
    return found


def line(xs: Sequence[int], rows: Sequence[int | None], height: int) -> Drawn:
    """The line of somebody through their ``rows``, of which the last is the one that they have in the table, ``height``
    rows high. What lies below leaves through its lower edge."""
    pen, start = _Pen(), None
    spots = [None if row is None else (x, _middle(min(row, height + 2))) for x, row in zip(xs, rows, strict=True)]
    for nth, (spot, row) in enumerate(zip(spots, rows, strict=True)):
        before, row_before = (spots[nth - 1], rows[nth - 1]) if nth else (None, None)
        if spot is None or row is None:
            continue
        if before is None or row_before is None:
            start = Dot(*spot, row) if row <= height else None
        elif min(row, row_before) <= height:
            pen.draw(before, spot)
    last = spots[-1]
    if last is not None and (len(spots) < 2 or spots[-2] is None):  # nothing is known of just before
        pen.draw((WIDTH - EDGE, last[1]), last)
        start = None if start and start.x == WIDTH else start
    return Drawn(pen.text(), start)


def own_line(xs: Sequence[int], rows: Sequence[int | None], ranks: Sequence[int | None], height: int) -> Drawn:
    """The viewer's own line. Below the rows it runs in a lane, where numbers tell of its turns.

    ``ranks`` are what is written; not the last, which the row tells.
    """
    pen, dots = _Pen(), list[Dot]()
    for nth, (x, row, rank) in enumerate(zip(xs, rows, ranks, strict=True)):
        if row is None:
            continue
        dot = Dot(x, _middle(row) if row <= height else height * ROW + IN_LANE, rank or 0)
        if nth and rows[nth - 1] is not None:
            pen.draw((dots[-1].x, dots[-1].y), (dot.x, dot.y))
        dots.append(dot)
    if rows[-1] is not None and (len(rows) < 2 or rows[-2] is None):
        pen.draw((WIDTH - EDGE, dots[-1].y), (WIDTH, dots[-1].y))
    start = dots[0] if dots and dots[0].x < WIDTH else None
    return Drawn(pen.text(), start, _apart(_turning(dots)), any(dot.y > height * ROW for dot in dots))


def _turning(dots: Sequence[Dot]) -> list[Dot]:
    """The first, and each whose rank was better or worse than those before and after it."""
    found, way = list(dots[:1]), 0
    for before, dot in pairwise(dots):
        step = dot.rank - before.rank
        if step and way and (step > 0) != (way > 0):
            found.append(before)
        way = step or way
    return found


def _apart(turns: Sequence[Dot]) -> tuple[Dot, ...]:
    """Those among which there is room to write, and none so near the end that it would stand in the row."""
    kept: list[Dot] = []
    for turn in turns:
        if (not kept or turn.x - kept[-1].x >= _TURNS_APART) and turn.x <= WIDTH - 2 * EDGE and len(kept) < MOST_TURNS:
            kept.append(turn)
    return tuple(kept)


def _middle(row: int) -> int:
    return row * ROW - ROW // 2


class _Pen:
    """Writes a path in as few characters as it can: level pieces become one, all others are relative curves that leave
    and arrive level."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._level = 0
        self._at: tuple[int, int] | None = None

    def draw(self, one: tuple[int, int], other: tuple[int, int]) -> None:
        """From one point to another."""
        if self._at != one:
            self._pieces += [*self._levelled(), f"M{one[0]} {one[1]}"]
        wide, deep = other[0] - one[0], other[1] - one[1]
        if deep:
            self._pieces += [*self._levelled(), f"c{wide // 2} 0 {wide // 2} {deep} {wide} {deep}"]
        else:
            self._level += wide
        self._at = other

    def text(self) -> str:
        """The path so far."""
        self._pieces += self._levelled()
        return "".join(self._pieces).replace(" -", "-")

    def _levelled(self) -> list[str]:
        level, self._level = self._level, 0
        return [f"h{level}"] if level else []
