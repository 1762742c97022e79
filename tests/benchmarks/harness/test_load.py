"""The load generator: what it asks is what was ordered, and a wrong answer is no answer."""

import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from benchmarks.harness import load
from benchmarks.harness.load import Load, Order


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, str, str]]

    def do_GET(self) -> None:
        known = bool(self.headers["If-None-Match"])
        self._answer(304 if known else 200, b"" if known else b"here")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer(200, b'{"rejected": 0}' if "player-1" in body else b'{"rejected": 1}', body)

    def _answer(self, status: int, body: bytes, sent: str = "") -> None:
        self.asked.append((self.command, self.path, sent))
        self.send_response(status)
        if status == 200:
            self.send_header("Content-Length", str(len(body)))
        if self.path == "/followed":
            self.send_header("Poll-Interval", "0.2")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.mark.long
def test_it_asks_as_ordered_and_an_answer_that_was_not_waited_for_or_refuses_is_bad(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(load, "FIRST_SECONDS", 0.1)
    _Answers.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        post = Order(server.server_port, 0.1, "/scores", connections=1, post=True, entries=1, board=3, players=1)
        good = Load(post).run()
        first = _Answers.asked[0]
        refused = Load(replace(post, entries=0)).run()
        unchanged = Load(Order(server.server_port, 0.1, "/", headers={"If-None-Match": "x"})).run()
        _Answers.asked.clear()
        closed = Load(Order(server.server_port, 0.2, "/page", connections=2)).run()
        asked = list(_Answers.asked)
        followed = Load(Order(server.server_port, 1.0, "/followed", connections=2, followers=4)).run()
        server.shutdown()

    assert good["bad"] == unchanged["bad"] == closed["bad"] == 0
    assert '"board":3,"player":"player-1"' in first[2]
    assert refused["bad"] == refused["count"] > 0
    assert (closed["count"], {each[:2] for each in asked}) == (len(asked), {("GET", "/page")})
    assert 14 <= followed["count"] <= 24  # each comes within 0.1 s, and again every 0.18 to 0.22
