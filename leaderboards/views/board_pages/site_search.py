"""Finding a player, a board or a competition from any page; competitions come from the app above, by its own tag.

Names are found whatever their accents, capitals and width, and by their beginning. ``suggestions`` is the same,
shorter, for the list below a field while somebody types (``static/js/search.js``).
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboards import selectors
from leaderboards.core.input.folding import best_matches, fold, is_searchable
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
    """The form, and what is called so."""
    sought = _sought(request)
    found = _found(request, sought, MOST_PLAYERS) if sought else {"boards": [], "players": []}
    return private(render(request, "leaderboards/search.html", {"sought": sought, **found}))


@require_safe
def suggestions(request: HttpRequest) -> HttpResponse:
    """A few of each kind as options of a list; empty for too few letters."""
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
    listed = selectors.boards_listed(include_private=may_see(request, Board))
    return best_matches(listed, lambda each: each.name, sought)[:MOST]


def _players(request: HttpRequest, sought: str, most: int) -> list[Player]:
    """Who is shadowed finds themselves, as if nothing was."""
    viewer = viewer_of(request)
    with viewing_as(viewer.player if viewer.linked else None):
        return selectors.players_found(sought, most, include_unlisted=may_see(request, Player))
