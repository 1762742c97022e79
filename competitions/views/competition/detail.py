"""A competition's page: the standings that the public may see, and the viewer's own place.

The live parts are also served alone, as on a board's page. The trap: anything in a part or its ETag may reveal what a
freeze hides, so all data must come from selectors that respect the freeze. Only the player's own points are exempt.
"""

from datetime import datetime
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from competitions.core.comments import closes_at
from competitions.core.lifecycle import Phase
from competitions.models import Competition
from competitions.selectors.results.review import review_until
from competitions.selectors.standings.standings import page as page_of_rows
from competitions.views.access import as_seen, own_player, visible
from competitions.views.competition.following import followed_rows, following_context, is_of_followed
from competitions.views.competition.page_extras import extras
from competitions.views.competition.race import no_race, race_of
from competitions.views.competition.result import result_of, stands
from competitions.views.competition.screen import screen
from competitions.views.competition.share import competition_preview
from competitions.views.competition.words import timed_of
from competitions.views.participants.joining import join
from competitions.views.participants.own_team import wish_of
from competitions.views.participants.participants import known_of
from competitions.views.participants.teams_and_divisions import best_teams, tabs_of
from foundation import clock
from foundation.db.resilience import SqlAway, ask
from leaderboards.stores.base import Page
from leaderboards.views.components.lead import lead_of
from leaderboards.views.components.table_rows import lines
from leaderboards.views.components.tables import table, viewer_card
from leaderboards.views.http.embedding import frameable
from leaderboards.views.http.micro_cache import expire_cache_at, micro_cached
from leaderboards.views.http.poll_interval import LIVE_EVERY_SECONDS
from leaderboards.views.http.responses import ROWS, etag_of, etag_parts, page_number, page_response
from leaderboards.views.http.viewer import Viewer, remember, viewer_of


@require_http_methods(["GET", "HEAD", "POST"])
@frameable
@micro_cached
def competition(request: HttpRequest, number: int) -> HttpResponse:
    """Show a competition; join it on POST."""
    shown, refused = visible(request, number), ""
    if request.method == "POST":
        if not request.user.is_authenticated:
            return redirect_to_login(request.path)
        refused = join(shown, own_player(request), request.POST.get("code", ""), wish_of(request))
        if not refused:
            return redirect("competition", number)
    return _answer(request, shown, refused)


def _answer(request: HttpRequest, shown: Competition, refused: str) -> HttpResponse:
    viewer = viewer_of(request)
    with as_seen(shown, viewer):
        return _render(request, shown, viewer, refused)


def _render(request: HttpRequest, shown: Competition, viewer: Viewer, refused: str) -> HttpResponse:
    at = clock.now()
    if "screen" in request.GET:
        return screen(request, shown, at)
    until = _review_until(shown, shown.phase(at))
    commented_until = closes_at(shown.ends_at, shown.cancelled_at)
    expire_cache_at(request, (*shown.timeline.phase_changes_at, shown.join_until, until, commented_until), at)
    context, etag = _parts(request, shown, viewer, until, at)
    if "fragment" in request.GET:
        return page_response(request, "competitions/competition", context, etag)
    context |= extras(request, shown, viewer, at) | {"refused": refused}
    context["preview"] = competition_preview(shown, context["standings"], context["me"], at)
    response = page_response(request, "competitions/competition", context, etag)
    remember(request, response, viewer)
    return response


def _parts(
    request: HttpRequest, shown: Competition, viewer: Viewer, until: datetime | None, at: datetime
) -> tuple[dict[str, Any], str]:
    """Return the context of the live parts and its ETag; ``until`` is the end of the jury's review, if any."""
    number = page_number(request)
    followed = followed_rows(request, shown, viewer, at) if is_of_followed(request) else None
    first = (number - 1) * ROWS if followed is None else 0
    page = page_of_rows(shown, at, Page(first, ROWS), viewer.player)
    phase, states = shown.phase(at), known_of(shown, page, viewer, at)
    states["result"] = result_of(shown, page, number, at)
    states |= tabs_of(shown) | best_teams(shown, viewer, at)
    since = shown.timeline.frozen_since
    provisional_until = timed_of(shown, until, at) if until and at < until else ""
    head = (phase, shown.name, since, provisional_until, at >= shown.ends_at)
    race = race_of(shown, page, number, at) if followed is None else no_race()
    seen = (*head, viewer, etag_parts(page.standings), page.me, page.neighbours, states, race, followed)
    context = {
        "competition": shown,
        "provisional_until": provisional_until,
        "board": shown.board,
        "share_path": reverse("competition-share", args=[shown.pk]),
        "viewer": viewer,
        "race": race,
        "standings": page.standings,
        **_when(shown, phase, at),
        "phase_word": stands(phase, states["result"]),
        **states,
        **(table(page, viewer, number) if followed is None else following_context(followed, page, viewer, number)),
        **viewer_card(page, shown.timezone),
    }
    first_lines = context["lines"] if followed is None else lines(page.standings, page.standings.rows[:1], None)
    context["lead"] = lead_of(page.standings, first_lines)
    return context, etag_of(seen, number)


def _review_until(shown: Competition, phase: Phase) -> datetime | None:
    """Return the end of the jury's review; None without a review, or while SQL is unavailable."""
    if phase is not Phase.PROVISIONAL:
        return None
    try:
        return ask(lambda: review_until(shown))
    except SqlAway:
        return None


def _when(shown: Competition, phase: Phase, at: datetime) -> dict[str, Any]:
    """Return the context of the competition's phase and times."""
    zone = shown.timezone
    until = shown.starts_at if phase in (Phase.OPEN, Phase.DRAFT) else shown.ends_at
    is_over = phase in (Phase.FINAL, Phase.CANCELLED)
    left = int((until - at).total_seconds())
    frozen_since = shown.timeline.frozen_since
    return {
        "phase": phase,
        "zone": zone,
        "starts": timed_of(shown, shown.starts_at, at),
        "ends": timed_of(shown, shown.ends_at, at),
        "until": until,
        "has_ended": at >= shown.ends_at,
        "seconds_left": left if left > 0 and not is_over else None,
        "shows_nothing": shown.timeline.shows_nothing(at),
        "frozen_since": timed_of(shown, frozen_since, at) if phase is Phase.FROZEN and frozen_since else "",
        "is_running": phase in (Phase.RUNNING, Phase.OPEN),
        "every": 0 if is_over or phase is Phase.DRAFT else LIVE_EVERY_SECONDS,
    }
