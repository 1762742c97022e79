"""``/metrics`` of the worker, on METRICS_PORT, where web processes do not see the worker's METRICS_FOLDER.

It prints the counters alone: readings of SQL and Redis are the web processes' part. Who may read it is the same as for
``/metrics`` of the web server. It runs in threads of the worker, and a worker whose port is taken works on without it.
"""

import logging
import socket
import threading
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer
from prometheus_client.metrics_core import Metric

from foundation.monitoring.metrics_view import REFUSAL, counts_of_all, may_read
from foundation.monitoring.snapshot import CountsMove
from foundation.sunwi_settings import sunwi_settings

logger = logging.getLogger(__name__)

IDLE_SECONDS = 10  # until a connection that sends nothing is closed


def listen() -> None:
    """Start it when a worker is ready. Calling it twice has no effect."""
    from celery.signals import worker_ready

    worker_ready.connect(_start, dispatch_uid="worker_metrics")


def _start(**_: Any) -> None:
    if sunwi_settings.METRICS_PORT:
        serve(sunwi_settings.METRICS_ADDRESS, sunwi_settings.METRICS_PORT)


def serve(address: str, port: int) -> WSGIServer | None:
    """Listen on an IP address and a port (0: any free one) in a thread of its own; None if that cannot be had."""
    try:
        server = make_server(address, port, _Application(), _server_class(address), _Handler)
    except OSError as error:
        refusal = "METRICS_PORT: %s port %d cannot be listened on (%s). The worker works on without its /metrics."
        logger.error(refusal, address, port, error.strerror)  # noqa: TRY400 - the message has all there is to say
        return None
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    logger.info("/metrics of this worker: %s port %d", address, server.server_port)
    return server


class _Counters:
    """What prometheus-client collects."""

    def collect(self) -> Iterable[Metric]:
        return counts_of_all()


class _Application:
    """The WSGI application: ``/metrics`` for those who may read it; 403 for others, 404 elsewhere.

    503 if the counts of one moment cannot be had.
    """

    def __init__(self) -> None:
        registry = CollectorRegistry()
        registry.register(_Counters())
        self._metrics = make_wsgi_app(registry)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] != "/metrics":
            return _text(start_response, "404 Not Found", "Only /metrics is here.")
        if not may_read(environ):
            return _text(start_response, "403 Forbidden", REFUSAL)
        try:
            answer: Iterable[bytes] = self._metrics(environ, start_response)
        except CountsMove as error:
            return _text(start_response, "503 Service Unavailable", error.detail)
        return answer


def _text(start_response: Callable[..., Any], status: str, text: str) -> list[bytes]:
    start_response(status, [("Content-Type", "text/plain; charset=utf-8")])
    return [text.encode() + b"\n"]


def _server_class(address: str) -> type[WSGIServer]:
    class Server(ThreadingWSGIServer):
        address_family = socket.AF_INET6 if ":" in address else socket.AF_INET

        def server_bind(self) -> None:
            """Bind without the look-up of this host's name in DNS, which HTTPServer does."""
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.socket.bind(self.server_address)
            self.server_address = self.socket.getsockname()
            self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])
            self.setup_environ()

    return Server


class _Handler(WSGIRequestHandler):
    timeout = IDLE_SECONDS

    def address_string(self) -> str:
        """The address, not its name in DNS."""
        return str(self.client_address[0])

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Write nothing: each scrape would be a line."""
