"""A TCP proxy between clients and a server that can add ``delay`` seconds to each piece towards the server."""

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
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or small answers wait for 40 ms
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._server)
                for source, target, slow in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._pass_on, args=(source, target, slow), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, slow: bool) -> None:
        with suppress(OSError):
            while piece := source.recv(2**20):
                time.sleep(self.delay if slow else 0.0)
                target.sendall(piece)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        source.close()
