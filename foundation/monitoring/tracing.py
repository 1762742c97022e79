"""OpenTelemetry: spans of requests, tasks, SQL statements and calls of Redis (extra ``otel``).

Only imported with the setting ``TRACING``. The spans are made here, not by ready-made instrumentations, because those
send addresses, statements and messages of errors, in which players have names. What is sent: the method, the route
with its placeholders, the status, names of tasks, the kind of a statement or command, the class of an error, times.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connections
from django.db.backends.signals import connection_created
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from opentelemetry import context, trace
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, SpanKind, Status, StatusCode, TraceFlags
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from foundation.monitoring import request_ids
from foundation.monitoring.request_metrics import ADMIN, METHODS
from foundation.redis.client import RedisClient

SERVICE = "sunwi"
HEADER, META = "traceparent", "HTTP_TRACEPARENT"
LONGEST_COMMAND = 12  # letters of the first word of a statement or command

_propagator = TraceContextTextMapPropagator()
_provider: TracerProvider | None = None
_running: dict[str, tuple[Span, Any]] = {}  # spans of tasks, by the task's id


def start(version: str) -> None:
    """Send spans to the collector of ``OTEL_EXPORTER_OTLP_ENDPOINT``, from now on. Other ``OTEL_*`` are the SDK's."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    service = os.environ.get("OTEL_SERVICE_NAME") or SERVICE
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: service, SERVICE_VERSION: version}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    use(provider)
    listen()


def use(provider: TracerProvider | None) -> None:
    """Make spans with ``provider``; with None make none."""
    global _provider  # noqa: PLW0603 - a process has one provider
    _provider = provider


def listen() -> None:
    """Connect to the signals of Celery and of SQL's connections, and to Redis. Calling it twice has no effect."""
    from celery.signals import before_task_publish, task_postrun, task_prerun

    before_task_publish.connect(_send, dispatch_uid="tracing")
    task_prerun.connect(_begin_task, dispatch_uid="tracing")
    task_postrun.connect(_end_task, dispatch_uid="tracing")
    connection_created.connect(_observe_sql, dispatch_uid="tracing")
    for connection in connections.all(initialized_only=True):
        _observe_sql(connection)
    if not hasattr(RedisClient._exchange, "__wrapped__"):
        RedisClient._exchange = _observed(RedisClient._exchange)  # type: ignore[method-assign]  # tracing wraps our own method


class TraceRequests:
    """Middleware: a span for each request, within the caller's trace if ``traceparent`` came."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        method = request.method if request.method in METHODS else "_OTHER"
        with _span(str(method), SpanKind.SERVER, parent=request.META.get(META)) as span:
            response = self._get_response(request)
            if span.is_recording():
                _describe(span, str(method), request, response)
        return response


def _describe(span: Span, method: str, request: HttpRequest, response: HttpResponseBase) -> None:
    match = request.resolver_match
    route = match.route if match else ""
    if route.startswith(ADMIN):
        route = ADMIN
    span.update_name(f"{method} {route}" if route else method)
    span.set_attribute("http.request.method", method)
    span.set_attribute("http.response.status_code", response.status_code)
    if route:
        span.set_attribute("http.route", route)
    if response.status_code >= 500:
        span.set_status(Status(StatusCode.ERROR))


@contextmanager
def _span(name: str, kind: SpanKind, parent: object = None, **attributes: Any) -> Iterator[Span]:
    """A span around the block. An error that passes through is told by its class alone."""
    if _provider is None:
        yield trace.INVALID_SPAN
        return
    span = _begin(name, kind, parent, **attributes)
    token = context.attach(trace.set_span_in_context(span))
    try:
        yield span
    except BaseException as error:
        _fail(span, error)
        raise
    finally:
        context.detach(token)
        span.end()


def _begin(name: str, kind: SpanKind, parent: object, **attributes: Any) -> Span:
    assert _provider is not None  # noqa: S101 - for the type checker: it is set before this is called
    request_id = request_ids.current().request_id
    known = {"sunwi.request_id": request_id} if request_id and kind is not SpanKind.CLIENT else {}
    tracer = _provider.get_tracer(SERVICE)
    return tracer.start_span(name, context=_remote(parent), kind=kind, attributes={**known, **attributes})


def _remote(parent: object) -> context.Context | None:
    """The context of the caller's span by ``traceparent``, without its ``tracestate``: that may say anything."""
    if not isinstance(parent, str):
        return None
    told = trace.get_current_span(_propagator.extract({HEADER: parent}, context.Context())).get_span_context()
    if not told.is_valid:
        return None
    plain = SpanContext(told.trace_id, told.span_id, is_remote=True, trace_flags=TraceFlags(told.trace_flags))
    return trace.set_span_in_context(NonRecordingSpan(plain))


def _fail(span: Span, error: object) -> None:
    span.set_attribute("error.type", type(error).__qualname__)
    span.set_status(Status(StatusCode.ERROR))


# -- Tasks ------------------------------------------------------------------------------------------


def _send(headers: dict[str, Any] | None = None, **_: Any) -> None:
    if _provider is not None and headers is not None:
        _propagator.inject(headers)
        headers.pop("tracestate", None)


def _begin_task(task_id: str, task: Any, **_: Any) -> None:
    if _provider is None:
        return
    parent = getattr(task.request, HEADER, None)
    span = _begin(task.name, SpanKind.CONSUMER, parent, **{"messaging.destination.name": task.name})
    _running[task_id] = span, context.attach(trace.set_span_in_context(span))


def _end_task(task_id: str, state: str | None = None, retval: object = None, **_: Any) -> None:
    span, token = _running.pop(task_id, (None, None))
    if span is None or token is None:
        return
    if state == "FAILURE":
        _fail(span, retval)
    context.detach(token)
    span.end()


# -- SQL and Redis: only within a request or a task ---------------------------------------------------


def _observe_sql(connection: Any, **_: Any) -> None:
    if _trace_sql not in connection.execute_wrappers:
        connection.execute_wrappers.append(_trace_sql)


def _trace_sql(execute: Callable[..., Any], sql: Any, params: Any, many: bool, within: Any) -> Any:
    if not _is_traced():
        return execute(sql, params, many, within)
    vendor, word = within["connection"].vendor, _first_word(sql)
    with _span(f"{vendor} {word}", SpanKind.CLIENT, **{"db.system.name": vendor, "db.operation.name": word}):
        return execute(sql, params, many, within)


def _observed(exchange: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    def observed(client: RedisClient, commands: Sequence[Sequence[Any]]) -> list[Any]:
        if not commands or not _is_traced():
            return exchange(client, commands)
        word = _first_word(commands[0][0])
        told = {"db.system.name": "redis", "db.operation.name": word, "db.operation.batch.size": len(commands)}
        with _span(f"redis {word}", SpanKind.CLIENT, **told):
            return exchange(client, commands)

    observed.__wrapped__ = exchange  # type: ignore[attr-defined]  # `functools.wraps` sets it too
    return observed


def _is_traced() -> bool:
    return _provider is not None and trace.get_current_span().is_recording()


def _first_word(text: object) -> str:
    """The first word in capitals, if it is one; a statement may begin with anything."""
    word = str(text).lstrip(" (\n").split(None, 1)[:1]
    is_plain = bool(word) and word[0].isascii() and word[0].isalpha() and len(word[0]) <= LONGEST_COMMAND
    return word[0].upper() if is_plain else "OTHER"
