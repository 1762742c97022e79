"""The data folder of a PostgreSQL with our tables, made once for these migrations and copied by all who need one.

It lies in ``sunwi-tests`` in the user's cache folder ($XDG_CACHE_HOME or ~/.cache); `make clean` removes it.
"""

import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from config.local import postgres

ROOT = Path(__file__).parent.parent
APPS = ("foundation", "accounts", "leaderboards", "likes", "competitions")
UNUSED_SECONDS = 7 * 86_400  # 43 MB each; other branches have other migrations


def data_folder() -> Path:
    """The folder for today's migrations and ``TEST_POSTGRES_LOCALE``, shut down in order; the first caller makes it."""
    locale = os.environ.get("TEST_POSTGRES_LOCALE", "C")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sunwi-tests"
    try:
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise RuntimeError(f"{cache} cannot be made: name another place in XDG_CACHE_HOME") from error
    made = cache / f"postgres-{_fingerprint(locale)}"
    with _locked(cache / "lock"):
        if not (made / "base").is_dir() or not (made / "global" / "pg_control").exists():
            shutil.rmtree(made, ignore_errors=True)
            _make(made, locale)
            for other in cache.glob("postgres-*"):
                if other.stat().st_mtime < time.time() - UNUSED_SECONDS:
                    shutil.rmtree(other)
        os.utime(made)
    return made


def _fingerprint(locale: str) -> str:
    """What the folder depends on: the server, how it sorts, and each migration of ours and of installed apps."""
    server = postgres.find_binaries(locale) / "postgres"
    read = hashlib.sha256(f"{locale} {server.stat().st_size}".encode())  # of any checkout's environment
    files = [file for app in APPS for file in (ROOT / app).rglob("migrations/*.py")]
    for file in (*sorted(files), ROOT / "requirements-test.txt"):
        read.update(file.read_bytes())
    return read.hexdigest()[:20]


def _make(made: Path, locale: str) -> None:
    folder = Path(f"/tmp/sunwi-tests-{os.getpid()}-template")  # noqa: S108 - short, for sockets; servers.py clears it away
    server = postgres.create(locale=locale, folder=folder)
    process = server.start()
    try:
        with psycopg.connect(
            host=str(server.folder), user="postgres", dbname="postgres", autocommit=True
        ) as connection:
            connection.execute("CREATE DATABASE sunwi")
        command = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
        subprocess.run(command, cwd=ROOT, env=os.environ | {"DATABASE_URL": server.url}, check=True)
        process.send_signal(signal.SIGINT)  # in order: everything is in its files afterwards
        process.wait()
        unfinished = made.with_name("unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        subprocess.run(["cp", "-a", str(server.folder / "data"), str(unfinished)], check=True)
        unfinished.rename(made)
    finally:
        server.stop(process)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
