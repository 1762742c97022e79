"""The viewer of a page: the signed-in user's player, else the player that this device remembers.

``?player=`` only chooses the row to highlight. It proves nothing and grants nothing.
"""

from dataclasses import dataclass
from urllib.parse import quote, unquote

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse

from foundation.db.resilience import SqlAway, ask
from leaderboards.core.input.entries import read_player
from leaderboards.errors import BadPlayer
from leaderboards.models import Player

COOKIE = "player"
YEAR = 365 * 86_400


@dataclass(frozen=True, slots=True)
class Viewer:
    """``player`` is the row to highlight, ``linked`` if it is the user's own, ``refused`` if its id is invalid.

    ``is_in_address`` is true if ``?player=`` names them: all who open this address see the same row.
    """

    player: str | None
    linked: bool = False
    refused: bool = False
    is_in_address: bool = False


def viewer_of(request: HttpRequest) -> Viewer:
    """Return the viewer by account, query or cookie, in this order."""
    own = _own_player(request)
    if own is not None:
        return Viewer(own, linked=True)
    given = request.GET.get(COOKIE)
    raw = given.strip() if given is not None else unquote(request.COOKIES.get(COOKIE, ""))
    if not raw:
        return Viewer(None)
    try:
        return Viewer(read_player(raw), is_in_address=given is not None)
    except BadPlayer:
        return Viewer(None, refused=given is not None)


def row_asked(request: HttpRequest) -> Viewer:
    """Return whose row is to be shared: that of the player whom ``?row=`` names, else the viewer's own."""
    viewer, named = viewer_of(request), request.GET.get("row", "").strip()
    if not named or named == viewer.player:
        return viewer
    try:
        return Viewer(read_player(named), is_in_address=True)
    except BadPlayer:
        return viewer


def _own_player(request: HttpRequest) -> str | None:
    """Return the signed-in user's player. While SQL is unavailable, the user counts as not signed in."""
    if not may_be_signed_in(request):
        return None
    try:
        return ask(lambda: _player_of_user(request))
    except SqlAway:
        request.user = AnonymousUser()
        return None


def may_be_signed_in(request: HttpRequest) -> bool:
    """Whether the request has a session cookie."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES


def _player_of_user(request: HttpRequest) -> str | None:
    if not request.user.is_authenticated:
        return None
    player: Player | None = getattr(request.user, "player", None)  # the user keeps it, for the header too
    return None if player is None else player.external_id


def remember(request: HttpRequest, response: HttpResponse, viewer: Viewer) -> None:
    """Set or delete the cookie with the player named by ``?player=``; empty deletes it."""
    if COOKIE not in request.GET or viewer.linked or viewer.refused:
        return
    if viewer.player is None:
        response.delete_cookie(COOKIE, samesite="Lax")
    else:
        secure = request.is_secure()
        response.set_cookie(
            COOKIE, quote(viewer.player, safe=""), max_age=YEAR, secure=secure, httponly=True, samesite="Lax"
        )
