"""Servers to break: a Valkey and a PostgreSQL that can be killed (`kill -9`), frozen, thawed and started again.

Everything lies in temporary folders and dies with the test process. The trap: PostgreSQL must answer a commit
only when it is written down, which the ordinary test server does not.
"""

import os
import signal
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import psycopg
import redis

from config.local import leash, postgres, valkey


class DurablePostgres(postgres.Postgres):
    """Keeps what it has committed also when it is killed."""

    def _command(self) -> list[str]:
        return [*super()._command(), "-c", "synchronous_commit=on"]


class Server:
    """A server process under our hands."""

    def __init__(self, made: valkey.Valkey | postgres.Postgres) -> None:
        self.made = made
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "the server is down"
        return self._process

    def start(self) -> None:
        """Start it and wait until it answers; after a kill what its children left behind may take a moment."""
        give_up = time.monotonic() + 30
        while True:
            try:
                self._process = self.made.start()
            except valkey.ServerFailed:
                if time.monotonic() > give_up or not self.made_exists():
                    raise
                time.sleep(0.1)
            else:
                return

    def made_exists(self) -> bool:
        return self.made.folder.exists()

    def kill(self) -> None:
        """`kill -9`, and wait until it is gone."""
        self.process.kill()
        self.process.wait()
        self._process = None

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        if self._process is not None:
            self.thaw()
            self.kill()


class RedisServer(Server):
    """The world's Valkey."""

    made: valkey.Valkey

    @property
    def files(self) -> Path:
        """Its append-only files."""
        return self.made.folder / "appendonlydir"

    def client(self) -> redis.Redis:
        return redis.Redis(unix_socket_path=str(self.made.socket), socket_timeout=30)

    def run_id(self) -> str:
        with self.client() as client:
            return str(client.info("server")["run_id"])


class SqlServer(Server):
    """The world's PostgreSQL."""

    made: postgres.Postgres

    def start(self) -> None:
        """A killed postmaster leaves backends that hold its memory: start again until they are gone."""
        give_up = time.monotonic() + 30
        while True:
            with self.made.log.open("ab") as log:
                process = leash.start(
                    self.made._command(), at_death=signal.SIGQUIT, cwd=self.made.folder,
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self.made.owner,
                )  # fmt: skip  # as a table
            while process.poll() is None and not self.made.answers():
                time.sleep(0.02)
            if process.poll() is None:
                self._process = process
                return
            if time.monotonic() > give_up:
                raise valkey.ServerFailed(self.made.log.read_text(errors="replace")[-2000:])
            time.sleep(0.1)

    def connect(self) -> psycopg.Connection:
        return psycopg.connect(host=str(self.made.folder), user="postgres", dbname="sunwi", autocommit=True)


def new_redis(folder: Path, fsync: str) -> RedisServer:
    """A Valkey in `folder`, not started yet."""
    binary = Path(os.environ.get("TEST_REDIS_SERVER") or valkey.find_binary())
    return RedisServer(valkey.Valkey(binary, folder / "redis", folder / "redis.sock", folder / "redis.log", fsync))


def temporary_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="sunwi-fault-", dir="/tmp"))  # short: sockets


def new_sql() -> SqlServer:
    """An empty PostgreSQL, not started yet."""
    made = postgres.create()
    return SqlServer(DurablePostgres(made.binaries, made.folder, made.owner))


def copy_of(template: SqlServer) -> SqlServer:
    """Another PostgreSQL with the data of one that is down."""
    folder = Path(tempfile.mkdtemp(prefix="sunwi-pg-", dir="/tmp"))
    subprocess.run(["cp", "-a", str(template.made.folder / "data"), str(folder / "data")], check=True)
    if owner := template.made.owner:
        os.chown(folder, owner["user"], owner["group"])
    return SqlServer(replace(template.made, folder=folder))
