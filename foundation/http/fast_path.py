"""The API's way through Django: a handler of Django's own with a short list of middleware.

Its addresses need no session, login, language of the viewer, message or file of ``static/``, and would pay for the
passing of each layer with every score. Stands first in ``MIDDLEWARE``, so that whoever serves the site, or tests it,
goes the same way. The trap: a layer that is to hold for the API too must stand in ``API_MIDDLEWARE`` as well.
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
LONGEST = 100  # characters of an address that is remembered


class ApiFastPath:
    """Hands what is asked of the API to a handler with ``API_MIDDLEWARE``, all else to the rest of ``MIDDLEWARE``."""

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
        translation.activate(settings.LANGUAGE_CODE)  # a thread keeps the language of its last page
        return self._api.answer(request)


class _ApiHandler(BaseHandler):
    """Django's own, whose layers do their work around the view and have no hooks of views or exceptions.

    What Django does around all layers (it names the addresses, logs refusals, closes the request) is done once, by the
    handler that this one stands in.
    """

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        """The answer of the layers and of the view."""
        return self._middleware_chain(request)  # type: ignore[return-value]  # none of ours waits

    def resolve_request(self, request: HttpRequest) -> ResolverMatch:
        """The view of an address; what is asked for again and again is remembered. Raises ``Resolver404``."""
        path = request.path_info
        find = _found if len(path) <= LONGEST else _found.__wrapped__
        request.resolver_match = find(get_urlconf(), path)
        return request.resolver_match

    def load_middleware(self, is_async: bool = False) -> None:  # noqa: ARG002 (its name is Django's; nothing here is)
        """Build the way through ``API_MIDDLEWARE`` to the view."""
        self._view_middleware: list[Any] = []
        self._template_response_middleware: list[Any] = []
        self._exception_middleware: list[Any] = []
        way = convert_exception_to_response(self._get_response)  # type: ignore[attr-defined]  # the stubs lack it
        for name in reversed(settings.API_MIDDLEWARE):
            way = convert_exception_to_response(import_string(name)(way))
        self._middleware_chain = way


@lru_cache(CACHE_SIZE)
def _found(urlconf: str | None, path: str) -> ResolverMatch:
    return get_resolver(urlconf).resolve(path)
