"""The JSON API, version 1: one router per subject, and the same error handlers for all.

``docs/api.md`` is the contract. Views return ready-made responses; their schemas are documentation only.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.urls import NoReverseMatch, URLPattern, reverse
from django.views.decorators.csrf import csrf_exempt
from ninja.errors import ValidationError
from ninja.operation import Operation

from foundation.db.resilience import is_busy
from foundation.errors import SunwiError
from foundation.http.fast_path import api_view
from foundation.http.problems import BadRequest, DatabaseAway, NoSuchPath, respond, respond_unexpected
from leaderboards.api.http.dispatch import dispatch_pattern
from leaderboards.api.http.operations import OperationHandler
from leaderboards.api.http.paging import bad_cursor
from leaderboards.api.openapi.document import Api, ApiPart
from leaderboards.api.openapi.examples import board_operation_docs
from leaderboards.api.openapi.webhooks import board_webhooks
from leaderboards.api.routes import boards, export, periods, players, scores, standings, view
from leaderboards.errors import BadCursor

api = Api(
    title="Sunwi",
    version="1",
    description="Leaderboards: game servers submit scores with a service key, anybody reads what is public.",
    openapi_url=None,
    docs_url=None,
    urls_namespace="api",
)
routers = tuple(each.router for each in (scores, boards, periods, standings, view, export, players))
api.add(ApiPart(routers, board_operation_docs, board_webhooks))


def urls(*others: ApiPart) -> list[URLPattern]:
    """The URL patterns of the API; ``others`` are the parts of the apps above, which this app does not import."""
    for part in others:
        api.add(part)
    patterns: list[URLPattern] = []
    for bound in api._get_bound_routers():
        views = list(bound.path_operations.values())
        handlers = [_by_method(view.operations) for view in views for _ in view.operations]
        patterns += map(dispatch_pattern, bound.urls_paths(bound.prefix), handlers)
    return patterns


def _by_method(operations: Sequence[Operation]) -> dict[str, OperationHandler]:
    return {method: OperationHandler(operation) for operation in operations for method in operation.methods}


@api_view
@csrf_exempt
def unknown_path(request: HttpRequest) -> HttpResponse:
    """Answer 404 for any other path under /api/."""
    return respond(NoSuchPath(f"There is nothing at {request.path[:200]}{_where_it_is_told()}."))


def _where_it_is_told() -> str:
    """Return where the documentation is; a project that only uses the apps may have none."""
    try:
        return f"; see {reverse('api-docs')}"
    except NoReverseMatch:
        return ""


@api.exception_handler(SunwiError)
def _refused(_request: HttpRequest, error: SunwiError) -> HttpResponse:
    return respond(error)


@api.exception_handler(BadCursor)
def _bad_cursor(_request: HttpRequest, error: BadCursor) -> HttpResponse:
    return respond(bad_cursor(error))


@api.exception_handler(ValidationError)
def _bad_parameters(_request: HttpRequest, error: ValidationError) -> HttpResponse:
    errors = [{"parameter": str(each["loc"][-1]), "detail": _message_of(each)} for each in error.errors]
    listed = ", ".join(f"`{each['parameter']}`: {each['detail']}" for each in errors)
    return respond(BadRequest(f"Wrong parameters: {listed}.", errors))


def _message_of(error: Mapping[str, Any]) -> str:
    """The message, without pydantic's prefix for errors of our own validators."""
    return str(error["msg"]).removeprefix("Value error, ")


@api.exception_handler(OperationalError)
@api.exception_handler(InterfaceError)
def _no_database(_request: HttpRequest, error: Exception) -> HttpResponse:
    if is_busy(error) or "locked" in str(error):  # SQLite takes one writer at a time, and gives up after 5 s
        return respond(DatabaseAway("The database is busy with what others write; try again."))
    return respond(DatabaseAway("The database does not answer; try again."))


@api.exception_handler(Exception)
def _failed(request: HttpRequest, error: Exception) -> HttpResponse:
    return respond_unexpected(request, error)
