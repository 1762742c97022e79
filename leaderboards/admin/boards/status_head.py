"""What stands above a board's settings: whether it is live, its running period, the best rows, what waits, what comes.

Each part is read on its own, within a budget of SQL time, so that a server that is away costs its part alone. Nothing
here changes anything.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from foundation.db.blocks import Block, Budget
from foundation.monitoring import minutes
from leaderboards import formats, selectors
from leaderboards.admin.boards.best_rows import SHOWN, Best, best_in
from leaderboards.admin.boards.liveness import Liveness, liveness_of
from leaderboards.admin.boards.waiting import Waiting, waiting_on
from leaderboards.admin.wording.descriptions import on_the_boards_clock
from leaderboards.admin.wording.periods import competition_of, dates_in_words, period_title
from leaderboards.core.periods import PeriodKind, Window, latest_window, next_window
from leaderboards.core.sparks import Spark, spark
from leaderboards.errors import BadLabel
from leaderboards.models import Board, Period
from leaderboards.selectors.catalog.periods import CURRENT, PeriodInfo, opening, period_info
from leaderboards.services import events

COMING = 3
LATEST_EVENTS = 5


@dataclass(frozen=True, slots=True)
class Running:
    """The running period (or the one that ended last) in words, and what the clock counts down to, if anything.

    ``number`` is that of its row; None before its first score.
    """

    title: str
    until: datetime | None
    seconds: int
    opens: bool
    when: str
    best: Best
    number: int | None


@dataclass(frozen=True, slots=True)
class Pace:
    """Submissions of the last whole minute and of the last hour, as text, with the drawing of the hour."""

    minute: str
    line: str
    spark: Spark | None


@dataclass(frozen=True, slots=True)
class Coming:
    """A period to come: its dates, and when it starts on the board's clock; a competition has an address instead."""

    title: str
    when: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class BoardHead:
    """The parts; ``running`` is None for a board of competitions, whose latest periods are in ``coming``."""

    liveness: Block[Liveness]
    running: Block[Running] | None
    pace: Block[Pace | None]
    waiting: Block[list[Waiting]]
    coming: Block[Sequence[Coming]]


def board_head(request: HttpRequest, board: Board, at: datetime) -> BoardHead:
    """Return what is known of a board at ``at`` (UTC). Raises nothing: a part that cannot be read says so."""
    budget = Budget()

    def read(what: str, part: Callable[..., Any], *of: Any) -> Block[Any]:
        return budget.read(what, partial(part, *of))

    return BoardHead(
        read("whether a board is live", liveness_of, board),
        None if board.is_event else read("a running period", _running, request, board),
        read("scores a minute", _pace, board),
        read("what waits on a board", waiting_on, request, board),
        read("what comes on a board", _events if board.is_event else _coming, board, at),
    )


def _running(request: HttpRequest, board: Board) -> Running:
    page = selectors.board_page(board, CURRENT, 0, SHOWN, None)
    found, at, period = page.standings, page.standings.as_of, page.standings.period
    opens_at = opening(board, period, at)
    until = opens_at or _ahead(period.ends_at, at)
    return Running(
        period_title(board, period, at),
        until,
        max(0, int((until - at).total_seconds())) if until else 0,
        opens_at is not None,
        _when(board, period, until, opens=opens_at is not None),
        best_in(request, found),
        page.stored.pk if page.stored else None,
    )


def _when(board: Board, period: PeriodInfo, until: datetime | None, *, opens: bool) -> str:
    if until is not None:
        text = _("opens %(when)s") if opens else _("ends %(when)s")
        return text % {"when": _with_zone(until, board)}
    if period.ends_at is not None:
        return _("ended %(when)s") % {"when": _with_zone(period.ends_at, board)}
    return _("It never ends.")


def _with_zone(at: datetime, board: Board) -> str:
    """A time on the board's clock with the name of its zone: Mon 30 Nov 00:00 KST (Asia/Seoul)."""
    text = on_the_boards_clock(at, board)
    return text if text.endswith(f" {board.timezone}") else f"{text} ({board.timezone})"


def _pace(board: Board) -> Pace | None:
    """Return the pace; None while the page cache's Redis does not answer."""
    hour = minutes.last_hour()
    if hour is None:
        return None
    counts, total = hour.of_board(board.seq), hour.total
    name = str(board.seq)
    known = [count for count in counts[:-1] if count is not None]
    sent, refused = total.by_board[name], total.refused_by_board[name]
    words = {"number": formats.number(sent), "refused": formats.number(refused)}
    line = _("%(number)s in the last hour")
    if refused:
        line = _("%(number)s in the last hour, %(refused)s of them refused")
    return Pace(formats.number(known[-1] if known else sent), line % words, spark(counts))


def _coming(board: Board, at: datetime) -> list[Coming]:
    return [
        Coming(dates_in_words(board, _info(window), at), on_the_boards_clock(window.starts_at, board))
        for window in islice(_windows(board, at), COMING)
        if window.starts_at is not None
    ]


def _windows(board: Board, at: datetime) -> Iterator[Window]:
    """Yield the windows that start after ``at``, up to the end of a retired board."""
    if board.period == PeriodKind.ALL_TIME:
        return
    window = latest_window(board.calendar, at)
    while True:
        try:
            window = next_window(board.calendar, window)
        except BadLabel:
            return
        if board.retired_at and window.starts_at and board.retired_at <= window.starts_at:
            return
        yield window


def _info(window: Window) -> PeriodInfo:
    return PeriodInfo(window.label, window.starts_at, window.ends_at, "")


def _events(board: Board, at: datetime) -> list[Coming]:
    """Return the latest competitions of a board, each with its end."""
    periods = list(Period.objects.filter(board=board, label__regex=r"^c[0-9]+$").order_by("-starts_at")[:LATEST_EVENTS])
    names = events.source().names([competition_of(each.label) for each in periods]) if periods else {}
    return [
        Coming(
            names.get(competition_of(period.label), period.label),
            _when(board, period_info(period), _ahead(period.ends_at, at), opens=False),
            reverse("admin:leaderboards_period_change", args=[period.pk]),
        )
        for period in periods
    ]


def _ahead(ends_at: datetime | None, at: datetime) -> datetime | None:
    return ends_at if ends_at is not None and ends_at > at else None
