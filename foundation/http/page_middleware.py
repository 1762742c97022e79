"""Middleware that only pages need: the JSON API has no session, no login, no language and no messages.

Each but the one for languages is Django's own; each lets the API's requests pass, which would pay for all of it with
every score. What guards every answer (TLS, hosts, the policy, frames) is not here. The trap: a thread keeps the
language of its last page.
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

API = "/api/v1/"
VARIES = "Accept-Language"


class _PagesAlone(MiddlewareMixin):
    """Stands aside for the API."""

    get_response: Callable[[HttpRequest], Any]

    def __call__(self, request: HttpRequest) -> Any:
        return self.get_response(request) if is_of_api(request) else super().__call__(request)


class PageSessions(_PagesAlone, SessionMiddleware):
    """Sessions of pages."""


class PageLogins(_PagesAlone, AuthenticationMiddleware):
    """Who is signed in."""


class PageMessages(_PagesAlone, MessageMiddleware):
    """Messages for the next page."""


class PageLanguages(_PagesAlone):
    """The viewer's language; the API speaks the site's. Unlike Django's own it looks for none in addresses."""

    def __call__(self, request: HttpRequest) -> Any:
        if is_of_api(request):
            translation.activate(settings.LANGUAGE_CODE)
        return super().__call__(request)

    def process_request(self, request: HttpRequest) -> None:
        """By cookie and header."""
        request.LANGUAGE_CODE = translation.get_language_from_request(request)
        translation.activate(request.LANGUAGE_CODE)

    def process_response(self, _: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """``response``, said to be in that language."""
        if VARIES not in response.headers.get("Vary", ""):
            patch_vary_headers(response, (VARIES,))
        response.headers.setdefault("Content-Language", translation.get_language())
        return response


class ContentSecurityPolicy(CSPMiddleware):
    """The site's policy for every answer, built once; what has one of its own gets that."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        super().__init__(get_response)
        self._usual = build_policy()

    def process_request(self, request: HttpRequest) -> None:
        """No page has a nonce."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """``response`` with its policy."""
        if hasattr(request, "_csp_nonce") or any(name.startswith("_csp") for name in response.__dict__):
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, self._usual)
        return response


def is_of_api(request: HttpRequest) -> bool:
    """Whether an address of the API is asked for."""
    return request.path_info.startswith(API)
