"""A TCP proxy between clients and a server that delays, or drops, what passes through it.

`delay` seconds are added to each piece towards the server; while `deaf` nothing is passed on in either direction
and new connections are taken but never served, as by a network that swallows packets.
"""

import socket
import threading
import time
from contextlib import suppress
from pathlib import Path


class Proxy:
    """Listens on a port of its own and passes on to a server's socket file."""

    def __init__(self, server: Path) -> None:
        self._server = str(server)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.delay = 0.0
        self.deaf = False
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}/0"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(self._server)
                except OSError:  # it is down: the client learns it from us
                    client.close()
                    server.close()
                    continue
                for source, target, slow in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._pass_on, args=(source, target, slow), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, slow: bool) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                if slow and self.delay:
                    time.sleep(self.delay)
                if not self.deaf:
                    target.sendall(piece)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        source.close()
