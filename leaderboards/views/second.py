"""What everybody gets, kept for one second by each process: however many watch a board, it is read once a second.

In memory, since asking a cache for a page costs about as much as the rest of the answer. Whole answers are kept for
anybody: somebody without a session or a remembered player sees what everybody may see. The trap: links repeat the
whole query, so an answer to a name that is not known here is never kept.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language, get_language_from_request

from foundation.second import Second
from leaderboards.views.answers import followed, private
from leaderboards.views.viewer import COOKIE, may_be_signed_in

View = Callable[..., HttpResponse]
_NAMES = {"page", "period", "fragment", "embed", "screen"}
_ASKED = "HTTP_IF_NONE_MATCH"


@dataclass(frozen=True, slots=True)
class _Answer:
    """``etag`` is empty on whole pages."""

    etag: str
    body: bytes


# By language and address; of some 30 KB each.
_answers: Second[tuple[str | None, str], _Answer] = Second(256)


def kept_a_second(view: View) -> View:
    """The same view, asked at most about once a second for each address and language by those who are anybody."""

    @wraps(view)
    def answered(request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        if not is_anybody(request):
            return view(request, *args, **named)
        key = (get_language(), request.get_full_path())
        try:
            return _told(request, _answers.of(key, lambda: _made(request, lambda: view(request, *args, **named))))
        except _NotToKeep as found:
            return found.response

    return answered


def is_anybody(request: HttpRequest) -> bool:
    """Whether nothing is known of who asks, and the address says no more than which page is meant."""
    return not _is_somebody(request) and set(request.GET) <= _NAMES


def _is_somebody(request: HttpRequest) -> bool:
    return "HTTP_COOKIE" in request.META and (may_be_signed_in(request) or COOKIE in request.COOKIES)


def unchanged(request: HttpRequest) -> HttpResponse | None:
    """304 for anybody who has what is kept; None leaves the request to its view."""
    asked = request.META.get(_ASKED)
    if not asked or request.method != "GET" or _is_somebody(request):
        return None
    kept = _answers.in_time((get_language_from_request(request), request.get_full_path()))
    return _headed(HttpResponseNotModified(), asked) if kept and kept.etag == asked else None


def forget() -> None:
    """Start anew."""
    _answers.forget()


class _NotToKeep(Exception):
    """An answer that is for this asker alone, as it is."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__(response.status_code)
        self.response = response


def _made(request: HttpRequest, make: Callable[[], HttpResponse]) -> _Answer:
    """What any asker gets, whatever they have already."""
    asked = request.META.pop(_ASKED, None)
    response = make()
    if asked is not None:
        request.META[_ASKED] = asked
    if response.status_code != 200 or response.cookies:
        raise _NotToKeep(response)
    return _Answer(response.get("ETag", ""), response.content)


def _told(request: HttpRequest, kept: _Answer) -> HttpResponse:
    same = get_conditional_response(request, etag=kept.etag) if kept.etag else None
    return _headed(HttpResponse(kept.body) if same is None else same, kept.etag)


def _headed(response: HttpResponse, etag: str) -> HttpResponse:
    return followed(response, etag) if etag else private(response)
