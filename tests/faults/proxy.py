"""A TCP proxy between clients and a server that delays, or drops, what passes through it.

`delay` seconds are added to each piece towards the server, `answer_delay` to each from it. While `deaf` nothing is
passed on in either direction and new connections are taken but never served, as by a network that swallows packets.
"""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


class Proxy:
    """Listens on a port of its own and passes on to a server's socket file."""

    def __init__(self, server: Path) -> None:
        self._server = str(server)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.delay = 0.0
        self.answer_delay = 0.0
        self.deaf = False
        self.port = int(self._listener.getsockname()[1])
        self.url = f"redis://127.0.0.1:{self.port}/0"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or small answers wait for 40 ms
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(self._server)
                except OSError:  # it is down: the client learns it from us
                    client.close()
                    server.close()
                    continue
                for source, target, delay in (
                    (client, server, lambda: self.delay),
                    (server, client, lambda: self.answer_delay),
                ):
                    threading.Thread(target=self._pass_on, args=(source, target, delay), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, delay: Callable[[], float]) -> None:
        with suppress(OSError):
            while piece := source.recv(2**20):
                time.sleep(delay())
                if not self.deaf:
                    target.sendall(piece)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        source.close()
