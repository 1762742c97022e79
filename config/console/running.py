"""The table of boards on the admin's home page: busiest first, with players, scores, refusals and time left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from config.console.marks import Mark, marks_of
from config.console.tiles import percent
from config.console.troubles import Trouble, is_redis_down
from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import Unavailable
from foundation.monitoring.minutes import Hour, Minute
from leaderboards.core.periods import latest_window, next_opening
from leaderboards.core.sparks import Spark, spark
from leaderboards.errors import BadBoard
from leaderboards.formats import number, period_dates, period_name, time_left
from leaderboards.models import Board, Storage
from leaderboards.selectors.catalog.periods import PeriodInfo
from leaderboards.selectors.catalog.running import running_periods
from leaderboards.selectors.monitoring.lag import stale_periods

SHOWN = 8
MOST_COUNTED = 1000


@dataclass(frozen=True, slots=True)
class Line:
    """A board in the table. ``trouble`` replaces the bars: the board takes no scores, is not live, or goes on while
    nobody can tell its scores a minute. ``trouble_class`` is that of the page: how grave it is."""

    mark: Mark
    period: str
    players: str
    spark: Spark | None
    scores: str
    refused: str
    ends_in: str
    trouble: str
    trouble_class: str


@dataclass(frozen=True, slots=True)
class Boards:
    """The lines, the number of all boards, and how many scores a minute the highest bar of all lines is."""

    lines: Sequence[Line]
    total: int
    most: int = 0


def boards_running(hour: Hour | None, troubles: Sequence[Trouble], at: datetime) -> Boards:
    """Return the busiest boards of the last hour, filled up with the oldest ones."""
    total = hour.total if hour else Minute()
    used = Board.objects.filter(Q(retired_at=None) | Q(retired_at__gt=at))
    boards = _busiest(used, total)
    players = _players(boards)
    stale = _stale(boards)
    without_redis = is_redis_down(troubles)
    marks = marks_of(boards)
    most = _most(hour, boards)
    lines = []
    for board in boards:
        trouble, trouble_class = _trouble(board, stale, without_redis)
        if without_redis and not trouble and hour is None:
            trouble = _("goes on")
        lines.append(
            Line(
                marks[board.seq],
                _period(board, at),
                number(players[board.seq]) if board.seq in players else "–",
                None if hour is None else spark(hour.of_board(board.seq), most),
                number(total.by_board[str(board.seq)]) if hour else "–",
                _refused(total, board) if hour else "–",
                _ends_in(board, at),
                trouble,
                trouble_class,
            )
        )
    return Boards(lines, used.order_by()[:MOST_COUNTED].count(), most)


def _most(hour: Hour | None, boards: Sequence[Board]) -> int:
    """Return the most scores of one board in one minute; 0 while nobody knows."""
    counts = (count or 0 for board in boards for count in (hour.of_board(board.seq) if hour else ()))
    return max(counts, default=0)


def _busiest(used: QuerySet[Board], total: Minute) -> list[Board]:
    numbers = [int(name) for name, _count in total.by_board.most_common(2 * SHOWN) if name.isdigit()]
    by_number = used.in_bulk(numbers)
    busy = [by_number[seq] for seq in numbers if seq in by_number][:SHOWN]
    if len(busy) < SHOWN:
        others = used.exclude(pk__in=[each.pk for each in busy]).order_by("seq")[: SHOWN - len(busy)]
        busy += list(others)
    return busy


def _players(boards: Sequence[Board]) -> Mapping[int, int]:
    """Return the number of players by board; without those that no store can count now."""
    try:
        running = running_periods(boards)
        return {seq: each.total for seq, each in running.items() if each.total is not None}
    except (Unavailable, *CONNECTION_ERRORS):
        return {}


def _stale(boards: Sequence[Board]) -> set[int]:
    """Return the boards with a stale period; they are not live."""
    rows = stale_periods().filter(board__in=boards)
    return set(rows.order_by().values_list("board_id", flat=True).distinct())


def _trouble(board: Board, stale: set[int], without_redis: bool) -> tuple[str, str]:
    if without_redis and board.storage == Storage.REDIS:
        return _("takes no scores"), "is-bad"
    if without_redis and board.storage == Storage.HYBRID:
        return _("from SQL"), "is-warning"
    return (_("not live: being brought up to date"), "is-warning") if board.seq in stale else ("", "is-well")


def _period(board: Board, at: datetime) -> str:
    if board.is_event:
        return _("in competitions")
    try:
        window = latest_window(board.calendar, at)
        shown = PeriodInfo(window.label, window.starts_at, window.ends_at, "")
        today = at.astimezone(ZoneInfo(board.timezone)).date()
        return period_dates(board, shown, today) or period_name(board, running=True)
    except BadBoard:  # invalid settings stored by an older release
        return ""


def _ends_in(board: Board, at: datetime) -> str:
    try:
        window = None if board.is_event else latest_window(board.calendar, at)
    except BadBoard:
        return "–"
    ends_at = window.ends_at if window else None
    if ends_at is not None and ends_at <= at:
        opens_at = next_opening(board.calendar, at)
        return _("opens in %(time)s") % {"time": _left(opens_at, at)} if opens_at else "–"
    return _left(ends_at, at) if ends_at else "–"


def _left(until: datetime, at: datetime) -> str:
    return time_left(int((until - at).total_seconds()))


def _refused(total: Minute, board: Board) -> str:
    sent = total.by_board[str(board.seq)]
    return f"{percent(total.refused_by_board[str(board.seq)] / sent)} %" if sent else "–"
