"""What Sentry hears of an error: where in the code, and nothing about people. A fake of its server listens."""

import gzip
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import environ
import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.components import watching
from foundation.monitoring import error_reports

NAME = "zelda-the-secret"
KEY = f"sunwi_0123abcd_{'f' * 40}"
# A request whose view fails, with a player's name and a key wherever a request can have them.
A_REQUEST = f"""
import django; django.setup()
from django.http import HttpRequest
from django.test import Client, override_settings
from django.urls import path
import sys, types
def fails(request, player):
    name = {NAME!r}
    raise ValueError(f"Player {{name}} is no number")
urls = types.ModuleType("urls_of_the_test"); urls.urlpatterns = [path("players/<str:player>", fails)]
from django.http import HttpResponse
urls.handler500 = lambda request: HttpResponse(status=500)
sys.modules["urls_of_the_test"] = urls
with override_settings(ROOT_URLCONF="urls_of_the_test"):
    client = Client(raise_request_exception=False, HTTP_HOST="localhost")
    headers = {{"Authorization": "Bearer {KEY}", "Cookie": "a={NAME}", "X-Request-ID": "of-the-test"}}
    client.post("/players/{NAME}?q={NAME}", {{"name": {NAME!r}}}, headers=headers)
import logging
logging.getLogger("foundation.x").error("The row %s is wrong", {NAME!r}, extra={{"player": {NAME!r}}})
logging.getLogger("driver").error("Key (name)=({NAME}) exists")
"""


class Sentry(HTTPServer):
    """Takes envelopes, and keeps the events in them and all that it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Envelopes)
        self.events: list[dict[str, Any]] = []
        self.text = ""

    @property
    def dsn(self) -> str:
        return f"http://public@127.0.0.1:{self.server_port}/1"


class Envelopes(BaseHTTPRequestHandler):
    server: Sentry

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        _, *rest = body.splitlines()
        items = [json.loads(line) for line in rest if line]
        self.server.events += [
            item for head, item in zip(items[::2], items[1::2], strict=True) if head["type"] == "event"
        ]
        self.server.text += f"{self.path} {self.headers} {body.decode()}"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def sentry() -> Iterator[Sentry]:
    server = Sentry()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def run(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"} | variables
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_errors_arrive_with_where_they_happened_and_without_names_keys_or_rows(sentry: Sentry) -> None:
    done = run(
        A_REQUEST,
        SENTRY_DSN=sentry.dsn,
        SENTRY_ENVIRONMENT="rehearsal",
        GIT_COMMIT="abc123",
        DATABASE_URL="sqlite://:memory:",
    )

    assert done.returncode == 0, done.stderr
    failed, row, driver = sentry.events
    [error] = failed["exception"]["values"]
    assert (error["type"], "value" in error) == ("ValueError", False)
    assert error["stacktrace"]["frames"][-1]["function"] == "fails"
    assert failed["transaction"] == "players/<str:player>"
    assert failed["tags"] == {"request_id": "of-the-test"}
    assert (failed["environment"], failed["release"]) == ("rehearsal", "abc123")
    assert row["logentry"] == {"message": "The row %s is wrong"}
    assert (driver["logger"], "logentry" in driver) == ("driver", False)
    assert NAME not in sentry.text.replace(f"name = {NAME!r}", "")
    assert KEY.split("_")[2] not in sentry.text
    assert {"request", "user", "breadcrumbs", "extra", "contexts", "modules"}.isdisjoint(failed)


def test_an_address_that_is_none_is_refused_at_the_start() -> None:
    done = run("import django; django.setup()", SENTRY_DSN="https://sentry.example/1")

    assert "SENTRY_DSN is no address of a Sentry project" in done.stderr


@pytest.mark.parametrize("name", ["SENTRY_DSN", "OTEL_EXPORTER_OTLP_ENDPOINT"])
def test_a_variable_whose_package_is_missing_is_refused_with_what_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = environ.Env()
    env.ENVIRON = {name: "http://collector.example:4318"}
    for module in (watching, error_reports):
        monkeypatch.setattr(module, "find_spec", lambda _name: None)

    def read() -> None:
        assert watching.is_traced(env) is False
        watching.report_errors(env, {}, "")

    with pytest.raises(ImproperlyConfigured, match=rf"{name} is set.*install sunwi\[(otel|sentry)\]"):
        read()


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x:4318", "OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_spans_are_sent_where_an_endpoint_is_set(given: dict[str, str], wanted: bool) -> None:
    env = environ.Env()
    env.ENVIRON = given

    assert watching.is_traced(env) is wanted


def test_lines_of_ours_are_templates_so_that_their_words_say_nothing_about_people() -> None:
    pattern = re.compile(r"logg(er|ing)\.\w+\((f\"|.*\.format\()")
    folders = set(error_reports.TEMPLATES) - {"celery", "django"}
    files = [file for folder in folders for file in (settings.BASE_DIR / folder).rglob("*.py")]

    assert len(files) > 100
    assert [file for file in files if pattern.search(file.read_text("utf-8"))] == []
