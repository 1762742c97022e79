"""Search for players, boards and competitions; competitions come from the app above, by its template tag.

Names match without accents, case and width, and by prefix. ``suggestions`` is a short list for the field while somebody
types (``static/js/search.js``).
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboards import selectors
from leaderboards.core.input.folding import fold, is_searchable
from leaderboards.models import Board, Player
from leaderboards.selectors.visibility.restrictions import viewing_as
from leaderboards.views.http.permissions import may_see
from leaderboards.views.http.responses import private
from leaderboards.views.http.viewer import viewer_of

LONGEST = 100
MOST = 20
MOST_PLAYERS = 10
MOST_SUGGESTED = 5  # of each kind


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Show the form and the results."""
    sought = _sought(request)
    found = _found(request, sought, MOST_PLAYERS) if sought else {"boards": [], "players": []}
    return private(render(request, "leaderboards/search.html", {"sought": sought, **found}))


@require_safe
def suggestions(request: HttpRequest) -> HttpResponse:
    """Return a few results of each kind as options of a listbox; none for a prefix that is too short."""
    sought = _sought(request)
    found = _found(request, sought, MOST_SUGGESTED) if is_searchable(fold(sought)) else {}
    most = f":{MOST_SUGGESTED}"
    return private(render(request, "leaderboards/_suggestions.html", {"sought": sought, "most": most, **found}))


def _sought(request: HttpRequest) -> str:
    return " ".join(request.GET.get("q", "").replace("\0", " ").split())[:LONGEST]


def _found(request: HttpRequest, sought: str, most_players: int) -> dict[str, Any]:
    return {
        "boards": _boards(request, sought),
        "players": _players(request, sought, most_players),
        "is_short": not is_searchable(fold(sought)),
    }


def _boards(request: HttpRequest, sought: str) -> list[Board]:
    return selectors.boards_called(sought, MOST, include_private=may_see(request, Board))


def _players(request: HttpRequest, sought: str, most: int) -> list[Player]:
    """Shadowed players find themselves, so that they do not notice."""
    viewer = viewer_of(request)
    with viewing_as(viewer.player if viewer.linked else None):
        return selectors.players_found(sought, most, include_unlisted=may_see(request, Player))
