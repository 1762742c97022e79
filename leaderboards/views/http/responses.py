"""Answer with a whole page, only its live parts (``?fragment=1``), or 304.

The ETag is computed from the data of the live parts, before rendering. It excludes the time of the answer, which
would make every answer different.
"""

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import get_language

from foundation.numbers import whole_number
from leaderboards.selectors import Standings
from leaderboards.views.http.poll_interval import poll_pacer

ROWS = 50
LAST_PAGE = 2**31 // ROWS


def page_response(request: HttpRequest, template: str, context: dict[str, Any], etag: str) -> HttpResponse:
    """Return the whole page, or for ``?fragment=1`` the live parts or 304."""
    if "fragment" not in request.GET:
        return private(render(request, f"{template}.html", context | {"etag": etag}))
    return fragment_response(
        request, etag, lambda: render(request, f"{template}_parts.html", context | {"is_fragment": True})
    )


def fragment_response(request: HttpRequest, etag: str, render_parts: Callable[[], HttpResponse]) -> HttpResponse:
    """Return 304 if the reader has the live parts already, else what ``render_parts`` returns."""
    return with_poll_headers(get_conditional_response(request, etag=etag) or render_parts(), etag)


def with_poll_headers(response: HttpResponse, etag: str) -> HttpResponse:
    """Set the ETag, the poll interval and the headers against shared caches."""
    response["ETag"] = etag
    return private(set_poll_interval(response))


def set_poll_interval(response: HttpResponse) -> HttpResponse:
    """Set the seconds until the page should poll again (``Poll-Interval``)."""
    response["Poll-Interval"] = f"{poll_pacer.next_interval():.1f}"
    return response


def private(response: HttpResponse) -> HttpResponse:
    """Forbid shared caches, and let browsers revalidate before each use."""
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Cookie", "Accept-Language"])
    return response


def etag_of(*values: object) -> str:
    """Return a weak ETag of these values in the active language."""
    text = repr((get_language(), values))
    return f'W/"{blake2b(text.encode(errors="surrogatepass"), digest_size=12).hexdigest()}"'


def etag_parts(standings: Standings) -> tuple[object, ...]:
    """Return what an ETag of standings covers. Without Redis it includes the time of the answer, to the minute."""
    as_of = None if standings.live else standings.as_of.replace(second=0, microsecond=0)
    board = standings.board
    return (
        board.seq,
        board.name,
        board.unit,
        board.format,
        standings.period,
        standings.total,
        standings.rows,
        standings.live,
        as_of,
    )


def page_number(request: HttpRequest) -> int:
    """Return the requested page of rows. Raises ``Http404``."""
    number = whole_number(request.GET.get("page", "1")) or 0
    if not 1 <= number <= LAST_PAGE:
        raise Http404("There is no such page.")
    return number


def pages_of(total: int, size: int) -> int:
    """Return the number of pages of ``size`` rows, at least one."""
    return max(1, -(-total // size))
