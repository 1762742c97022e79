"""A competition on a big screen (``?screen=1``): as a board's (``leaderboards/views/board_pages/screen.py``)."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html

from competitions.core.lifecycle import Phase
from competitions.models import Competition
from competitions.selectors.standings.standings import standings
from competitions.views.competition.words import timed_of
from leaderboards.views.board_pages.screen import EVERY_SECONDS, MAX_PAGES, ROWS
from leaderboards.views.components.table_rows import columns, lines
from leaderboards.views.http.micro_cache import expire_cache_at
from leaderboards.views.http.responses import page_number, pages_of, private


def screen(request: HttpRequest, competition: Competition, at: datetime) -> HttpResponse:
    """Show ten of the best fifty rows that the public may see."""
    expire_cache_at(request, competition.timeline.phase_changes_at, at)
    number = min(page_number(request), MAX_PAGES)
    shown = standings(competition, at, (number - 1) * ROWS, ROWS)
    pages = min(MAX_PAGES, pages_of(shown.total, ROWS))
    context: dict[str, Any] = {
        "board": competition.board,
        "title": competition.name,
        "zone": competition.timezone,
        "standings": shown,
        "period": _words(competition, at),
        "columns": columns(shown),
        "lines": lines(shown, shown.rows, None),
        "number": number,
        "pages": pages,
        "following": number % pages + 1,
        "every": EVERY_SECONDS,
        "shows_nothing": competition.timeline.shows_nothing(at),
    }
    return private(render(request, "leaderboards/screen.html", context))


def _words(competition: Competition, at: datetime) -> dict[str, Any]:
    is_coming = competition.phase(at) in (Phase.OPEN, Phase.DRAFT)
    ends = competition.starts_at, competition.ends_at
    until = competition.starts_at if is_coming else competition.ends_at
    left = int((until - at).total_seconds())
    is_over = left <= 0 or competition.cancelled_at is not None
    return {
        "name": format_html(
            '{} – {} <span class="zone">{}</span>',
            *(timed_of(competition, each, at) for each in ends),
            competition.timezone,
        ),
        "ends_at": competition.ends_at,
        "seconds_left": None if is_over or is_coming else left,
        "opens_at": competition.starts_at if is_coming and not is_over else None,
        "opens_in": left,
        "is_final": competition.ends_at <= at,
    }
