"""Post one message to a checked address and read the beginning of the answer.

Redirects, proxies and compression are not used. The trap: a socket's time-out starts again with every byte received,
so a timer limits the whole exchange.
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
    """The result of a try: the status and the beginning of the body, or None and the error; and the duration."""

    status: int | None
    said: str
    seconds: float

    @property
    def is_good(self) -> bool:
        """Whether the message arrived."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_gone(self) -> bool:
        """Whether the endpoint answered 410 Gone."""
        return self.status == 410


def post(url: str, body: bytes, headers: Mapping[str, str]) -> PostResult:
    """Post ``body`` once. Errors of the network are returned, not raised."""
    started = clock.monotonic()
    try:
        status, text = _exchange(url, body, headers, started + TOTAL_SECONDS)
    except SunwiError as error:
        status, text = None, error.detail
    except (HTTPError, HTTPException, OSError) as error:
        status, text = None, f"No answer: {_describe(error)}"
    seconds = clock.monotonic() - started
    if status is None and seconds >= TOTAL_SECONDS:
        text = f"No answer within {TOTAL_SECONDS:.0f} seconds."
    return PostResult(status, _truncate(text), seconds)


def _exchange(url: str, body: bytes, headers: Mapping[str, str], until: float) -> tuple[int, str]:
    target = addresses.parse(url)
    connection = connect(target, addresses.resolve(target), until)
    with closing(connection), limit_time(connection, until):
        sent = {"host": target.authority, "user-agent": AGENT, "content-type": "application/json", **headers}
        connection.request("POST", target.path, body, sent, preload_content=False, decode_content=False)
        with closing(connection.getresponse()) as answer:
            if clock.monotonic() >= until:  # headers that were cut off look like a complete answer
                raise TimeoutError
            return answer.status, _read_beginning(answer)


def connect(target: Target, ips: list[str], until: float) -> HTTPConnection:
    """Connect to the first of the checked addresses that accepts."""
    last_error: Exception = TimeoutError()
    for ip in ips:
        left = min(CONNECT_SECONDS, until - clock.monotonic())
        if left <= 0:
            break
        connection = _connection(target, ip, left)
        try:
            connection.connect()
        except (HTTPError, OSError) as error:
            connection.close()
            last_error = error
            continue
        return connection
    raise last_error


def _connection(target: Target, ip: str, seconds: float) -> HTTPConnection:
    """A connection to ``ip`` whose certificate must be for the target's host name."""
    if target.scheme == "http":
        return HTTPConnection(ip, target.port, timeout=seconds)
    return HTTPSConnection(ip, target.port, timeout=seconds, server_hostname=target.host, cert_reqs="CERT_REQUIRED")


@contextmanager
def limit_time(connection: HTTPConnection, until: float) -> Iterator[None]:
    """Shut the connection down at ``until`` (monotonic seconds), while another thread reads from it."""
    sock, left = connection.sock, until - clock.monotonic()
    if sock is None or left <= 0:
        raise TimeoutError

    def cut() -> None:
        with suppress(OSError):  # it is closed already
            # Not the TLS socket's own shutdown, which discards the state that the reader uses.
            socket.socket.shutdown(sock, socket.SHUT_RDWR)

    sock.settimeout(left)
    timer = Timer(left, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _read_beginning(answer: BaseHTTPResponse) -> str:
    """Up to 64 KB of the body. If reading fails, return the error: the status has decided the result already."""
    try:
        return answer.read(READ_BYTES, decode_content=False).decode("utf-8", "replace")
    except (HTTPError, HTTPException, OSError) as error:
        return f"The answer broke off: {_describe(error)}"


def _describe(error: Exception) -> str:
    return str(error) or type(error).__name__


def _truncate(text: str) -> str:
    """Shorten the text for its column, and replace NUL, which PostgreSQL refuses."""
    return text.replace("\0", "\ufffd")[:KEPT_CHARACTERS]
