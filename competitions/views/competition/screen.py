"""A competition on a big screen (``?screen=1``): as a board's (``leaderboards/views/board_pages/screen.py``)."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html

from competitions.core.lifecycle import Phase
from competitions.models import Competition
from competitions.selectors.standings.race import recent_movement
from competitions.selectors.standings.standings import standings
from competitions.views.competition.words import timed_of
from leaderboards.views.board_pages.screen import ROWS, screen_response, shown_page
from leaderboards.views.http.micro_cache import expire_cache_at
from leaderboards.views.http.poll_interval import LIVE_EVERY_SECONDS


def screen(request: HttpRequest, competition: Competition, at: datetime) -> HttpResponse:
    """Show ten of the best fifty rows that the public may see."""
    expire_cache_at(request, competition.timeline.phase_changes_at, at)
    shown = standings(competition, at, (shown_page(request) - 1) * ROWS, ROWS)
    words = _words(competition, at)
    own = {
        "title": competition.name,
        "zone": competition.timezone,
        "period": words,
        "live": LIVE_EVERY_SECONDS if words["seconds_left"] is not None or words["opens_at"] else 0,
        "shows_nothing": competition.timeline.shows_nothing(at),
    }
    return screen_response(request, shown, recent_movement(competition, shown, at), own)


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
