"""Addresses at which something goes wrong on purpose, beside all of the site's own: an address table for tests.

What answers is the site's own: its middleware, its handlers, its templates.
"""

from collections.abc import Callable

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.csrf import csrf_failure

from config.urls import urlpatterns as of_the_site
from foundation.errors import RateLimited, Unavailable
from tests.browser.crowd.page import SitePage

FAILING: dict[int, Exception] = {
    403: PermissionDenied("Not for you."),
    429: RateLimited("Too often.", 7),
    500: ZeroDivisionError("On purpose."),
    503: Unavailable("On purpose."),
}


def _raising(error: Exception) -> Callable[[HttpRequest], HttpResponse]:
    def view(request: HttpRequest) -> HttpResponse:
        raise error

    return view


urlpatterns = [
    *of_the_site,
    *(path(f"failing/{status}/", _raising(error)) for status, error in FAILING.items()),
    path("failing/csrf/", csrf_failure),
]


def pages() -> list[SitePage]:
    """They stand only where ``ROOT_URLCONF`` names this module."""
    return [
        *(SitePage(str(status), f"/failing/{status}/", status=status) for status in FAILING),
        SitePage("403-csrf", "/failing/csrf/", status=403),
        SitePage("404", "/nowhere/", "robin", status=404),
    ]
