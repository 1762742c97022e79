"""The load generator: a process of its own that asks one address over keep-alive connections, as told.

    python -m benchmarks.harness.load '{"port": 8000, "seconds": 2, "path": "/"}'

It imports nothing but the standard library, and says what it cost itself: on the same machine it takes from the server.
The trap: of ``followers``, latency counts from the moment at which a request was due, not from when it could be sent.
"""

import heapq
import json
import random
import selectors
import socket
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

HOST = "127.0.0.1"
FIRST_SECONDS = 2.0  # within which all followers come, and when each looks again who is told nothing


@dataclass(frozen=True, slots=True)
class Order:
    """What to ask, how, and for how long. Entries make it a POST of so many of them, of random players.

    ``followers``: so many who each ask again when the answer tells them to (``Poll-Interval``), as a page in a browser
    does; 0 for as many requests as there is room for. ``{player}`` in the path or in a header is a random one.
    """

    port: int
    seconds: float
    path: str
    connections: int = 16
    headers: dict[str, str] = field(default_factory=dict)
    entries: int = 0
    board: int = 0
    players: int = 1
    followers: int = 0
    post: bool = False

    def request(self) -> bytes:
        """The next request, with fresh values."""
        if not self.post:
            return self._head("GET", self.path, "").replace(b"{player}", self._player().encode()) + b"\r\n"
        entry = '{"board":%d,"player":"%s","points":%d}'
        made = (entry % (self.board, self._player(), random.randrange(1_000_000)) for _ in range(self.entries))
        body = f'{{"entries":[{",".join(made)}]}}'.encode()
        extra = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return self._head("POST", self.path, extra) + b"\r\n" + body

    def _player(self) -> str:
        return f"player-{random.randrange(self.players) + 1}"

    def _head(self, method: str, path: str, extra: str) -> bytes:
        named = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        return f"{method} {path} HTTP/1.1\r\nHost: {HOST}:{self.port}\r\n{named}{extra}".encode()


class Connection:
    """One keep-alive connection with at most one request under way."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection((HOST, port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._got = b""
        self._since = 0.0

    def send(self, request: bytes, since: float) -> None:
        """Send a request whose latency counts from ``since``."""
        self._got, self._since = b"", since
        self.socket.sendall(request)

    def read(self) -> tuple[int, bytes, float] | None:
        """The status, the whole answer and its latency, once it is all there."""
        got = self.socket.recv(262_144)
        if not got:
            raise ConnectionError("the server hung up")
        self._got += got
        head, found, body = self._got.partition(b"\r\n\r\n")
        if found and b"transfer-encoding: chunked" in head.lower():
            raise ConnectionError(f"an answer that does not tell its length: {head[:200]!r}")
        if not found or len(body) < _length(head):
            return None
        return int(head[9:12]), self._got, time.perf_counter() - self._since


def _length(head: bytes) -> int:
    return int(header(head + b"\r\n\r\n", b"content-length") or 0)


def header(raw: bytes, name: bytes) -> bytes:
    """A header of an answer, in small letters; empty where it has none."""
    head = raw.partition(b"\r\n\r\n")[0].lower() + b"\r\n"
    return head.partition(b"\r\n" + name + b":")[2].partition(b"\r\n")[0].strip()


class Loop:
    """As many requests as there is room for."""

    def due(self, now: float) -> float:
        """When the next request is to be sent."""
        return now

    def sent(self) -> None:
        """It was."""

    def answered(self, raw: bytes, now: float) -> None:
        """One was answered."""


class Followers(Loop):
    """Each asks, and asks again when they are told to, give or take a tenth."""

    def __init__(self, many: int, begun: float) -> None:
        self._due = sorted(begun + random.uniform(0, FIRST_SECONDS) for _ in range(many))

    def due(self, now: float) -> float:
        return self._due[0] if self._due else now + 1

    def sent(self) -> None:
        heapq.heappop(self._due)

    def answered(self, raw: bytes, now: float) -> None:
        told = float(header(raw, b"poll-interval") or FIRST_SECONDS)
        heapq.heappush(self._due, now + told * random.uniform(0.9, 1.1))


class Load:
    """Requests over all connections until the time is over."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._ready = selectors.DefaultSelector()
        self._idle = deque(Connection(order.port) for _ in range(order.connections))
        for each in self._idle:
            self._ready.register(each.socket, selectors.EVENT_READ, each)
        self._pace = Followers(order.followers, time.perf_counter()) if order.followers else Loop()
        self.latencies: list[float] = []
        self.bad = 0
        self.bytes = 0

    def run(self) -> dict[str, Any]:
        order = self._order
        cpu, begun = time.process_time(), time.perf_counter()
        while (now := time.perf_counter()) - begun < order.seconds or len(self._idle) < order.connections:
            while self._idle and now - begun < order.seconds and (due := self._pace.due(now)) <= now:
                self._idle.popleft().send(order.request(), due)
                self._pace.sent()
            self._take(self._pace.due(now) - now)
        told = self._told(time.perf_counter() - begun, time.process_time() - cpu)
        self._ready.close()
        for each in self._idle:
            each.socket.close()
        return told

    def _take(self, patience: float) -> None:
        for key, _ in self._ready.select(min(max(patience, 0.0), 0.1) if self._idle else 0.1):
            answer = key.data.read()
            if answer is None:
                continue
            status, raw, latency = answer
            self.latencies.append(latency)
            self.bytes += len(raw)
            self.bad += not self._is_good(status, raw)
            self._pace.answered(raw, time.perf_counter())
            self._idle.append(key.data)

    def _is_good(self, status: int, raw: bytes) -> bool:
        wanted = 304 if "If-None-Match" in self._order.headers else 200
        if status != wanted:
            return False
        return not self._order.board or b'"rejected":0' in raw.replace(b" ", b"")

    def _told(self, seconds: float, cpu: float) -> dict[str, Any]:
        ordered = sorted(self.latencies) or [0.0]
        return {
            "count": len(self.latencies),
            "seconds": seconds,
            "cpu_seconds": round(cpu, 3),
            "bad": self.bad,
            "bytes": self.bytes,
            "p50_ms": round(1000 * ordered[len(ordered) // 2], 2),
            "p99_ms": round(1000 * ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)], 2),
        }


if __name__ == "__main__":
    print(json.dumps(Load(Order(**json.loads(sys.argv[1]))).run()))
