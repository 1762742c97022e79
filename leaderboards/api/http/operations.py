"""An operation that is asked for: its parameters, its guard, its view, and the same refusals everywhere.

What ninja read off the view is used as it is; of ninja's own way to a view there is here what ours need, which answer
ready-made responses and have one guard. What a query string means is remembered: a game asks the same again and again.
The trap: so views of one operation are handed the same lists and objects, and must not change them.
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

MOST_REMEMBERED = 256
LONGEST_REMEMBERED = 200
_SOURCES = frozenset({"path", "query"})
_UNTOUCHED = HttpResponse()  # what ninja would hand to a view that asks for headers to fill; none of ours does


class OperationHandler:
    """``operation``, to be called with a request and what stands in its path.

    Raises ``ImproperlyConfigured`` for one that needs more of ninja than is here.
    """

    def __init__(self, operation: Operation) -> None:
        sources = {model.__ninja_param_source__: model for model in operation.models}
        is_plain = not (operation.is_async or operation.throttle_objects or operation.stream_format)
        if not is_plain or len(operation.auth_callbacks) > 1 or not sources.keys() <= _SOURCES:
            raise ImproperlyConfigured(f"{operation.path}: see {__name__} for what an operation may have.")
        self._operation = operation
        self._guard = next(iter(operation.auth_callbacks), None)
        self._path, query = sources.get("path"), sources.get("query")
        lists = getattr(query, "__ninja_collection_fields__", ())
        self._known = {name: name in lists for name in getattr(query, "__ninja_flatten_map__", ())}
        self._remembered: dict[str, dict[str, Any]] = {}

    def __call__(self, request: HttpRequest, path: dict[str, Any]) -> HttpResponseBase:
        """The answer, or the refusal."""
        values = None if request.encoding else self._remembered.get(request.META.get("QUERY_STRING", ""))
        if values is None and (refusal := _misspelled(request, self._known)) is not None:
            return refusal
        try:
            if self._guard is not None:
                request.auth = self._guard(request)  # type: ignore[attr-defined]  # where views look for it
            view: Callable[..., HttpResponseBase] = self._operation.view_func
            return view(request, **self._values(request, path, values))
        except Exception as error:
            return self._operation.api.on_exception(request, error)

    def _values(self, request: HttpRequest, path: dict[str, Any], asked: dict[str, Any] | None) -> dict[str, Any]:
        """The view's arguments; ``asked`` are those of the query string, where it is known what it means."""
        if asked is not None:
            try:
                named = self._path.resolve(request, self._operation.api, path) if self._path else ()
                return asked | dict(named)
            except ValidationError:
                pass  # is told below, in the words of all refusals
        values = self._operation._get_values(request, path, _UNTOUCHED)
        self._remember(request, {name: value for name, value in values.items() if name not in path})
        return values

    def _remember(self, request: HttpRequest, asked: dict[str, Any]) -> None:
        text = request.META.get("QUERY_STRING", "")
        if len(text) > LONGEST_REMEMBERED or request.encoding:
            return
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[text] = asked


def _misspelled(request: HttpRequest, known: Mapping[str, bool]) -> HttpResponse | None:
    """The refusal of parameters that are no texts, that the address does not have, or not twice; None for none."""
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
    """The refusal of bytes that are no text: Django would put U+FFFD in their place, and so name another player."""
    for part in request.META.get("QUERY_STRING", "").split("&"):
        try:
            unquote_to_bytes(part.encode("iso-8859-1")).decode(request.encoding or "utf-8")
        except ValueError:
            name = quote_untrusted(part.partition("=")[0][:40])
            detail = f"{name} is no UTF-8: percent-encode the bytes of each text in UTF-8."
            return respond(BadRequest(detail, [{"parameter": part.partition("=")[0][:40], "detail": detail}]))
    return None
