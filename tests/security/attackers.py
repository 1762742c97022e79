"""Strangers with slow lines: many connections, each of which moves a byte now and then, from one thread."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from statistics import median

PROBER = "127.0.0.2"  # an address of its own: limits by address are not what a probe measures
PATIENCE = 10.0  # seconds that a probe waits before it counts as not answered
EACH_BYTE = 0.25  # seconds between two bytes of a slow line

Deed = Callable[[socket.socket], None]


def opening(method: str, path: str, *headers: str) -> bytes:
    """The head of a request, without the empty line that ends it."""
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost", *headers]).encode() + b"\r\n"


def sends_a_header(line: socket.socket) -> None:
    """One more byte of a header that never ends."""
    line.send(b"a")


sends_a_body = sends_a_header  # a byte is a byte


def reads(line: socket.socket) -> None:
    """One more byte of an answer."""
    with suppress(BlockingIOError):
        line.recv(1)


@contextmanager
def attack(port: int, many: int, first: bytes, action: Deed, spread: bool = True) -> Iterator[None]:
    """``many`` connections that have sent ``first`` do an action now and then, until the end of the block.

    Each comes from an address of its own, or with ``spread=False`` all come from 127.0.0.1.
    """
    sources = [f"127.0.{1 + nth // 250}.{1 + nth % 250}" if spread else "127.0.0.1" for nth in range(many)]
    lines = [_line(port, first, source) for source in sources]
    over = threading.Event()

    def go_on() -> None:
        while not over.wait(EACH_BYTE):
            for line in lines:
                with suppress(OSError):  # it was cut off, which is what should be
                    action(line)

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(10)
        for line in lines:
            line.close()


def _line(port: int, first: bytes, source: str) -> socket.socket:
    """It takes in little before it fetches."""
    line = socket.socket()
    line.bind((source, 0))
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.settimeout(PATIENCE)
    line.connect(("127.0.0.1", port))
    line.sendall(first)
    line.setblocking(False)
    return line


def probe(port: int, path: str, times: int) -> list[float]:
    """How many seconds each of so many requests took, one behind the other. Fails where one is not answered 200."""
    return [_asked(port, path) for _ in range(times)]


def _asked(port: int, path: str) -> float:
    begun = time.monotonic()
    link = HTTPConnection("127.0.0.1", port, timeout=PATIENCE, source_address=(PROBER, 0))
    try:
        link.request("GET", path)
        answer = link.getresponse()
        answer.read()
        assert answer.status == 200, f"{path}: {answer.status}"
    finally:
        link.close()
    return time.monotonic() - begun


def times_slower(attacked: list[float], quiet: list[float]) -> float:
    """The usual time under attack as a multiple of the usual time without."""
    return median(attacked) / median(quiet)
