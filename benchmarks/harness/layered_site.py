"""The product's site with addresses that do one step of a request each, for ``benchmarks/layers.py``.

Below ``PREFIX`` a step goes the API's way: its middleware, then a view that does this step alone, so what a step costs
is what it takes more than ``view``. ``BARE`` is answered before Django. The trap: ``config.wsgi`` must be imported
before anything that needs Django's apps.
"""

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.urls import path

from benchmarks.layers import ANSWER, BARE, PREFIX, TABLE
from config import wsgi
from foundation.db.pipeline import pipelined
from foundation.http.fast_path import api_view, is_of_api
from foundation.redis import client as redis
from leaderboards.api.http.access import RequireKey
from leaderboards.models import Period
from leaderboards.stores.base import ForPlayers
from leaderboards.stores.redis.reads import ZsetStore

_require_key = RequireKey("scores:write")


def view(_: HttpRequest) -> HttpResponse:
    """Nothing."""
    return HttpResponse(ANSWER.encode(), content_type="application/json")


def key(request: HttpRequest) -> HttpResponse:
    """The key and its rate limit."""
    _require_key(request)
    return view(request)


def trip(request: HttpRequest, period: int, player: str) -> HttpResponse:
    """One round trip to Redis: the script that reads a player's rank."""
    ZsetStore(redis.boards()).read(_period(period), [ForPlayers((player,))])
    return view(request)


def commit(request: HttpRequest) -> HttpResponse:
    """A transaction of one row, in one pipeline."""
    with transaction.atomic(), pipelined() as statements:
        statements.execute(f"INSERT INTO {TABLE} (at) VALUES (now())", ())  # noqa: S608 - the table's name is a constant
        statements.commit()
    return view(request)


@cache
def _period(number: int) -> Period:
    return Period.objects.select_related("board").get(pk=number)


import_module(settings.ROOT_URLCONF).urlpatterns[:0] = [
    path(f"{PREFIX[1:]}view", api_view(view)),
    path(f"{PREFIX[1:]}key", api_view(key)),
    path(f"{PREFIX[1:]}trip/<int:period>/<player>", api_view(trip)),
    path(f"{PREFIX[1:]}commit", api_view(commit)),
]
if not is_of_api(RequestFactory().get(f"{PREFIX}view")):
    raise SystemExit(f"{PREFIX}view does not take the API's way")


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The site, and the least that a WSGI application can be."""
    if environ["PATH_INFO"] == BARE:
        start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(ANSWER)))])
        return [ANSWER.encode()]
    return wsgi.application(environ, start_response)
