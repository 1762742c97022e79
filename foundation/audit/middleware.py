"""Who is behind a request and from where, for the audit log: asked only when something is recorded, so that a score
pays nothing."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from foundation.audit.actor import acting
from foundation.http.client_address import UNKNOWN, client_network


class AuditMiddleware:
    """What a request changes is done by its account; where it came with a service key, the API says so."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The answer."""
        with acting(lambda: getattr(request, "user", None), lambda: _address(request)):
            return self._get_response(request)


def _address(request: HttpRequest) -> str:
    found = client_network(request)
    return "" if found == UNKNOWN else found
