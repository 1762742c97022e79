"""The site as it is run: the proxy with the configuration that is shipped, before the server that the image starts.

Changed for a machine without containers: ports, where the application is, and where certificates lie.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

from config.local import child_process
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "config" / "proxy"
HOST = "127.0.0.1"
STARTS_WITHIN = 60.0  # seconds


@dataclass(frozen=True, slots=True)
class Front:
    """A proxy that runs: its ports, those of the application behind it, and the folder of its temporary files."""

    port: int
    tls_port: int
    behind: int
    folder: Path

    def laid_down(self) -> int:
        """How many bytes lie in its temporary files now, also in those that have no name any more."""
        pids = (self.folder / "nginx.pid").read_text().split()
        children = Path(f"/proc/{pids[0]}/task/{pids[0]}/children").read_text().split()
        return sum(_open_files(pid, self.folder) for pid in pids + children)


@contextmanager
def front(folder: Path, name: str = "https-off", **settings: str) -> Iterator[Front]:
    """Serve the test database behind the proxy until the end of the block; ``settings`` go to the application."""
    made = Front(free_port(), free_port(), free_port(), folder / "nginx")
    command, environment = application(made.behind), _environment() | settings
    with _running(command, made.behind, folder / "web.log", environment), _proxy(made, folder, name):
        yield made


@contextmanager
def proxy_alone(folder: Path, name: str = "https-off") -> Iterator[Front]:
    """The proxy, with no application behind it."""
    made = Front(free_port(), free_port(), free_port(), folder / "nginx")
    with _proxy(made, folder, name):
        yield made


@contextmanager
def application_alone(log: Path, **settings: str) -> Iterator[int]:
    """Serve the test database without a proxy until the end of the block; yields the port."""
    port = free_port()
    environment = _environment() | {"TRUSTED_PROXIES": "0", "BEHIND_TLS_PROXY": "off"} | settings
    with _running(application(port), port, log, environment):
        yield port


def application(port: int) -> list[str]:
    """What the image starts, on a port of loopback."""
    text = re.sub(r"\\\n", "", (ROOT / "Dockerfile").read_text()).rpartition("\nCMD ")[2]
    command = json.loads(text)
    for option, value in (("--host", HOST), ("--port", str(port))):
        command[command.index(option) + 1] = value
    return [sys.executable, "-m", *command]


def _environment() -> dict[str, str]:
    """The tests' servers, and the settings that the Compose file gives to an application behind its proxy."""
    name = str(connection.settings_dict["NAME"])
    is_file = connection.vendor == "sqlite"
    address = f"sqlite:///{name}" if is_file else f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{name}"
    return os.environ | {"DATABASE_URL": address, "TRUSTED_PROXIES": "1", "BEHIND_TLS_PROXY": "on"}


@contextmanager
def _proxy(made: Front, folder: Path, name: str) -> Iterator[None]:
    """The configuration is a copy of the shipped one with this machine's ports."""
    changes = {
        "server web:8000;": f"server {HOST}:{made.behind};",
        "listen 8080;": f"listen {HOST}:{made.port};",
        "listen 8443 ssl;": f"listen {HOST}:{made.tls_port} ssl;",
    }
    command = proxy_command(made.folder, configuration(folder / "proxy", changes) / f"{name}.conf")
    with _running(command, made.port, folder / "nginx.log", os.environ):
        yield


def configuration(copy: Path, changes: Mapping[str, str]) -> Path:
    """A copy of the shipped configuration with these texts changed, each of which must be there."""
    shutil.copytree(SHIPPED, copy)
    for old, new in changes.items():
        changed = [each for each in copy.glob("*.conf") if old in each.read_text()]
        assert changed, f"{old} is in no file of {SHIPPED}"
        for each in changed:
            each.write_text(each.read_text().replace(old, new))
    return copy


def proxy_command(folder: Path, whole: Path) -> list[str]:
    """What starts the proxy by the file ``whole``; its temporary files and its number go into ``folder``."""
    (folder / "acme" / ".well-known" / "acme-challenge").mkdir(parents=True)
    binary = shutil.which("nginx") or "/usr/sbin/nginx"
    assert Path(binary).exists(), "There is no nginx: install it, e.g. apt-get install nginx-light."
    # As root nginx would hand its folders to a user who does not reach pytest's.
    own = ["-g", "daemon off; user root;"] if os.getuid() == 0 else ["-g", "daemon off;"]
    return [binary, "-e", "stderr", "-p", f"{folder}/", "-c", str(whole), *own]


@contextmanager
def _running(command: list[str], port: int, log: Path, environment: Mapping[str, str]) -> Iterator[None]:
    with log.open("ab") as written:
        child = child_process.start(
            command, cwd=ROOT, env=dict(environment), stdin=subprocess.DEVNULL, stdout=written, stderr=written
        )
    try:
        give_up = time.monotonic() + STARTS_WITHIN
        while not _listens(port):
            told = log.read_text(errors="replace")
            assert child.poll() is None, f"{command[0]} ended: {told}"
            assert time.monotonic() < give_up, f"{command[0]} did not start: {told}"
            time.sleep(0.05)
        yield
    finally:
        child_process.stop(child)


def _listens(port: int) -> bool:
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True


def _open_files(pid: str, folder: Path) -> int:
    """Bytes of the files below ``folder`` that a process has open."""
    sizes = 0
    for each in Path(f"/proc/{pid}/fd").iterdir():
        try:
            if str(each.readlink()).startswith(f"{folder}/"):
                sizes += each.stat().st_size
        except OSError:  # it was closed meanwhile
            continue
    return sizes
