"""The calendar file of a board: when its running period and the next ones end, and when windows of a schedule open."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from foundation import clock
from foundation.errors import NotFound
from foundation.ical import CONTENT_TYPE, CalendarMoment, calendar_file, last_change_of
from foundation.sunwi_settings import sunwi_settings
from leaderboards.core.periods import PeriodKind, Window, latest_window, next_window
from leaderboards.errors import BadLabel
from leaderboards.models import Board, PeriodState
from leaderboards.selectors import PeriodInfo
from leaderboards.selectors.catalog.periods import coming_windows
from leaderboards.views.components.window_dates import dates_text
from leaderboards.views.http.access import visible_board
from leaderboards.views.http.responses import private

PERIODS = 6


@require_safe
def board_calendar(request: HttpRequest, seq: int) -> HttpResponse:
    """Return the file. 404 for boards of all time, which end never, and for boards that competitions use."""
    try:
        board = visible_board(request, seq)
    except NotFound as error:
        raise Http404(error.detail) from error
    if board.is_event or board.period == PeriodKind.ALL_TIME:
        raise Http404(f"Board {seq} has no periods of its own that end.")
    file = calendar_file(board.name, _moments(board, clock.now()))
    return calendar_response(file, f"board-{seq}.ics")


def calendar_response(file: bytes, name: str) -> HttpResponse:
    """Return a calendar file under a name."""
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return private(HttpResponse(file, content_type=CONTENT_TYPE, headers=disposition))


def calendar_uid(*parts: object) -> str:
    """Return the UID of an entry: the same for good, and no other site's."""
    host = sunwi_settings.SITE_URL.partition("://")[2].rstrip("/") or "sunwi"
    return f"{'-'.join(map(str, parts))}@{host}"


def _moments(board: Board, at: datetime) -> Iterator[CalendarMoment]:
    changed_at = last_change_of("board", board.seq, board.created_at)
    url = sunwi_settings.SITE_URL.rstrip("/") + reverse("board", args=[board.seq])
    for window in _windows(board, at):
        dates = dates_text(board, PeriodInfo(window.label, window.starts_at, window.ends_at, PeriodState.OPEN), at)
        words = {"name": board.name}
        entries = [("end", window.ends_at, _("%(name)s: the period ends") % words)]
        if board.period == PeriodKind.SCHEDULE:
            entries.insert(0, ("start", window.starts_at, _("%(name)s opens") % words))
        for part, moment, summary in entries:
            if moment is not None:
                uid = calendar_uid("board", board.seq, window.label, part)
                yield CalendarMoment(uid, moment, summary, dates, url, changed_at)


def _windows(board: Board, at: datetime) -> list[Window]:
    """Return the running period and the next ones, six at most; none that begins after the board was retired."""
    if board.period == PeriodKind.SCHEDULE:
        return coming_windows(board, at, PERIODS)
    windows: list[Window] = []
    with suppress(BadLabel):
        window = latest_window(board.calendar, at)
        while len(windows) < PERIODS and not _is_retired_before(board, window):
            windows.append(window)
            window = next_window(board.calendar, window)
    return windows


def _is_retired_before(board: Board, window: Window) -> bool:
    return bool(board.retired_at and window.starts_at and board.retired_at <= window.starts_at)
