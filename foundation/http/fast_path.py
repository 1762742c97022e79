"""The API's fast path through Django: a second handler with a short list of middleware.

API requests need no session, login, language, messages or static files, but would pay for each of these layers. The
middleware is first in ``MIDDLEWARE`` (only what is around both ways stands before it), so that servers and tests take
the same path. The trap: middleware that must also apply to the API has to be in ``API_MIDDLEWARE`` as well.
"""

from collections.abc import Callable
from functools import lru_cache
from time import perf_counter
from typing import Any

from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import ResolverMatch, get_resolver, get_urlconf
from django.utils import translation
from django.utils.module_loading import import_string

from foundation.http.page_middleware import is_of_api
from foundation.monitoring.request_metrics import note

CACHE_SIZE = 1_000
LONGEST = 100  # characters of a path that is cached


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
        if not is_of_api(request):
            return self._get_response(request)
        translation.activate(settings.LANGUAGE_CODE)  # the thread may still have the language of its last page
        return self._api.answer(request)


class _ApiHandler(BaseHandler):
    """A Django handler whose middleware may not have ``process_view`` and similar hooks.

    The outer handler does what Django does once for each request: it sets the URL prefix, logs errors and closes the
    request.
    """

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        """Run the middleware and the view."""
        return self._middleware_chain(request)  # type: ignore[return-value]  # none of ours is async

    def resolve_request(self, request: HttpRequest) -> ResolverMatch:
        """Resolve the request's path, with a cache. Raises ``Resolver404``."""
        path = request.path_info
        resolve = _resolve if len(path) <= LONGEST else _resolve.__wrapped__
        request.resolver_match = resolve(get_urlconf(), path)
        return request.resolver_match

    def load_middleware(self, is_async: bool = False) -> None:  # noqa: ARG002 - Django's parameter; nothing is async
        """Build the chain of ``API_MIDDLEWARE`` around the view."""
        self._view_middleware: list[Any] = []
        self._template_response_middleware: list[Any] = []
        self._exception_middleware: list[Any] = []
        chain = convert_exception_to_response(self._get_response)  # type: ignore[attr-defined]  # the stubs lack it
        for name in reversed(settings.API_MIDDLEWARE):
            chain = convert_exception_to_response(import_string(name)(chain))
        self._middleware_chain = chain


@lru_cache(CACHE_SIZE)
def _resolve(urlconf: str | None, path: str) -> ResolverMatch:
    return get_resolver(urlconf).resolve(path)
