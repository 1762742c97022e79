"""A system that listens for webhooks on loopback, as a test wants it to behave.

``behave`` gets the request's handler and writes the answer by itself, so that it can misbehave in every way.
"""

import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Behaviour = Callable[[BaseHTTPRequestHandler], None]


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def message_id(self) -> str:
        return self.headers["webhook-id"]


real_getaddrinfo = socket.getaddrinfo


def lead_to(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """The name hooks.example leads to each of ``answers`` in turn; returns the names that were asked for."""
    asked: list[str] = []
    turns = iter(answers)

    def found(host: str, port: int, *args: Any, **more: Any) -> list[Any]:
        if host != "hooks.example":
            return list(real_getaddrinfo(host, port, *args, **more))
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in next(turns)]

    monkeypatch.setattr(socket, "getaddrinfo", found)
    return asked


def status(code: int, body: bytes = b"", **headers: str) -> Behaviour:
    def behave(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return behave


class Receiver:
    """Answers 200 until told otherwise, and keeps what it received."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.received: list[Received] = []
        self.behave: Behaviour = status(200, b"thanks")
        # Set when it goes, so that nobody misbehaves for longer than the test.
        self.leaving = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        if context is not None:
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hooks?from=sunwi"

    def leave(self) -> None:
        self.leaving.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.do_POST()

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.received.append(Received(self.path, headers, body))
                try:
                    receiver.behave(self)
                except OSError:  # whoever asked has hung up
                    self.close_connection = True

            def handle(self) -> None:
                try:
                    super().handle()
                except OSError:  # a handshake that the other side broke off
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler
