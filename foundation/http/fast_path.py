"""The API's fast path through Django: a second handler with a short list of middleware.

API requests need no session, login, language, messages or static files, but would pay for each of these layers. The
middleware is first in ``MIDDLEWARE`` (only what is around both ways stands before it), so that servers and tests take
the same path. Only views that ``api_view`` marks are of the API: another project may have addresses of its own beside
them, and those keep all of its middleware. The trap: middleware that must also apply to the API has to be in
``API_MIDDLEWARE`` as well.
"""

from collections.abc import Callable
from functools import lru_cache
from time import perf_counter
from typing import Any, TypeVar, cast

from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import Resolver404, ResolverMatch, get_resolver, get_urlconf
from django.utils import translation
from django.utils.module_loading import import_string

from foundation.http.own_transactions import owns_transactions
from foundation.monitoring.request_metrics import note
from foundation.sunwi_settings import sunwi_settings

API = "/api/v1/"
CACHE_SIZE = 1_000
LONGEST = 100  # characters of a path that is cached
_MARK = "is_of_sunwi_api"

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def api_view(view: View) -> View:
    """Mark a view as the API's: below ``API`` it takes the fast path, without ``MIDDLEWARE`` and its CSRF check.

    Its services own their transactions: a project's ``ATOMIC_REQUESTS`` does not apply to it.
    """
    setattr(view, _MARK, True)
    return owns_transactions(view)


def is_of_api(request: HttpRequest) -> bool:
    """Whether the path leads to a view of the API; a path below ``API`` may be another app's, or nobody's."""
    return _find_api_view(request) is not None


def _find_api_view(request: HttpRequest) -> ResolverMatch | None:
    path = request.path_info
    if not path.startswith(API):
        return None
    resolve = _resolve if len(path) <= LONGEST else _resolve.__wrapped__
    try:
        match = resolve(getattr(request, "urlconf", None) or get_urlconf() or settings.ROOT_URLCONF, path)
    except Resolver404:
        return None
    return match if getattr(match.func, _MARK, False) else None


@lru_cache(CACHE_SIZE)
def _resolve(urlconf: str, path: str) -> ResolverMatch:
    return get_resolver(urlconf).resolve(path)


class ApiFastPath:
    """Pass API requests to a handler with ``API_MIDDLEWARE``, all others to the rest of ``MIDDLEWARE``."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._api = _ApiHandler()
        self._api.load_middleware()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        begun = perf_counter()
        response = self._answer(request)
        note(request, response, begun)
        return response

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        match = _find_api_view(request)
        if match is None:
            return self._get_response(request)
        translation.activate(settings.LANGUAGE_CODE)  # the thread may still have the language of its last page
        return self._api.answer(request, match)


class _ApiHandler(BaseHandler):
    """A Django handler whose middleware may not have ``process_view`` and similar hooks.

    The outer handler does what Django does once for each request: it sets the URL prefix, logs errors and closes the
    request.
    """

    def answer(self, request: HttpRequest, match: ResolverMatch) -> HttpResponseBase:
        """Run the middleware and the view of ``match``."""
        request.resolver_match = match
        return self._middleware_chain(request)  # type: ignore[return-value]  # none of ours is async

    def resolve_request(self, request: HttpRequest) -> ResolverMatch:
        """The view that was found before the middleware ran."""
        return cast("ResolverMatch", request.resolver_match)

    def load_middleware(self, is_async: bool = False) -> None:  # noqa: ARG002 - Django's parameter; nothing is async
        """Build the chain of ``API_MIDDLEWARE`` around the view."""
        self._view_middleware: list[Any] = []
        self._template_response_middleware: list[Any] = []
        self._exception_middleware: list[Any] = []
        chain = convert_exception_to_response(self._get_response)  # type: ignore[attr-defined]  # Django sets it, and its stubs lack it
        for name in reversed(sunwi_settings.API_MIDDLEWARE):
            chain = convert_exception_to_response(import_string(name)(chain))
        self._middleware_chain = chain
