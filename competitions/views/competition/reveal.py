"""The reveal of a closed competition's ranking, from the bottom up. Before it only staff see the page."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from competitions.models import Competition
from competitions.selectors.standings.standings import standings
from competitions.views.access import visible
from competitions.views.competition.share import competition_preview
from foundation import clock
from leaderboards.views.components.table_rows import lines, result
from leaderboards.views.http.permissions import may_see

PLAYED = 100


@never_cache
@require_safe
def reveal(request: HttpRequest, number: int) -> HttpResponse:
    """Show the ranking as a list, best first; ``reveal.js`` reveals it row by row."""
    competition, at = visible(request, number), clock.now()
    hidden = competition.is_hidden(at)
    is_closed = competition.is_provisional or competition.final_at is not None
    if not is_closed or (hidden and not may_see(request, Competition)):
        raise Http404("There is nothing to reveal yet.")
    ranking = standings(competition, at, 0, PLAYED, full=hidden)
    rows = zip(lines(ranking, ranking.rows, None), ranking.rows, strict=True)
    context = {
        "competition": competition,
        "hidden": hidden,
        "preview": "" if hidden else competition_preview(competition, ranking, None, at),
        "provisional": competition.is_provisional,
        "total": ranking.total,
        "rows": [(line, result(competition.board, row)) for line, row in rows],
    }
    return render(request, "competitions/reveal.html", context)
