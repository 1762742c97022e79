"""Finding a player, a board or a competition from any page; competitions come from the app above, by its own tag.

Players are found by their id or their whole name, as on a board; boards by any part of their name.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboards import selectors
from leaderboards.models import Board, Player
from leaderboards.selectors.visibility.restrictions import visible_q
from leaderboards.views.http.permissions import may_see
from leaderboards.views.http.responses import private

LONGEST = 100
MOST = 20


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """The form, and what is called so."""
    sought = " ".join(request.GET.get("q", "").replace("\0", " ").split())[:LONGEST]
    context = {
        "sought": sought,
        "boards": _boards(request, sought) if sought else [],
        "players": _players(sought) if sought else [],
    }
    return private(render(request, "leaderboards/search.html", context))


def _boards(request: HttpRequest, sought: str) -> list[Board]:
    listed = selectors.boards_listed(include_private=may_see(request, Board))
    return [board for board in listed if sought.casefold() in board.name.casefold()][:MOST]


def _players(sought: str) -> list[Player]:
    ids = dict.fromkeys([sought, *selectors.players_called(sought)])
    return list(
        Player.objects.filter(visible_q(None, ""), external_id__in=list(ids)[:MOST]).order_by("name", "external_id")
    )
