"""The list of all periods of a board, with dates and winners.

Boards that competitions use have no such list, because a competition may hide its results.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from foundation import clock
from foundation.errors import NotFound
from leaderboards import formats, selectors
from leaderboards.models import Board, Period
from leaderboards.selectors import FinalPlace
from leaderboards.selectors.catalog.periods import period_info
from leaderboards.selectors.rankings.store_routing import totals
from leaderboards.views.components.table_rows import result
from leaderboards.views.components.window_dates import dates_html
from leaderboards.views.http.access import visible_board
from leaderboards.views.http.micro_cache import micro_cached
from leaderboards.views.http.responses import private

PERIODS_A_PAGE = 24
WINNERS_NAMED = 3


@dataclass(frozen=True, slots=True)
class PeriodLine:
    """A period in the list. Only final periods have ``winners`` and ``players`` (the number of ranked players).

    ``more``: more players share the first rank than ``winners`` holds.
    """

    label: str
    dates: str
    is_running: bool
    players: int
    winners: list[FinalPlace]
    more: bool
    result: str


@require_safe
@micro_cached
def periods(request: HttpRequest, seq: int) -> HttpResponse:
    """The periods of a board that have begun, the latest first."""
    try:
        board = visible_board(request, seq)
    except NotFound as error:
        raise Http404(error.detail) from error
    if board.is_event:
        raise Http404(f"Board {seq} counts in competitions.")
    at = clock.now()
    page = Paginator(selectors.periods_begun(board, at), PERIODS_A_PAGE).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "board": board,
        "periods": _lines(board, list(page.object_list), at),
        "number": page.number,
        "pages": page.paginator.num_pages,
    }
    return private(render(request, "leaderboards/periods.html", context))


def _lines(board: Board, listed: list[Period], at: datetime) -> list[PeriodLine]:
    won = selectors.winners(board, [period.label for period in listed], WINNERS_NAMED + 1)
    ranked = totals([period for period in listed if period.label in won])
    return [_line(board, period, won.get(period.label, []), ranked.get(period.pk, 0), at) for period in listed]


def _line(board: Board, period: Period, won: list[FinalPlace], players: int, at: datetime) -> PeriodLine:
    is_running = period.ends_at is None or at < period.ends_at
    return PeriodLine(
        label=period.label,
        dates=dates_html(board, period_info(period), at, names_zone=True) or formats.period_name(board, is_running),
        is_running=is_running,
        players=players,
        winners=won[:WINNERS_NAMED],
        more=len(won) > WINNERS_NAMED,
        result=result(board, won[0]) if won else "",
    )
