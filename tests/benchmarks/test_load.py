"""The load generator: what it asks is what was ordered, and a wrong answer is no answer."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from benchmarks import load
from benchmarks.load import Load, Order


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, str, str]]
    look_again = ""

    def do_GET(self) -> None:
        self._answer(304 if self.headers["If-None-Match"] else 200, b"" if self.headers["If-None-Match"] else b"here")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer(200, b'{"rejected": 0}' if "player-1" in body else b'{"rejected": 1}', body)

    def _answer(self, status: int, body: bytes, sent: str = "") -> None:
        self.asked.append((self.command, self.path, sent))
        self.send_response(status)
        if status == 200:
            self.send_header("Content-Length", str(len(body)))
        if self.look_again:
            self.send_header("Look-Again", self.look_again)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (so it is called there)
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    _Answers.asked = []
    serving = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    serving.daemon_threads = True
    thread = threading.Thread(target=serving.serve_forever)
    thread.start()
    yield serving
    serving.shutdown()
    thread.join()
    serving.server_close()


def test_a_closed_loop_asks_again_as_soon_as_it_is_answered(server: ThreadingHTTPServer) -> None:
    told = Load(Order(server.server_port, 0.2, "/page", connections=2)).run()

    assert told["count"] == len(_Answers.asked) > 2
    assert told["bad"] == 0
    assert {asked[:2] for asked in _Answers.asked} == {("GET", "/page")}


def test_followers_look_again_when_they_are_told_to(
    server: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "FIRST_SECONDS", 0.1)
    monkeypatch.setattr(_Answers, "look_again", "0.2")

    told = Load(Order(server.server_port, 1.0, "/page", connections=2, followers=4)).run()

    assert 14 <= told["count"] <= 24  # each comes within 0.1 s, and again every 0.18 to 0.22


def test_an_answer_that_is_not_the_one_waited_for_or_refuses_an_entry_is_bad(server: ThreadingHTTPServer) -> None:
    post = Order(server.server_port, 0.1, "/scores", connections=1, post=True, entries=1, board=3, players=1)

    good = Load(post).run()
    unchanged = Load(Order(server.server_port, 0.1, "/", headers={"If-None-Match": "x"})).run()
    refused = Load(replace(post, entries=0)).run()

    assert good["bad"] == unchanged["bad"] == 0
    assert '"board":3,"player":"player-1"' in _Answers.asked[0][2]
    assert refused["bad"] == refused["count"] > 0
