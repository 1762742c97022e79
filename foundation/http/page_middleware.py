"""Middleware for pages only: the JSON API has no sessions, logins, languages and messages.

All but the one for languages extend Django's own, and pass by API requests to save their cost. Middleware that protects
every answer (TLS, hosts, frames) is not here. The trap: a thread keeps the language of its last page.
"""

from collections.abc import Callable
from typing import Any

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from foundation.http.fast_path import is_of_api

VARIES = "Accept-Language"


class _PagesOnly(MiddlewareMixin):
    """Skip API requests."""

    get_response: Callable[[HttpRequest], Any]

    def __call__(self, request: HttpRequest) -> Any:
        return self.get_response(request) if is_of_api(request) else super().__call__(request)


class PageSessions(_PagesOnly, SessionMiddleware):
    """Sessions of pages."""


class PageLogins(_PagesOnly, AuthenticationMiddleware):
    """The account that is signed in."""


class PageMessages(_PagesOnly, MessageMiddleware):
    """Messages for the next page."""


class PageLanguages(_PagesOnly):
    """Activate the viewer's language; for the API the site's. Unlike Django's it ignores language prefixes in URLs."""

    def __call__(self, request: HttpRequest) -> Any:
        if is_of_api(request):
            translation.activate(settings.LANGUAGE_CODE)
        return super().__call__(request)

    def process_request(self, request: HttpRequest) -> None:
        """Activate the language of the cookie or the ``Accept-Language`` header."""
        request.LANGUAGE_CODE = translation.get_language_from_request(request)
        translation.activate(request.LANGUAGE_CODE)

    def process_response(self, _: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Add ``Vary`` and ``Content-Language``."""
        if VARIES not in response.headers.get("Vary", ""):
            patch_vary_headers(response, (VARIES,))
        response.headers.setdefault("Content-Language", translation.get_language())
        return response


class ContentSecurityPolicy(CSPMiddleware):
    """Set the site's policy, which is built once, unless the response has its own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        super().__init__(get_response)
        self._default_policy = build_policy()

    def process_request(self, request: HttpRequest) -> None:
        """Do nothing: no page has a nonce."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Add the policy's header."""
        if hasattr(request, "_csp_nonce") or any(name.startswith("_csp") for name in response.__dict__):
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, self._default_policy)
        return response
