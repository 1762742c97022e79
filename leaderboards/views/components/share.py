"""What a page's share menu offers: its link, its picture, a frame for other sites, a big screen, a calendar file.

The menu is a page of its own (``…/share/``), so it works without scripts; ``share.js`` shows ``?menu=1`` as a dialog.
"""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape

from foundation.sunwi_settings import sunwi_settings
from leaderboards.models import Board
from leaderboards.views.http.responses import private

EMBED_HEIGHT = 640


@dataclass(frozen=True, slots=True)
class ShareMenu:
    """All addresses are absolute paths with their query; what is not offered is empty.

    ``player`` is the name of the player whose row the link and the picture show.
    """

    board: Board
    title: str
    address: str
    picture: str = ""
    player: str = ""
    words: str = ""
    embed: str = ""
    screen: str = ""
    calendar: str = ""
    find: str = ""
    is_private: bool = False


def with_query(path: str, **values: str | None) -> str:
    """Return the path with those values that are neither None nor empty as its query."""
    given = {name: value for name, value in values.items() if value}
    return f"{path}?{urlencode(given)}" if given else path


def share_response(request: HttpRequest, menu: ShareMenu) -> HttpResponse:
    """Return the page, or with ``?menu=1`` the menu alone."""
    is_dialog = request.GET.get("menu") == "1"
    frame = request.build_absolute_uri(menu.embed) if menu.embed and sunwi_settings.EMBED_SITES else ""
    context = {
        "menu": menu,
        "board": menu.board,
        "link": request.build_absolute_uri(menu.address),
        "snippet": _snippet(frame, menu.title) if frame else "",
        "embed_sites": sunwi_settings.EMBED_SITES,
        "is_dialog": is_dialog,
    }
    return private(render(request, "leaderboards/_share.html" if is_dialog else "leaderboards/share.html", context))


def _snippet(address: str, title: str) -> str:
    """Return the HTML of the frame as plain text, which the page escapes once more to show it."""
    frame = '<iframe src="{}" title="{}" width="100%" height="{}" loading="lazy"></iframe>'
    return frame.format(escape(address), escape(title), EMBED_HEIGHT)
