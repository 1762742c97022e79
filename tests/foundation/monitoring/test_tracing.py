"""Spans: of requests, tasks, SQL and Redis, in one trace, and without names or keys of anybody."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from celery import current_app
from celery.signals import before_task_publish, task_postrun, task_prerun
from django.conf import settings
from django.db import connections
from django.db.backends.signals import connection_created
from django.test import Client, override_settings
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from foundation.monitoring import tracing
from foundation.redis.client import RedisClient
from leaderboards.models import Storage
from tests.foundation.factories import KeyFactory
from tests.leaderboards.factories import BoardFactory

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
NAME = "zelda-the-secret"
FIRST, *REST = settings.MIDDLEWARE
traced = override_settings(MIDDLEWARE=[FIRST, "foundation.monitoring.tracing.TraceRequests", *REST])


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[ReadableSpan]]]:
    """The spans that were sent so far. Afterwards nothing is observed any more: other tests count calls."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(RedisClient, "_exchange", RedisClient._exchange)
    tracing.listen()
    tracing.use(provider)
    with traced:
        yield lambda: list(exporter.get_finished_spans())
    tracing.use(None)
    for signal in (before_task_publish, task_prerun, task_postrun, connection_created):
        signal.disconnect(dispatch_uid="tracing")
    for connection in connections.all(initialized_only=True):
        connection.execute_wrappers.remove(tracing._trace_sql)


def told(span: ReadableSpan) -> dict[str, object]:
    return dict(json.loads(span.to_json())["attributes"])


@pytest.mark.django_db
def test_a_score_is_one_trace_with_its_route_statements_and_calls_and_no_name_or_key(
    spans: Callable[[], list[ReadableSpan]],
) -> None:
    board = BoardFactory.create(storage=Storage.REDIS)
    key = KeyFactory.create(scopes=["scores:write", "boards:read"])
    headers = {"Authorization": f"Bearer {key}", "traceparent": f"00-{TRACE}-{PARENT}-01", "tracestate": f"x={NAME}"}
    body = {"entries": [{"board": board.seq, "player": NAME, "points": 5, "id": f"{NAME}-1"}]}

    sent = Client().post("/api/v1/scores", body, "application/json", headers=headers)
    Client().get(f"/api/v1/boards/{board.seq}/players/{NAME}", headers=headers)

    assert sent.status_code == 200
    post, get = (span for span in spans() if span.kind.name == "SERVER")
    assert post.name == "POST api/v1/scores"
    assert told(post)["http.response.status_code"] == 200
    assert told(post)["sunwi.request_id"] == sent["X-Request-ID"]
    assert get.name.startswith("GET api/v1/boards/<")
    assert post.context is not None
    assert post.parent is not None
    assert (f"{post.context.trace_id:032x}", f"{post.parent.span_id:016x}") == (TRACE, PARENT)
    within = [span for span in spans() if span.kind.name == "CLIENT"]
    assert {told(span)["db.system.name"] for span in within} >= {"redis"}
    assert any(span.name.endswith((" SELECT", " INSERT")) for span in within)
    assert {span.context.trace_id for span in within if span.context} == {post.context.trace_id}
    everything = "".join(span.to_json() for span in spans())
    assert NAME not in everything
    assert not any(part in everything for part in key.split("_")[1:])


@pytest.mark.django_db
def test_an_error_is_told_by_its_class_and_never_by_its_words(spans: Callable[[], list[ReadableSpan]]) -> None:
    with pytest.raises(ValueError, match=NAME), tracing._span("task", SpanKind.CONSUMER):
        raise ValueError(NAME)

    [span] = spans()
    assert told(span)["error.type"] == "ValueError"
    assert span.status.status_code.name == "ERROR"
    assert NAME not in span.to_json()


@pytest.mark.parametrize("came", ["", "nonsense", f"00-{'0' * 32}-{PARENT}-01", NAME])
def test_a_traceparent_that_is_none_begins_a_trace(came: str, spans: Callable[[], list[ReadableSpan]]) -> None:
    Client().get("/healthz", headers={"traceparent": came})

    [span] = spans()
    assert span.parent is None


def test_a_task_goes_on_in_the_trace_of_who_sent_it(spans: Callable[[], list[ReadableSpan]]) -> None:
    headers: dict[str, str] = {}

    @current_app.task(name="tests.fails")
    def fails() -> None:
        raise ValueError(NAME)

    try:
        with tracing._span("request", SpanKind.SERVER):
            tracing._send(headers=headers)
        fails.apply(headers=headers)
    finally:
        current_app.tasks.pop("tests.fails")

    request, task = spans()
    assert (task.name, told(task)["error.type"]) == ("tests.fails", "ValueError")
    assert request.context is not None
    assert set(headers) == {"traceparent"}
    assert NAME not in task.to_json()


def test_a_statement_is_told_by_its_first_word_alone() -> None:
    statements = ("select 'x'", "  (SELECT 1)", f"'{NAME}' x", "", NAME, "WITHAVERYLONGWORD")

    assert [tracing._first_word(sql) for sql in statements] == ["SELECT"] * 2 + ["OTHER"] * 4


# redis-py imports parts of the SDK by itself where it finds them.
OURS = ("foundation.monitoring.tracing", "opentelemetry.sdk.trace", "opentelemetry.exporter", "sentry_sdk")
LOADED = f"import sys; print([name for name in {OURS} if name in sys.modules])"


A_WORKER = "import config.celery; config.celery.app.loader.import_default_modules();"


@pytest.mark.parametrize("start", ["import config.wsgi;", A_WORKER, "import config.beat;"])
def test_nothing_of_it_is_imported_without_its_variables(start: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", start + LOADED], cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
