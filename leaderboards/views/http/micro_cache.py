"""What everybody gets, kept for one second by each process: however many watch a page, it is read once a second.

In memory, since asking a cache for a page costs about as much as the rest of the answer. Whole answers are kept for
anybody: somebody without a session or a remembered player sees what everybody may see. Never kept is what sets a
cookie or carries the token of a form, and what is no 200. The traps: links repeat the whole query, so an answer to a
name that is not known here is never kept; and what a page says may turn at a moment of its own, such as the freeze of
a competition: whoever makes such a page says so (``expire_cache_at``), and from that moment on nobody gets the old one.

Once it was sent, an answer is kept with its headers, as it left the layers around its view (``record_sent_headers``);
so the next who asks need not go through them (``cached_response``).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import wraps

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.urls import ResolverMatch
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language, get_language_from_request

from foundation import clock
from foundation.caching.micro_cache import MicroCache
from leaderboards.views.http.responses import private, set_poll_interval, with_poll_headers
from leaderboards.views.http.viewer import COOKIE, may_be_signed_in

View = Callable[..., HttpResponse]
_Key = tuple[str | None, str, str, str]  # language, scheme, host, and address: a page may say where it stands
_MARKS = "_csp"  # of names by which a view tells the layer of the policy that its answer has one of its own
_NAMES = {"page", "period", "fragment", "embed", "screen", "board"}
_ASKED, _UNTIL, _HAS_TOKEN = "HTTP_IF_NONE_MATCH", "sunwi.kept_until", "CSRF_COOKIE_NEEDS_UPDATE"  # in META
# The same, of who wants another answer or sends something.
_MORE = {_ASKED, "HTTP_IF_MATCH", "HTTP_IF_UNMODIFIED_SINCE", "HTTP_TRANSFER_ENCODING"}


@dataclass(frozen=True, slots=True)
class _Sent:
    """How an answer left the layers around its view, what the others are to make of it, and which address it is of."""

    headers: Mapping[str, str]
    marks: Mapping[str, object]
    match: ResolverMatch | None


@dataclass(slots=True)
class _Answer:
    """``etag`` is empty on whole pages; nobody gets it from ``until`` on."""

    etag: str
    body: bytes
    until: datetime | None
    sent: _Sent | None = None


class _Whole(HttpResponse):
    """All of a kept answer."""

    def __init__(self, kept: _Answer) -> None:
        super().__init__(kept.body)
        self.kept = kept


def _is_over(answer: _Answer) -> bool:
    return answer.until is not None and answer.until <= clock.now()


_answers: MicroCache[_Key, _Answer] = MicroCache(256, is_expired=_is_over)  # of some 30 KB each


def micro_cached(view: View) -> View:
    """The same view, asked at most about once a second for each address and language by those who are anybody."""

    @wraps(view)
    def answered(request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        def make() -> HttpResponse:
            return view(request, *args, **named)

        if not is_anonymous_read(request):
            return make()
        try:
            return _told(request, _answers.get_or_compute(_key(request, get_language()), lambda: _made(request, make)))
        except _NotToKeep as found:
            return found.response

    return answered


def expire_cache_at(request: HttpRequest, moments: Iterable[datetime | None], at: datetime) -> None:
    """The answer to ``request``, which is of ``at``, says something else from the first of ``moments`` after it on."""
    coming = [each for each in moments if each is not None and each > at]
    if _UNTIL in request.META:
        coming.append(request.META[_UNTIL])  # also where that is over by now: then this answer is too
    if coming:
        request.META[_UNTIL] = min(coming)


def is_anonymous_read(request: HttpRequest) -> bool:
    """Whether nothing is known of who asks, they only read, and the address says no more than which page is meant."""
    return request.method in ("GET", "HEAD") and not _is_somebody(request) and set(request.GET) <= _NAMES


def _is_somebody(request: HttpRequest) -> bool:
    return "HTTP_COOKIE" in request.META and (may_be_signed_in(request) or COOKIE in request.COOKIES)


def not_modified_response(request: HttpRequest) -> HttpResponse | None:
    """304 for anybody who has what is kept; None leaves the request to its view."""
    asked = request.META.get(_ASKED)
    if not asked or request.method != "GET" or _is_somebody(request):
        return None
    kept = _answers.get_fresh(_key(request, get_language_from_request(request)))
    return _headed(HttpResponseNotModified(), asked) if kept and kept.etag == asked else None


def cached_response(request: HttpRequest) -> HttpResponse | None:
    """What anybody gets who reads a page, as it was sent last; None leaves the request to its view.

    Stands behind what is looked at for each answer: the language, the brake.
    """
    if request.method != "GET" or not _MORE.isdisjoint(request.META) or _has_body(request) or _is_somebody(request):
        return None
    kept = _answers.get_fresh(_key(request, get_language()))
    if kept is None or kept.sent is None:
        return None
    response = HttpResponse(kept.body, headers=kept.sent.headers)
    vars(response).update(kept.sent.marks)
    request.resolver_match = kept.sent.match
    return set_poll_interval(response) if kept.etag else response


def record_sent_headers(request: HttpRequest, response: HttpResponseBase) -> None:
    """Keep how an answer was sent, if it is a kept one, whole, and was sent without a cookie."""
    if isinstance(response, _Whole) and response.kept.sent is None and not response.cookies:
        marks = {name: value for name, value in vars(response).items() if name.startswith(_MARKS)}
        response.kept.sent = _Sent(dict(response.items()), marks, request.resolver_match)


def forget() -> None:
    """Start anew."""
    _answers.forget()


class _NotToKeep(Exception):
    """An answer that is for this asker alone, as it is."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__(response.status_code)
        self.response = response


def _has_body(request: HttpRequest) -> bool:
    return request.META.get("CONTENT_LENGTH", "") not in ("", "0")


def _key(request: HttpRequest, language: str | None) -> _Key:
    return language, request.scheme or "", request.get_host(), request.get_full_path()


def _made(request: HttpRequest, make: Callable[[], HttpResponse]) -> _Answer:
    """What any asker gets, whatever they have already."""
    asked = request.META.pop(_ASKED, None)
    response = make()
    if asked is not None:
        request.META[_ASKED] = asked
    if response.status_code != 200 or response.cookies or _HAS_TOKEN in request.META:
        raise _NotToKeep(response)
    return _Answer(response.get("ETag", ""), response.content, request.META.pop(_UNTIL, None))


def _told(request: HttpRequest, kept: _Answer) -> HttpResponse:
    same = get_conditional_response(request, etag=kept.etag) if kept.etag else None
    return _headed(_Whole(kept) if same is None else same, kept.etag)


def _headed(response: HttpResponse, etag: str) -> HttpResponse:
    return with_poll_headers(response, etag) if etag else private(response)
