"""The list of series, and the page of one series: its standings with the points of each competition.

Only final, public results count, so no page reveals what a freeze hides. Private competitions are shown only to those
who may see them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from competitions.errors import UnknownSeries
from competitions.models import Competition, Series, SeriesEvent, SeriesResult
from competitions.phases import phase_word
from competitions.selectors.results.revisions import latest_numbers
from competitions.selectors.series import series as selectors
from competitions.selectors.series.series import SeriesRow
from competitions.views.access import visible_competitions
from competitions.views.competition.words import timed_of
from foundation import clock
from leaderboards import formats
from leaderboards.selectors import Row
from leaderboards.selectors.player_data.names import countries_of
from leaderboards.stores.base import Page
from leaderboards.views.components.preview import LinkPreview, list_preview, preview_html
from leaderboards.views.components.table_rows import top_words
from leaderboards.views.http.micro_cache import expire_cache_at, micro_cached
from leaderboards.views.http.permissions import may_see
from leaderboards.views.http.responses import ROWS, page_number, pages_of, private
from leaderboards.views.http.viewer import remember, viewer_of


@dataclass(frozen=True, slots=True)
class EventShown:
    """A competition in the list of a series; ``number`` is its column, from 1."""

    number: int
    competition: Competition
    phase: str
    word: str
    starts: str
    ends: str
    counted: bool


@dataclass(frozen=True, slots=True)
class LineOfSeries:
    """A row of the table, with a cell for each competition; None without a result."""

    row: Row
    tied: bool
    total: str
    cells: list[SeriesResult | None]
    is_me: bool
    country: str = ""


@require_safe
@micro_cached
def series_list(request: HttpRequest) -> HttpResponse:
    """List the series that the visitor may see."""
    known = may_know_series(request, selectors.series_known())
    events = selectors.events_of(known)
    cards = [(each, may_know_events(request, events.get(each.pk, [])), selectors.is_private(each)) for each in known]
    preview = list_preview(_("Series"), [each.name for each in known if not selectors.is_private(each)])
    return private(render(request, "competitions/series_list.html", {"cards": cards, "preview": preview}))


@require_safe
@micro_cached
def series(request: HttpRequest, number: int) -> HttpResponse:
    """Show a series: standings, the viewer's own row, competitions."""
    shown, at, viewer, page = _visible(request, number), clock.now(), viewer_of(request), page_number(request)
    events = may_know_events(request, selectors.events_of([shown]).get(shown.pk, []))
    expire_cache_at(request, chain.from_iterable(event.competition.timeline.phase_changes_at for event in events), at)
    order = [event.competition_id for event in events]
    found = selectors.standings(shown, order, Page((page - 1) * ROWS, ROWS))
    own = selectors.own_row(shown, viewer.player, order) if viewer.player else None
    countries = countries_of(row.row.player for row in (*found.rows, *([own] if own else [])))
    own_line = _line(own, order, viewer.player, countries) if own else None
    context: dict[str, Any] = {
        "series": shown,
        "is_private": selectors.is_private(shown),
        "table": ", ".join(map(formats.number, shown.table)),
        "events": _events_shown(events, at),
        "lines": [_line(row, order, viewer.player, countries) for row in found.rows],
        "own": own_line,
        "own_on_page": any(row.row.player == viewer.player for row in found.rows),
        "total": found.standings.total,
        "first": (page - 1) * ROWS + 1,
        "last": (page - 1) * ROWS + len(found.rows),
        "counting": found.counting,
        "number": page,
        "pages": pages_of(found.standings.total, ROWS),
        "viewer": viewer,
        "preview": _preview(shown, [each.row for each in found.rows] if page == 1 else []),
    }
    response = private(render(request, "competitions/series.html", context))
    remember(request, response, viewer)
    return response


def _preview(shown: Series, rows: Sequence[Row]) -> SafeString:
    """Return the preview of links to a series, with its best three; empty for private ones."""
    if selectors.is_private(shown):
        return SafeString()
    return preview_html(LinkPreview(shown.name, top_words(shown.board, rows) if rows else _("Series")))


def may_know_series(request: HttpRequest, several: Collection[Series]) -> list[Series]:
    """Return those that the visitor may see: private ones only for participants and staff with the permission."""
    hidden = [each for each in several if selectors.is_private(each)]
    if not hidden or may_see(request, Series):
        return list(several)
    own = selectors.series_entered(request.user.pk, hidden) if request.user.is_authenticated else set()
    return [each for each in several if not selectors.is_private(each) or each.pk in own]


def may_know_events(request: HttpRequest, events: Sequence[SeriesEvent]) -> list[SeriesEvent]:
    """Return the events whose competition the visitor may see."""
    known = {each.pk for each in visible_competitions(request, [event.competition for event in events])}
    return [event for event in events if event.competition_id in known]


def series_named(request: HttpRequest, competition: Competition) -> Series | None:
    """Return the series that a competition's page names."""
    found = selectors.series_of(competition)
    return found if found and may_know_series(request, [found]) else None


def _visible(request: HttpRequest, number: int) -> Series:
    try:
        found = selectors.series_by_id(number)
    except UnknownSeries as error:
        raise Http404(error.detail) from error
    if not may_know_series(request, [found]):
        raise Http404(f"There is no series {number}.")
    return found


def _events_shown(events: Sequence[SeriesEvent], at: datetime) -> list[EventShown]:
    revised = latest_numbers([event.competition_id for event in events])
    return [
        _event_shown(nth, event, revised.get(event.competition_id, 1), at) for nth, event in enumerate(events, start=1)
    ]


def _event_shown(nth: int, event: SeriesEvent, revision: int, at: datetime) -> EventShown:
    competition = event.competition
    phase = competition.phase(at)
    return EventShown(
        nth,
        competition,
        phase,
        phase_word(phase, revision),
        timed_of(competition, competition.starts_at, at),
        timed_of(competition, competition.ends_at, at),
        event.revision_counted is not None,
    )


def _line(found: SeriesRow, order: Sequence[int], player: str | None, countries: Mapping[str, str]) -> LineOfSeries:
    row = found.row
    cells = [found.results.get(number) for number in order]
    is_tied, country = (row.tied or 1) > 1, countries.get(row.player, "")
    return LineOfSeries(row, is_tied, formats.number(row.points or 0), cells, row.player == player, country)
