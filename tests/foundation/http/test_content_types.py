"""A Content-Type that nobody can read is refused in a sentence, and all others are left alone."""

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

from config.wsgi import application
from foundation.http.content_types import is_readable

READABLE = [
    *(
        "application/json",
        "application/json; charset=utf-8",
        'application/json; charset="UTF-8"',
        "",
        ";",
        "x; charset",
    ),
    *(
        "text/plain; charset=euc-kr",
        "x; charset=latin-1",
        "x; charset=nobody-knows-it",
        "multipart/form-data; boundary=b",
    ),
]
UNREADABLE = [
    *("x; charset=base64", "x; CHARSET=rot13", "x; charset=zlib", "x; charset=punycode", "x; charset=idna"),
    *("x; charset=undefined", "x; charset*=utf-8''%00", "x; boundary*=nobody-knows-it''x"),
]


@pytest.fixture
def same_connection() -> Iterator[None]:
    """Requests over WSGI leave the test's own connection open."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def get(path: str, kind: str) -> tuple[str, dict[str, str], bytes]:
    told: list[Any] = []
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "QUERY_STRING": "limit=1",
        "CONTENT_TYPE": kind,
        "HTTP_HOST": "localhost",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
    }
    content = b"".join(application(environ, lambda *said: told.extend(said)))
    return told[0], dict(told[1]), content


@pytest.mark.django_db
@pytest.mark.usefixtures("same_connection")
@pytest.mark.parametrize("path", ["/api/v1/boards", "/"])
def test_each_address_refuses_it_in_the_form_of_all_refusals(path: str) -> None:
    answers = [get(path, kind) for kind in UNREADABLE]

    for status, headers, content in answers:
        assert status == "400 Bad Request"
        assert headers["Content-Type"] == "application/problem+json"
        assert json.loads(content)["code"] == "bad_content_type"
        assert "`charset=utf-8`" in json.loads(content)["detail"]
    assert get(path, "x; charset=euc-kr")[0] == "200 OK"


@pytest.mark.parametrize("kind", READABLE)
def test_what_django_reads_is_let_through(kind: str) -> None:
    assert is_readable(kind)
