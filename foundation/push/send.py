"""Post one encrypted message to a push service: over https, on its usual port, to public addresses alone.

As for webhooks, the name is resolved once, all its addresses are checked, and the connection goes to a checked one;
redirects and proxies are not used. A setting that lets webhooks go to private addresses does not open this way.
"""

from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException

from urllib3.exceptions import HTTPError

from foundation import clock
from foundation.errors import SunwiError
from foundation.webhooks import addresses
from foundation.webhooks.http_post import connect, limit_time

PORT = 443
TOTAL_SECONDS = 6.0
LONGEST_WAIT = 86_400  # seconds that a push service may ask for
AGENT = "Sunwi-Push"
GONE = (404, 410)
REFUSED = (400, 401, 403, 413)


@dataclass(frozen=True, slots=True)
class PushAnswer:
    """The status, None without an answer; the seconds to wait as the service asks for, 0 if it does not; why it failed.

    ``why`` never contains the endpoint's path, which is the browser's secret.
    """

    status: int | None
    wait: int = 0
    why: str = ""

    @property
    def is_good(self) -> bool:
        """Whether the service took the message."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_gone(self) -> bool:
        """Whether there is no such subscription any more."""
        return self.status in GONE

    @property
    def is_refused(self) -> bool:
        """Whether the service will never take this message: another try changes nothing."""
        return self.status in REFUSED


def post(endpoint: str, body: bytes, authorization: str, keep_seconds: int) -> PushAnswer:
    """Post once; the service keeps the message for ``keep_seconds`` while the browser is off. Errors are returned."""
    until = clock.monotonic() + TOTAL_SECONDS
    headers = {
        "user-agent": AGENT,
        "authorization": authorization,
        "content-encoding": "aes128gcm",
        "content-type": "application/octet-stream",
        "ttl": str(keep_seconds),
        "urgency": "normal",
    }
    try:
        return _exchange(endpoint, body, headers, until)
    except SunwiError as error:
        return PushAnswer(None, why=str(error.detail))
    except (HTTPError, HTTPException, OSError) as error:
        return PushAnswer(None, why=f"No answer: {type(error).__name__}")


def _exchange(endpoint: str, body: bytes, headers: dict[str, str], until: float) -> PushAnswer:
    target = addresses.parse(endpoint)
    if target.scheme != "https" or target.port != PORT:
        return PushAnswer(None, why="Only https on its usual port is used.")
    connection = connect(target, addresses.resolve(target, may_be_private=False), until)
    with closing(connection), limit_time(connection, until):
        sent = {"host": target.authority, **headers}
        connection.request("POST", target.path, body, sent, preload_content=False, decode_content=False)
        with closing(connection.getresponse()) as answer:
            if clock.monotonic() >= until:  # headers that were cut off look like a complete answer
                raise TimeoutError
            asked = answer.headers.get("retry-after", "")
            wait = min(int(asked), LONGEST_WAIT) if asked.isascii() and asked.isdigit() else 0
            return PushAnswer(answer.status, wait, f"The push service answered {answer.status}.")
