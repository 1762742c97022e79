"""Answering with a page: whole, or only its moving parts (``?fragment=1``), or 304.

The ETag is made from what the parts show before anything is rendered. It leaves out the time of the answer, else
no two answers would be equal.
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
    """The whole page, or only its moving parts, or 304 if the asker has them already."""
    if "fragment" not in request.GET:
        return private(render(request, f"{template}.html", context | {"etag": etag}))
    return fragment_response(
        request, etag, lambda: render(request, f"{template}_parts.html", context | {"is_fragment": True})
    )


def fragment_response(request: HttpRequest, etag: str, make: Callable[[], HttpResponse]) -> HttpResponse:
    """The moving parts, made only for an asker who does not have them already; else 304."""
    return with_poll_headers(get_conditional_response(request, etag=etag) or make(), etag)


def with_poll_headers(response: HttpResponse, etag: str) -> HttpResponse:
    """The same for who follows the page: what they have now, and when to look again."""
    response["ETag"] = etag
    return private(set_poll_interval(response))


def set_poll_interval(response: HttpResponse) -> HttpResponse:
    """The same, with the seconds after which who follows the page is to ask again."""
    response["Look-Again"] = f"{poll_pacer.next_interval():.1f}"
    return response


def private(response: HttpResponse) -> HttpResponse:
    """The same, for no shared cache, and for no later asker unasked."""
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Cookie", "Accept-Language"])
    return response


def etag_of(*seen: object) -> str:
    """Equal for equal things in the same language."""
    text = repr((get_language(), seen))
    return f'W/"{blake2b(text.encode(errors="surrogatepass"), digest_size=12).hexdigest()}"'


def etag_parts(found: Standings) -> tuple[object, ...]:
    """What makes two answers differ. Without Redis the time of the answer does too, to the minute."""
    as_of = None if found.live else found.as_of.replace(second=0, microsecond=0)
    board = found.board
    return (board.seq, board.name, board.unit, board.format, found.period, found.total, found.rows, found.live, as_of)


def page_number(request: HttpRequest) -> int:
    """Which page of rows is asked for. Raises ``Http404``."""
    number = whole_number(request.GET.get("page", "1")) or 0
    if not 1 <= number <= LAST_PAGE:
        raise Http404("There is no such page.")
    return number


def pages_of(total: int, size: int) -> int:
    """How many pages of ``size`` rows there are, at least one."""
    return max(1, -(-total // size))
