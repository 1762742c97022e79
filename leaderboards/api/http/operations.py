"""Calling an operation of ninja: its parameters, its authentication, its view, and the error handlers.

It replaces ninja's ``run`` by the part that our views need: they return ready-made responses and have one
authenticator (decision 0072). Parsed query strings are cached: a game sends the same again and again. The trap: calls
of one operation get the same lists and objects, and must not change them.

Unknown and repeated parameters are refused, else a misspelled ``dry_run`` or the first of two limits would be ignored.
"""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote_to_bytes

from django.core.exceptions import ImproperlyConfigured, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja.operation import Operation
from pydantic import ValidationError

from foundation.http.problems import BadRequest, respond
from leaderboards.core.input.entries import quote_untrusted

CACHED_QUERIES = 256
LONGEST_CACHED_QUERY = 200
_SOURCES = frozenset({"path", "query"})
_UNUSED_RESPONSE = HttpResponse()  # ninja passes it to views that set headers on it; none of ours does


class OperationHandler:
    """Calls ``operation`` with a request and its path parameters.

    Raises ``ImproperlyConfigured`` if the operation needs more of ninja than is supported here.
    """

    def __init__(self, operation: Operation) -> None:
        sources = {model.__ninja_param_source__: model for model in operation.models}
        is_plain = not (operation.is_async or operation.throttle_objects or operation.stream_format)
        if not is_plain or len(operation.auth_callbacks) > 1 or not sources.keys() <= _SOURCES:
            raise ImproperlyConfigured(f"{operation.path}: see {__name__} for what an operation may have.")
        self._operation = operation
        self._auth = next(iter(operation.auth_callbacks), None)
        self._path, query = sources.get("path"), sources.get("query")
        lists = getattr(query, "__ninja_collection_fields__", ())
        self._is_list_by_name = {name: name in lists for name in getattr(query, "__ninja_flatten_map__", ())}
        self._cached_values: dict[str, dict[str, Any]] = {}

    def __call__(self, request: HttpRequest, path: dict[str, Any]) -> HttpResponseBase:
        """The response of the view, or of an error handler."""
        values = None if request.encoding else self._cached_values.get(request.META.get("QUERY_STRING", ""))
        if values is None and (refusal := _refuse_parameters(request, self._is_list_by_name)) is not None:
            return refusal
        try:
            if self._auth is not None:
                request.auth = self._auth(request)  # type: ignore[attr-defined]  # views read the key there, as ninja's do
            view: Callable[..., HttpResponseBase] = self._operation.view_func
            return view(request, **self._values(request, path, values))
        except Exception as error:
            return self._operation.api.on_exception(request, error)

    def _values(self, request: HttpRequest, path: dict[str, Any], cached: dict[str, Any] | None) -> dict[str, Any]:
        """The view's arguments; ``cached`` are those of the query string, if it was parsed before."""
        if cached is not None:
            try:
                named = self._path.resolve(request, self._operation.api, path) if self._path else ()
                return cached | dict(named)
            except ValidationError:
                pass  # raised again below, as ninja's own error
        values = self._operation._get_values(request, path, _UNUSED_RESPONSE)
        self._cache(request, {name: value for name, value in values.items() if name not in path})
        return values

    def _cache(self, request: HttpRequest, values: dict[str, Any]) -> None:
        text = request.META.get("QUERY_STRING", "")
        if len(text) > LONGEST_CACHED_QUERY or request.encoding:
            return
        if len(self._cached_values) >= CACHED_QUERIES:
            self._cached_values.clear()
        self._cached_values[text] = values


def _refuse_parameters(request: HttpRequest, known: Mapping[str, bool]) -> HttpResponse | None:
    """The refusal of parameters that are not UTF-8, unknown or repeated; None if all are fine."""
    if (refusal := _undecodable(request)) is not None:
        return refusal
    try:
        sent = {name: len(values) for name, values in request.GET.lists()}
    except TooManyFieldsSent:
        return respond(BadRequest("The address has far too many parameters."))
    possible = f"there are {', '.join(f'`{name}`' for name in known)}" if known else "this address takes none"
    details = {
        name: f"There is no parameter {quote_untrusted(name)} here; {possible}." for name in sent if name not in known
    }
    for name, times in sent.items():
        if times > 1 and known.get(name) is False:
            details[name] = f"`{name}` is there {times} times; send it once."
    if not details:
        return None
    errors = [{"parameter": name[:40], "detail": detail} for name, detail in details.items()]
    return respond(BadRequest(next(iter(details.values())), errors))


def _undecodable(request: HttpRequest) -> HttpResponse | None:
    """The refusal of bytes that are not UTF-8: Django would replace them by U+FFFD, which names another player."""
    for part in request.META.get("QUERY_STRING", "").split("&"):
        try:
            unquote_to_bytes(part.encode("iso-8859-1")).decode(request.encoding or "utf-8")
        except ValueError:
            name = quote_untrusted(part.partition("=")[0][:40])
            detail = f"{name} is no UTF-8: percent-encode the bytes of each text in UTF-8."
            return respond(BadRequest(detail, [{"parameter": part.partition("=")[0][:40], "detail": detail}]))
    return None
