"""One request to the proxy, and what came of it."""

import json
from http.client import HTTPConnection, HTTPMessage
from typing import Any, NamedTuple

from tests.security.front import HOST


class Answer(NamedTuple):
    """What came, read to its end."""

    status: int
    headers: HTTPMessage
    text: str


def ask(port: int, method: str, path: str, body: bytes | None = None, source: str = HOST, **headers: str) -> Answer:
    link = HTTPConnection(HOST, port, timeout=20, source_address=(source, 0))
    link.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = link.getresponse()
    text = answer.read().decode()
    link.close()
    return Answer(answer.status, answer.headers, text)


def told(answer: Answer) -> Any:
    """Its problem document."""
    assert answer.headers["Content-Type"] == "application/problem+json"
    content = json.loads(answer.text)
    assert content["status"] == answer.status
    return content
