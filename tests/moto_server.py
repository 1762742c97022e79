"""moto's server as a program of its own: ``python -m tests.moto_server PORT``, on loopback.

It answers one request at a time. moto's own program answers several, and its transactions, which put back a copy of the
table when they are cancelled, would undo what others write meanwhile.
"""

import sys

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import run_simple


class _Quiet(MotoRequestHandler):
    def log(self, type: str, message: str, *args: object) -> None:
        """Write no line for each request."""


if __name__ == "__main__":
    app = DomainDispatcherApplication(create_backend_app)
    run_simple("127.0.0.1", int(sys.argv[1]), app, threaded=False, request_handler=_Quiet)
