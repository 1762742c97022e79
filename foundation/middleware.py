"""Pages while a server is away: 503 and a word, instead of a failure. The API answers for itself."""

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string

from foundation.errors import Unavailable
from foundation.sql import AWAY

logger = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = "5"


class ServersAwayMiddleware:
    """Turns an absent SQL or Redis, met by a view, into 503 with ``Retry-After``."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page for it; None leaves any other error to Django."""
        if not isinstance(exception, (Unavailable, *AWAY)):
            return None
        logger.warning("%s cannot be shown now: %s", request.path, exception)
        return HttpResponse(render_to_string("500.html"), status=503, headers={"Retry-After": RETRY_AFTER_SECONDS})
