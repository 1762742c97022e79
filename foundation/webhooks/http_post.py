"""One try over HTTP: a message is posted to an address that was judged, and the answer's beginning is read.

No redirect is followed, no proxy asked, no compression taken. The trap: a socket's time-out starts anew with every
byte that drips in, so the whole exchange is cut off by a timer.
"""

import socket
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from threading import Timer

from urllib3 import BaseHTTPResponse
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from foundation import clock
from foundation.errors import SunwiError
from foundation.webhooks import addresses
from foundation.webhooks.addresses import Target

CONNECT_SECONDS = 5.0
TOTAL_SECONDS = 15.0
READ_BYTES = 64 * 1024
KEPT_CHARACTERS = 2000
AGENT = "Sunwi-Webhooks"


@dataclass(frozen=True, slots=True)
class PostResult:
    """What came of a try: a status with the beginning of what was said, or no status and why. And how long it took."""

    status: int | None
    said: str
    seconds: float

    @property
    def is_good(self) -> bool:
        """Whether the message arrived."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_gone(self) -> bool:
        """Whether nobody listens there any more."""
        return self.status == 410


def post(url: str, body: bytes, headers: Mapping[str, str]) -> PostResult:
    """Post ``body``, once. Whatever goes wrong on the way is an answer too."""
    started = clock.monotonic()
    try:
        status, said = _exchange(url, body, headers, started + TOTAL_SECONDS)
    except SunwiError as error:
        status, said = None, error.detail
    except (HTTPError, HTTPException, OSError) as error:
        status, said = None, f"No answer: {_why(error)}"
    seconds = clock.monotonic() - started
    if status is None and seconds >= TOTAL_SECONDS:
        said = f"No answer within {TOTAL_SECONDS:.0f} seconds."
    return PostResult(status, _kept(said), seconds)


def _exchange(url: str, body: bytes, headers: Mapping[str, str], until: float) -> tuple[int, str]:
    target = addresses.parse(url)
    connection = _connect(target, addresses.resolve(target), until)
    with closing(connection), _cut_off(connection, until):
        sent = {"host": target.authority, "user-agent": AGENT, "content-type": "application/json", **headers}
        connection.request("POST", target.path, body, sent, preload_content=False, decode_content=False)
        with closing(connection.getresponse()) as answer:
            if clock.monotonic() >= until:  # what was cut off in the headers looks like an answer
                raise TimeoutError
            return answer.status, _beginning(answer)


def _connect(target: Target, ips: list[str], until: float) -> HTTPConnection:
    """To the first of the judged addresses that takes the connection."""
    failed: Exception = TimeoutError()
    for ip in ips:
        left = min(CONNECT_SECONDS, until - clock.monotonic())
        if left <= 0:
            break
        connection = _connection(target, ip, left)
        try:
            connection.connect()
        except (HTTPError, OSError) as error:
            connection.close()
            failed = error
            continue
        return connection
    raise failed


def _connection(target: Target, ip: str, seconds: float) -> HTTPConnection:
    """To ``ip``; its certificate must be the name's."""
    if target.scheme == "http":
        return HTTPConnection(ip, target.port, timeout=seconds)
    return HTTPSConnection(ip, target.port, timeout=seconds, server_hostname=target.host, cert_reqs="CERT_REQUIRED")


@contextmanager
def _cut_off(connection: HTTPConnection, until: float) -> Iterator[None]:
    """End the connection under the reader, once the time is over."""
    sock, left = connection.sock, until - clock.monotonic()
    if sock is None or left <= 0:
        raise TimeoutError

    def cut() -> None:
        with suppress(OSError):  # it has ended by itself
            # Not the TLS socket's own shutdown, which forgets its state under the reader.
            socket.socket.shutdown(sock, socket.SHUT_RDWR)

    sock.settimeout(left)
    timer = Timer(left, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _beginning(answer: BaseHTTPResponse) -> str:
    """Up to 64 KB of the body. What is cut off or broken counts as said: the status has decided already."""
    try:
        return answer.read(READ_BYTES, decode_content=False).decode("utf-8", "replace")
    except (HTTPError, HTTPException, OSError) as error:
        return f"The answer broke off: {_why(error)}"


def _why(error: Exception) -> str:
    return str(error) or type(error).__name__


def _kept(said: str) -> str:
    """Short enough for a row; SQL takes no NUL."""
    return said.replace("\0", "\ufffd")[:KEPT_CHARACTERS]
