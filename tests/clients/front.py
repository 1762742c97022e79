"""What may stand between a game and the site: passes requests on, and does to some of them what networks do."""

import http.client
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

PASS = "pass"
HANG_UP = "hang up"  # after the site has answered, and so decided
REFUSE = "refuse"  # 503 with Retry-After, before the site hears of it
PAGE = "page"  # 200 with a web page, as a captive portal does
DRIP_SECONDS = 0.05


@dataclass(frozen=True)
class Canned:
    """An answer that the site never hears of. ``is_slow``: its bytes come one by one."""

    status: int
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    is_slow: bool = False


HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}


class Front(ThreadingHTTPServer):
    """Listens on loopback. ``plan`` says what becomes of the next requests, by a word or an answer; then all pass."""

    daemon_threads = True

    def __init__(self, site: str, *plan: str | Canned, retry_after: int = 1) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.site = urlsplit(site).netloc
        self.plan, self.retry_after = deque(plan), retry_after
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.url = f"http://127.0.0.1:{self.server_port}"
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Passing(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Front

    def do_POST(self) -> None:
        self._pass()

    def do_GET(self) -> None:
        self._pass()

    def do_PUT(self) -> None:
        self._pass()

    def do_DELETE(self) -> None:
        self._pass()

    def _pass(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.path, dict(self.headers)))
        action = self.server.plan.popleft() if self.server.plan else PASS
        if isinstance(action, Canned):
            return self._answer(action.status, action.headers, action.content, DRIP_SECONDS if action.is_slow else 0)
        if action == REFUSE:
            return self._answer(503, {"Retry-After": str(self.server.retry_after)}, b"")
        if action == PAGE:
            return self._answer(200, {"Content-Type": "text/html"}, b"<p>Sign in</p>")
        site = http.client.HTTPConnection(self.server.site, timeout=30)
        headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
        site.request(self.command, self.path, body or None, headers)
        answer = site.getresponse()
        content = answer.read()
        site.close()
        if action == HANG_UP:
            self.close_connection = True
            return None
        passed = {name: value for name, value in answer.getheaders() if name.lower() not in HOP_BY_HOP}
        return self._answer(answer.status, passed, content)

    def _answer(self, status: int, headers: Mapping[str, str], content: bytes, pause: float = 0) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if not pause:
            self.wfile.write(content)
            return
        try:
            for each in content:
                self.wfile.write(bytes([each]))
                time.sleep(pause)
        except OSError:  # who asked has left
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
