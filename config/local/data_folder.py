"""The demo's data folder: its paths, its lock, and what survives a restart.

A demo locks its folder with ``flock``, which the kernel releases when the process dies. Pid files are for people and
scripts, never for locking.
"""

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from config.local.errors import DemoError
from foundation import file_locations

MAX_LOG_BYTES = 5 * 1024 * 1024
ANEW = "Move the folder away to start anew."


@dataclass(frozen=True)
class DataFolder:
    """DATA_DIR and the paths in it."""

    root: Path

    @property
    def env(self) -> Path:
        """The settings that `manage.py` reads to work on the demo's data."""
        return self.root / "env"

    @property
    def database(self) -> Path:
        return self.root / "db.sqlite3"

    @property
    def redis(self) -> Path:
        return self.root / "redis"

    @property
    def service_key(self) -> Path:
        return self.root / "service-key"

    @property
    def tables(self) -> Path:
        """A marker file: exists once this start has migrated the database."""
        return self.root / "run" / "tables"

    def log(self, name: str) -> Path:
        return self.root / "logs" / f"{name}.log"

    def pid(self, name: str) -> Path:
        return self.root / "run" / f"{name}.pid"

    def secret_key(self) -> str:
        """Return the secret key of earlier starts, or a new one. Sessions thus survive a restart."""
        if not self.env.exists():
            return secrets.token_urlsafe(50)
        for line in _read(self.env).splitlines():
            name, _, value = line.partition("=")
            if name == "SECRET_KEY" and value:
                return value
        raise DemoError(f"{self.env} is damaged: it holds no SECRET_KEY. {ANEW}")

    def write_env(self, settings: dict[str, str]) -> None:
        write_private(self.env, "".join(f"{name}={value}\n" for name, value in settings.items()))

    def passwords(self, *users: str) -> dict[str, str]:
        """Return the passwords of these accounts; they are generated once for the folder."""
        path = self.root / "logins.json"
        if not path.exists():
            write_private(path, json.dumps({user: secrets.token_urlsafe(12) for user in users}, indent=1) + "\n")
        try:
            logins = json.loads(_read(path))
            return {user: str(logins[user]) for user in users}
        except (ValueError, KeyError, TypeError) as error:
            raise DemoError(f"{path} is damaged ({error}). {ANEW}") from error

    def was_left_running(self) -> bool:
        """Whether an earlier demo was killed, so that its children may still be ending."""
        return any((self.root / "run").glob("*.pid"))


@contextmanager
def claim(root: Path) -> Iterator[DataFolder]:
    """Create and lock the folder. Raises ``DemoError`` if it is in use or not writable."""
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        for part in ("run", "logs", "redis"):
            (root / part).mkdir(exist_ok=True, mode=0o700)
        lock = (root / "run" / "lock").open("a+")
    except OSError as error:
        raise DemoError(
            f"DATA_DIR {root} can not be used: {error.strerror} ({error.filename}). "
            f"Name a folder that can be written, like this: DATA_DIR=$HOME/sunwi-demo {file_locations.DEMO}"
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            holder = lock.read().strip() or "no pid known"
            raise DemoError(
                f"A demo already runs on {root} ({holder}). Stop it, or start another beside it: "
                f"DATA_DIR=.data2 PORT=8001 {file_locations.DEMO}"
            ) from error
        lock.truncate(0)
        lock.write(f"pid {os.getpid()}")
        lock.flush()
        _rotate_logs(root / "logs")
        yield DataFolder(root)


def write_private(path: Path, text: str) -> None:
    """Write a file atomically, readable by its owner only."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    with open(draft, "x", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(text)
    draft.replace(path)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise DemoError(f"{path} can not be read ({error}). {ANEW}") from error


def _rotate_logs(logs: Path) -> None:
    for log in logs.glob("*.log"):
        with suppress(FileNotFoundError):
            if log.stat().st_size > MAX_LOG_BYTES:
                log.replace(log.with_suffix(".log.old"))
