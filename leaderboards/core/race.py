"""The geometry of the race over time: which moments become columns, a player's row in each, and the lines between.

The drawing is ``WIDTH`` units wide and ``ROW`` high for each row of the table beside it, so that a player's line ends
at the player's row. Paths have their heights in half rows (``UNIT``), which are mostly whole numbers and so short.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

MOST_COLUMNS = 14  # including the present, which is the last
LINES = 10
WIDTH, ROW = 480, 44
UNIT = ROW // 2
EDGE = 8  # margin on the left, for the dots at the start of lines
LANE = 52  # height of the lane below the rows, for the viewer's own line while the viewer is below the table
IN_LANE = 30  # distance of that line from the rows
_SAME_WIDTH = 4  # curves that differ by no more continue each other
_TURN_DISTANCE = 52  # minimum between two labelled turning points
MOST_TURNS = 6


@dataclass(frozen=True, slots=True)
class RanksThen:
    """Ranks by player at a moment. If not ``is_whole``, the rank of a missing player is unknown; else they had none."""

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
    """A player's line: an SVG ``path``, its start, and for the viewer's own line its turning points.

    ``has_lane`` is set if a part of it is below the rows.
    """

    path: str
    start: Dot | None
    turns: tuple[Dot, ...] = ()
    has_lane: bool = False


def columns(moments: Sequence[datetime], end: datetime, most: int = MOST_COLUMNS) -> list[int]:
    """Choose the ``moments`` (sorted, all before ``end``) that become columns; returns their indexes.

    They are evenly spaced in time, and leave room for the column of the present.
    """
    if not moments:
        return []
    step = (end - moments[0]) / (most - 1)
    indexes = [0]
    for index, at in enumerate(moments):
        if at - moments[indexes[-1]] >= step and end - at >= step / 2:
            indexes.append(index)
    return indexes


def across(at: datetime, start: datetime, end: datetime) -> int:
    """Return the x coordinate of a moment."""
    span = (end - start) / timedelta(seconds=1) or 1.0
    return EDGE + round((WIDTH - EDGE) * min(1.0, max(0.0, (at - start) / timedelta(seconds=1) / span)))


def places(then: RanksThen, order: Sequence[str], above: Mapping[int, int] | None = None) -> list[int | None]:
    """Return the table row of each player in ``order``: None if they were not ranked, far below if it is unknown.

    Players who share a rank get consecutive rows, in the present order. For dense ranks, ``above`` is the number of
    players before each rank.
    """
    rows: list[int | None] = []
    seen: dict[int, int] = {}  # by rank: how many players with it already have a row
    for player in order:
        rank = then.ranks.get(player)
        if rank is None:
            rows.append(None if then.is_whole else LINES * 100)
            continue
        first = rank if above is None else above.get(rank, rank - 1) + 1
        rows.append(first + seen.get(rank, 0))
        seen[rank] = seen.get(rank, 0) + 1
    return rows


def line(xs: Sequence[int], rows: Sequence[int | None], height: int) -> Drawn:
    """Return the line of a player through their ``rows``, the last of which is the present one.

    The table has ``height`` rows; rows below it are drawn as leaving through the lower edge.
    """
    pen, start = _Pen(), None
    points = [None if row is None else (x, _middle(min(row, height + 2))) for x, row in zip(xs, rows, strict=True)]
    for nth, (point, row) in enumerate(zip(points, rows, strict=True)):
        previous, previous_row = (points[nth - 1], rows[nth - 1]) if nth else (None, None)
        if point is None or row is None:
            continue
        if previous is None or previous_row is None:
            start = Dot(*point, row) if row <= height else None
        elif min(row, previous_row) <= height:
            pen.draw(previous, point)
    last = points[-1]
    if last is not None and (len(points) < 2 or points[-2] is None):  # the column before is unknown
        pen.draw((WIDTH - EDGE, last[1]), last)
        start = None if start and start.x == WIDTH else start
    return Drawn(pen.text(), start)


def own_line(xs: Sequence[int], rows: Sequence[int | None], ranks: Sequence[int | None], height: int) -> Drawn:
    """Return the viewer's own line. Below the rows it runs in a lane, with the ranks at its turning points.

    ``ranks`` are the labels; the last one is not written, since the table's row shows it.
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
    return Drawn(pen.text(), start, _with_room(_turning_points(dots)), any(dot.y > height * ROW for dot in dots))


def _turning_points(dots: Sequence[Dot]) -> list[Dot]:
    """Return the first dot, and each where the rank changes direction."""
    turns, direction = list(dots[:1]), 0
    for previous, dot in pairwise(dots):
        step = dot.rank - previous.rank
        if step and direction and (step > 0) != (direction > 0):
            turns.append(previous)
        direction = step or direction
    return turns


def _with_room(turns: Sequence[Dot]) -> tuple[Dot, ...]:
    """Return the turning points that have room for a label, at most ``MOST_TURNS``."""
    labelled: list[Dot] = []
    for turn in turns:
        has_distance = not labelled or turn.x - labelled[-1].x >= _TURN_DISTANCE
        if has_distance and turn.x <= WIDTH - 2 * EDGE and len(labelled) < MOST_TURNS:
            labelled.append(turn)
    return tuple(labelled)


def in_units(height: int) -> str:
    """Return a height of the drawing in units of its paths."""
    return f"{height / UNIT:.2f}".rstrip("0").rstrip(".")


def _middle(row: int) -> int:
    return row * ROW - ROW // 2


class _Pen:
    """Writes a short SVG path: consecutive horizontal pieces become one, others are relative curves.

    A curve right after one of the same width continues it (``s``): its first control point mirrors the last one there.
    """

    def __init__(self) -> None:
        self._commands: list[str] = []
        self._horizontal = 0  # length of the horizontal piece that is not written yet
        self._curve = 0  # width of the curve that was written last, 0 if something else was
        self._at: tuple[int, int] | None = None

    def draw(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Draw from one point to another."""
        if self._at != start:
            self._write(f"M{start[0]} {in_units(start[1])}")
        dx, dy = end[0] - start[0], end[1] - start[1]
        if dy:
            self._draw_curve(dx, in_units(dy))
        else:
            self._horizontal += dx
        self._at = end

    def _draw_curve(self, dx: int, dy: str) -> None:
        continues = self._curve and not self._horizontal and abs(self._curve - dx) <= _SAME_WIDTH
        self._write(f"s{dx // 2} {dy} {dx} {dy}" if continues else f"c{dx // 2} 0 {dx // 2} {dy} {dx} {dy}")
        self._curve = dx

    def _write(self, command: str) -> None:
        self._commands += [*self._take_horizontal(), command]
        self._curve = 0

    def text(self) -> str:
        """Return the path so far."""
        self._commands += self._take_horizontal()
        return "".join(self._commands).replace(" -", "-")

    def _take_horizontal(self) -> list[str]:
        length, self._horizontal = self._horizontal, 0
        return [f"h{length}"] if length else []
