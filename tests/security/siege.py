"""Strangers with slow lines who come back whenever they are cut off, and people who use the site meanwhile."""

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from statistics import median, quantiles

from tests.security.attackers import EACH_BYTE, PATIENCE, PROBER, Deed
from tests.security.front import HOST

THINKS = 0.05  # seconds between an answer and the next request of one person


@dataclass
class Band:
    """So many lines that have sent ``first``, and do ``action`` now and then."""

    many: int
    first: bytes
    action: Deed
    lines: dict[int, socket.socket] = field(default_factory=dict)
    opened: int = 0


@contextmanager
def siege(port: int, bands: Sequence[Band]) -> Iterator[None]:
    """All bands at once until the end of the block; each line has an address of its own, and comes back when cut."""
    over = threading.Event()
    threads = [
        threading.Thread(target=_besiege, args=(port, band, 1 + nth, over), daemon=True)
        for nth, band in enumerate(bands)
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join(30)


def _besiege(port: int, band: Band, net: int, over: threading.Event) -> None:
    while not over.wait(EACH_BYTE):
        for nth in range(band.many):
            if over.is_set():
                break
            line = band.lines.get(nth)
            if line is None or not _moves(line, band.action):
                _reopen(port, band, nth, f"127.{net}.{1 + nth // 250}.{1 + nth % 250}")
    for line in band.lines.values():
        line.close()


def _moves(line: socket.socket, action: Deed) -> bool:
    """Whether it still stands after one more byte."""
    try:
        action(line)
        return bool(line.recv(1, socket.MSG_PEEK))
    except BlockingIOError:  # nothing came, and nobody hung up
        return True
    except OSError:
        return False


def _reopen(port: int, band: Band, nth: int, source: str) -> None:
    if old := band.lines.pop(nth, None):
        old.close()
    line = socket.socket()
    try:
        line.bind((source, 0))
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(PATIENCE)
        line.connect((HOST, port))
        line.sendall(band.first)
        line.setblocking(False)
    except OSError:  # the next turn tries again
        line.close()
        return
    band.lines[nth] = line
    band.opened += 1


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks for the same again and again: method, address, and what makes a body and headers, if any."""

    name: str
    method: str
    path: str
    body: Callable[[], bytes] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def served(port: int, people: Sequence[Person], seconds: float) -> dict[str, list[float]]:
    """How many seconds each answer to each of them took, all at once. Fails where one is not 200."""
    took: dict[str, list[float]] = {person.name: [] for person in people}
    wrong: list[str] = []
    until = time.monotonic() + seconds

    def go_on(person: Person) -> None:
        while time.monotonic() < until and not wrong:
            try:
                took[person.name].append(_asked(port, person))
            except (OSError, AssertionError) as error:
                wrong.append(f"{person.name}: {error!r}")
            time.sleep(THINKS)

    threads = [threading.Thread(target=go_on, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong
    return took


def _asked(port: int, person: Person) -> float:
    begun = time.monotonic()
    link = HTTPConnection(HOST, port, timeout=PATIENCE, source_address=(PROBER, 0))
    with closing(link):
        link.request(person.method, person.path, person.body() if person.body else None, dict(person.headers))
        answer = link.getresponse()
        text = answer.read()
        assert answer.status == 200, f"{answer.status} {text[:200]!r}"
    return time.monotonic() - begun


def usual(took: Sequence[float]) -> float:
    """The median."""
    return median(took)


def late(took: Sequence[float]) -> float:
    """What nineteen of twenty answers were faster than."""
    return quantiles(took, n=20)[-1]
