"""The load generator: a process of its own that asks one address over keep-alive connections, as told.

    python -m benchmarks.load '{"port": 8000, "seconds": 2, "path": "/"}'

It imports nothing but the standard library, and says what it cost itself: on the same machine it takes from the server.
The trap: with a ``rate``, latency counts from the moment at which a request was due, not from when it could be sent.
"""

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


@dataclass(frozen=True, slots=True)
class Order:
    """What to ask, how, and for how long. Entries make it a POST of so many of them, of random players.

    ``rate``: requests a second in all, 0 for as many as there is room for. ``{player}`` in the path or in a header is
    a random one.
    """

    port: int
    seconds: float
    path: str
    connections: int = 16
    headers: dict[str, str] = field(default_factory=dict)
    entries: int = 0
    board: int = 0
    players: int = 1
    rate: float = 0.0
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
        if not found or len(body) < _length(head):
            return None
        return int(head[9:12]), self._got, time.perf_counter() - self._since


def _length(head: bytes) -> int:
    _, found, rest = head.lower().partition(b"\r\ncontent-length:")
    return int(rest.partition(b"\r\n")[0]) if found else 0


class Load:
    """A closed loop, or one that keeps to a rate."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._ready = selectors.DefaultSelector()
        self._idle = deque(Connection(order.port) for _ in range(order.connections))
        for each in self._idle:
            self._ready.register(each.socket, selectors.EVENT_READ, each)
        self.latencies: list[float] = []
        self.bad = 0
        self.bytes = 0

    def run(self) -> dict[str, Any]:
        order, sent = self._order, 0
        cpu, begun = time.process_time(), time.perf_counter()
        while (now := time.perf_counter()) - begun < order.seconds or len(self._idle) < order.connections:
            while self._idle and now - begun < order.seconds:
                due = begun + sent / order.rate if order.rate else now
                if due > now:
                    break
                self._idle.popleft().send(order.request(), due)
                sent += 1
            self._take(begun + sent / order.rate - now if order.rate else 0.1)
        told = self._told(time.perf_counter() - begun, time.process_time() - cpu)
        self._ready.close()
        for each in self._idle:
            each.socket.close()
        return told

    def _take(self, patience: float) -> None:
        for key, _ in self._ready.select(min(max(patience, 0.0), 0.1)):
            answer = key.data.read()
            if answer is None:
                continue
            status, raw, latency = answer
            self.latencies.append(latency)
            self.bytes += len(raw)
            self.bad += not self._is_good(status, raw)
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
