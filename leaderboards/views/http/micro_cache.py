"""Cache answers to anonymous readers for one second in each process, so a page is computed once a second at most.

The cache is in memory, because a round trip to a cache server costs about as much as the rest of the answer. A reader
is anonymous without a session, without a remembered player and without a theme of their own. Answers are cached unless
they set a cookie, carry a CSRF token or are not 200. After an answer was sent, its final headers are stored too
(``record_sent_headers``), and ``cached_response`` can send it again without the middleware and the view.

Two traps. Links repeat the whole query, so answers to unknown query parameters are never cached. A page may change at
a known time, such as the freeze of a competition; its view must say so with ``expire_cache_at``.
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
from leaderboards.views.http.theme import chosen_theme
from leaderboards.views.http.viewer import COOKIE, may_be_signed_in

View = Callable[..., HttpResponse]
_Key = tuple[str | None, str, str, str]  # language, scheme, host and path with query: pages may contain their address
_CSP_PREFIX = "_csp"  # of the response attributes by which a view overrides the content security policy
_CACHED_PARAMETERS = {"page", "period", "fragment", "embed", "screen", "board", "tables"}
# Keys of request.META
_IF_NONE_MATCH, _EXPIRES_AT, _HAS_TOKEN = "HTTP_IF_NONE_MATCH", "sunwi.kept_until", "CSRF_COOKIE_NEEDS_UPDATE"
_POLL_SECONDS = "sunwi.poll_seconds"
# Headers that ask for an answer other than the plain page, or announce a body.
_UNCACHED_HEADERS = {_IF_NONE_MATCH, "HTTP_IF_MATCH", "HTTP_IF_UNMODIFIED_SINCE", "HTTP_TRANSFER_ENCODING"}


@dataclass(frozen=True, slots=True)
class _Sent:
    """The final headers of an answer, its attributes for django-csp, and the matched URL."""

    headers: Mapping[str, str]
    csp_attributes: Mapping[str, object]
    match: ResolverMatch | None


@dataclass(slots=True)
class _CachedAnswer:
    """A cached body. ``etag`` is empty for whole pages; the answer is not used from ``expires_at`` on.

    ``poll_seconds`` are the seconds after which pages poll again, if the view said so.
    """

    etag: str
    body: bytes
    expires_at: datetime | None
    poll_seconds: str = ""
    sent: _Sent | None = None


class _FullResponse(HttpResponse):
    """A response with the body of a cached answer."""

    def __init__(self, cached: _CachedAnswer) -> None:
        super().__init__(cached.body)
        self.cached = cached


def _is_expired(answer: _CachedAnswer) -> bool:
    return answer.expires_at is not None and answer.expires_at <= clock.now()


_answers: MicroCache[_Key, _CachedAnswer] = MicroCache(256, is_expired=_is_expired)  # about 30 KB each


def micro_cached(view: View) -> View:
    """Call ``view`` about once a second at most for each address and language of anonymous readers."""

    @wraps(view)
    def cached_view(request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        def call_view() -> HttpResponse:
            return view(request, *args, **named)

        if not is_anonymous_read(request):
            return call_view()
        try:
            cached = _answers.get_or_compute(_key(request, get_language()), lambda: _compute(request, call_view))
        except _NotCacheable as error:
            return error.response
        return _conditional_response(request, cached)

    return cached_view


def expire_cache_at(request: HttpRequest, moments: Iterable[datetime | None], at: datetime) -> None:
    """Expire the answer to ``request`` at the first of ``moments`` after ``at``, the time that the answer shows."""
    future = [each for each in moments if each is not None and each > at]
    if _EXPIRES_AT in request.META:
        future.append(request.META[_EXPIRES_AT])  # even if it has passed: the answer has then expired too
    if future:
        request.META[_EXPIRES_AT] = min(future)


def poll_later(request: HttpRequest, response: HttpResponse, seconds: float) -> HttpResponse:
    """Let the page poll again after ``seconds``, since nothing changes before; also if the answer comes from here."""
    request.META[_POLL_SECONDS] = response["Poll-Interval"] = f"{seconds:.1f}"
    return response


def is_anonymous_read(request: HttpRequest) -> bool:
    """Whether the reader is anonymous, the request only reads, and its query has only known parameters."""
    return request.method in ("GET", "HEAD") and not _is_identified(request) and set(request.GET) <= _CACHED_PARAMETERS


def _is_identified(request: HttpRequest) -> bool:
    if "HTTP_COOKIE" not in request.META:
        return False
    return may_be_signed_in(request) or COOKIE in request.COOKIES or chosen_theme(request.COOKIES) != ""


def not_modified_response(request: HttpRequest) -> HttpResponse | None:
    """Return 304 if an anonymous reader already has the cached answer; None leaves the request to its view."""
    etag = request.META.get(_IF_NONE_MATCH)
    if not etag or request.method != "GET" or _is_identified(request):
        return None
    cached = _answers.get_fresh(_key(request, get_language_from_request(request)))
    return _with_headers(HttpResponseNotModified(), cached) if cached and cached.etag == etag else None


def cached_response(request: HttpRequest) -> HttpResponse | None:
    """Return the cached page for an anonymous reader; None leaves the request to its view.

    Call it after the middleware that applies to every answer: language and throttle.
    """
    if request.method != "GET" or not _UNCACHED_HEADERS.isdisjoint(request.META):
        return None
    if _has_body(request) or _is_identified(request):
        return None
    cached = _answers.get_fresh(_key(request, get_language()))
    if cached is None or cached.sent is None:
        return None
    response = HttpResponse(cached.body, headers=cached.sent.headers)
    vars(response).update(cached.sent.csp_attributes)
    request.resolver_match = cached.sent.match
    return _with_interval(set_poll_interval(response), cached) if cached.etag else response


def record_sent_headers(request: HttpRequest, response: HttpResponseBase) -> None:
    """Store the final headers of ``response`` with its cached answer, unless it sets a cookie or is a 304."""
    if isinstance(response, _FullResponse) and response.cached.sent is None and not response.cookies:
        attributes = {name: value for name, value in vars(response).items() if name.startswith(_CSP_PREFIX)}
        response.cached.sent = _Sent(dict(response.items()), attributes, request.resolver_match)


def forget() -> None:
    """Empty the cache."""
    _answers.forget()


class _NotCacheable(Exception):
    """A response that only this reader may get."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__(response.status_code)
        self.response = response


