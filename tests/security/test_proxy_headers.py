"""What the proxy says of a client to the application behind it: nothing that the client wrote."""

from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

from tests.security.front import HOST, proxy_alone

FORGED = {
    "X-Forwarded-For": "192.0.2.1, 192.0.2.2",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "forged.example",
    "X-Forwarded-Port": "1",
    "Forwarded": "for=192.0.2.3;proto=https",
    "Traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "Tracestate": "forged=1",
}


@contextmanager
def application(port: int) -> Iterator[list[Message]]:
    """The headers of each request that arrives there."""
    arrived: list[Message] = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            arrived.append(self.headers)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with HTTPServer((HOST, port), Listener) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield arrived
        finally:
            server.shutdown()
            thread.join()


def test_what_a_client_wrote_of_itself_is_written_anew_and_none_of_it_arrives(tmp_path: Path) -> None:
    with proxy_alone(tmp_path) as made, application(made.behind) as arrived:
        link = HTTPConnection(HOST, made.port, timeout=20, source_address=("127.0.0.9", 0))
        link.request("GET", "/", headers=FORGED)
        status = link.getresponse().status
        link.close()

    assert (status, len(arrived)) == (204, 1)
    told = {name: arrived[0].get_all(name) for name in FORGED}
    assert told == dict.fromkeys(FORGED) | {"X-Forwarded-For": ["127.0.0.9"], "X-Forwarded-Proto": ["http"]}
