"""Answer with a drawn picture: what it shows is read for each request, and the same content is drawn once.

The cache's key is a digest of all that the picture shows. So a picture never outlasts a ban, an erased name or a
freeze, and what it costs is bounded: each drawing counts as many page requests, and few are drawn at once.
"""

import threading
from hashlib import blake2b

from django.conf import settings
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from foundation.http.client_address import client_network
from foundation.messages import Message
from foundation.throttling.rate_limit import throttle
from leaderboards import formats
from leaderboards.core.input.entries import read_player
from leaderboards.drawing import BoardPicture, OwnPicture, draw_card, draw_own
from leaderboards.errors import BadPlayer, PicturesBusy
from leaderboards.selectors import Row
from leaderboards.views.components.table_rows import Move
from leaderboards.views.http.viewer import COOKIE

CACHED_SECONDS = 60
DRAWING_COUNTS_AS = 100  # page requests: a drawing takes about a tenth of a second
DRAWN_AT_ONCE = 2  # in one process
WAITS_SECONDS = 0.3  # for a drawing of others to end
VERSION = 1  # raise it when a picture is drawn differently, so that the cache holds no older one
_PNG = b"\x89PNG"
_slots = threading.BoundedSemaphore(DRAWN_AT_ONCE)

Picture = BoardPicture | OwnPicture


def picture_response(request: HttpRequest, picture: Picture, *, is_public: bool) -> HttpResponse:
    """Return the PNG, or 304. Only a public one may be kept by others, for a minute.

    Raises ``RateLimited``, or ``PicturesBusy`` if too many are being drawn.
    """
    shown = repr((VERSION, picture)).encode(errors="surrogatepass")
    digest = blake2b(shown, digest_size=16).hexdigest()
    etag = f'"{digest}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = HttpResponse(_file(request, picture, f"picture:{digest}"), content_type="image/png")
    response["ETag"] = etag
    response["Cache-Control"] = f"public, max-age={CACHED_SECONDS}" if is_public else "private, no-cache"
    return response


def player_asked(request: HttpRequest) -> str | None:
    """Return the player whose picture is asked for, None if nobody's. Raises ``Http404`` for what is no id."""
    given = request.GET.get(COOKIE, "").strip()
    try:
        return read_player(given) if given else None
    except BadPlayer as error:
        raise Http404(error.detail) from error


def language_asked(request: HttpRequest) -> str:
    """Return the language of ``?lang=`` if the site has it, else the request's."""
    asked = request.GET.get("lang", "")
    return asked if asked in dict(settings.LANGUAGES) else get_language() or settings.LANGUAGE_CODE


def language_query() -> str | None:
    """Return what ``?lang=`` must say so that a picture is in the active language; None for the site's own."""
    language = get_language()
    return None if language == settings.LANGUAGE_CODE else language


def move_words(move: Move | None, since: str) -> str:
    """Say how a rank has changed, if it has; ``since`` is the time of the earlier rank, empty for the last period."""
    if move is None or move.direction not in {"up", "down"}:
        return ""
    values = {"by": formats.number(move.by), "when": since}
    if move.direction == "up":
        return str((_("Up %(by)s since %(when)s") if since else _("%(by)s better than last time")) % values)
    return str((_("Down %(by)s since %(when)s") if since else _("%(by)s behind last time")) % values)


def rank_words(row: Row) -> str:
    """Return the rank as on pages: 12,345, or =12,345 if others share it; a dash if it is unknown."""
    return "–" if row.rank is None else formats.place(row.rank, tied=(row.tied or 1) > 1)


def zoned(moment: str, zone: str) -> str:
    """Return a time with the name of its zone."""
    return pgettext("a time and its zone", "%(moment)s (%(zone)s)") % {"moment": moment, "zone": zone}


def _file(request: HttpRequest, picture: Picture, key: str) -> bytes:
    kept = cache.get(key)
    if isinstance(kept, bytes) and kept.startswith(_PNG):
        return kept
    throttle("page", client_network(request), requests=DRAWING_COUNTS_AS)
    if not _slots.acquire(timeout=WAITS_SECONDS):
        raise PicturesBusy(Message("Many pictures are being drawn at the moment; try again in a few seconds."))
    try:
        drawn = draw_own(picture) if isinstance(picture, OwnPicture) else draw_card(picture)
    finally:
        _slots.release()
    cache.set(key, drawn, CACHED_SECONDS)
    return drawn