def _has_body(request: HttpRequest) -> bool:
    return request.META.get("CONTENT_LENGTH", "") not in ("", "0")


def _key(request: HttpRequest, language: str | None) -> _Key:
    return language, request.scheme or "", request.get_host(), request.get_full_path()


def _compute(request: HttpRequest, call_view: Callable[[], HttpResponse]) -> _CachedAnswer:
    """Call the view without ``If-None-Match``, so that it answers in full. Raises ``_NotCacheable``."""
    etag = request.META.pop(_IF_NONE_MATCH, None)
    response = call_view()
    if etag is not None:
        request.META[_IF_NONE_MATCH] = etag
    if response.status_code != 200 or response.cookies or _HAS_TOKEN in request.META:
        raise _NotCacheable(response)
    expires_at, poll_seconds = request.META.pop(_EXPIRES_AT, None), request.META.pop(_POLL_SECONDS, "")
    return _CachedAnswer(response.get("ETag", ""), response.content, expires_at, poll_seconds)


def _conditional_response(request: HttpRequest, cached: _CachedAnswer) -> HttpResponse:
    not_modified = get_conditional_response(request, etag=cached.etag) if cached.etag else None
    return _with_headers(_FullResponse(cached) if not_modified is None else not_modified, cached)


def _with_headers(response: HttpResponse, cached: _CachedAnswer) -> HttpResponse:
    if not cached.etag:
        return private(response)
    return _with_interval(with_poll_headers(response, cached.etag), cached)


def _with_interval(response: HttpResponse, cached: _CachedAnswer) -> HttpResponse:
    if cached.poll_seconds:
        response["Poll-Interval"] = cached.poll_seconds
    return response
