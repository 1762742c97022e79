"""Set the audit log's actor for each request. Account and address are read only when an entry is recorded."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from foundation.audit.actor import acting
from foundation.http.client_address import UNKNOWN, client_network


class AuditMiddleware:
    """Record changes of a request as done by its account; the API sets the service key, if there is one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with acting(lambda: getattr(request, "user", None), lambda: _address(request)):
            return self._get_response(request)


def _address(request: HttpRequest) -> str:
    network = client_network(request)
    return "" if network == UNKNOWN else network
