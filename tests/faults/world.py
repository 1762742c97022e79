"""A world to break: a Valkey and a PostgreSQL of its own, and child processes that use them.

Servers and children can be killed (`kill -9`), frozen, thawed and started again. Everything lies in temporary
folders and dies with the test process. The trap: PostgreSQL must answer a commit only when it is written
down, which the ordinary test server does not.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import psycopg
import redis

from config.local import leash, postgres, valkey

ROOT = Path(__file__).parents[2]


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
                )  # fmt: skip
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


@dataclass(frozen=True)
class Child:
    """A process born in the nursery."""

    pid: int
    _nursery: "Nursery"
    _result: Path

    def kill(self) -> None:
        """`kill -9`, and wait until it is gone; nothing if it has ended by itself."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def freeze(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def stop(self, seconds: float = 60) -> Any:
        """Ask a looping child to end; its result."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        return self.result(seconds)

    def ended(self) -> int | None:
        """The exit status, negative for a signal; None while it lives."""
        return self._nursery.poll(self.pid)

    def wait(self, seconds: float = 60) -> int:
        """The exit status; a child that does not end in time is killed, and the test fails."""
        give_up = time.monotonic() + seconds
        while (status := self.ended()) is None:
            if time.monotonic() > give_up:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError(f"child {self.pid} did not end within {seconds} s")
            time.sleep(0.005)
        return status

    def result(self, seconds: float = 60) -> Any:
        """What its function returned. Fails if it raised."""
        status = self.wait(seconds)
        assert status == 0, f"child ended with {status}: {self._nursery.log_tail()}"
        return json.loads(self._result.read_text())


class Nursery:
    """The process that bears a world's children; see tests/faults/nursery.py."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._born = 0
        self._ended: dict[int, int] = {}
        self._log = (folder / "children.log").open("ab")
        self._process = leash.start(
            [sys.executable, "-c", "from tests.faults.nursery import main; main()"], at_death=signal.SIGKILL, cwd=ROOT,
            env={**_plain_environment(), **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._log,
        )  # fmt: skip
        self._read()  # it is ready

    def bear(self, target: Callable[..., Any], fail_at: str, arguments: Mapping[str, Any]) -> Child:
        self._born += 1
        result = self._folder / f"result-{os.getpid()}-{self._process.pid}-{self._born}"
        name = f"{target.__module__}:{target.__qualname__}"
        request = {"target": name, "arguments": arguments, "fail_at": fail_at, "result": str(result)}
        return Child(self._ask(request), self, result)

    def poll(self, pid: int) -> int | None:
        if pid not in self._ended and (status := self._ask({"poll": pid})) is not None:
            self._ended[pid] = status
        return self._ended.get(pid)

    def log_tail(self) -> str:
        return (self._folder / "children.log").read_text(errors="replace")[-3000:]

    def end(self) -> None:
        """Its children go with it (where the kernel sees to that; else they see it at their next step)."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._log):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()

    def _ask(self, request: Mapping[str, Any]) -> Any:
        stdin = _pipe(self._process.stdin)
        stdin.write(json.dumps(request).encode() + b"\n")
        stdin.flush()
        return self._read()

    def _read(self) -> Any:
        line = _pipe(self._process.stdout).readline()
        assert line, f"the nursery is gone: {self.log_tail()}"
        return json.loads(line)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _plain_environment() -> dict[str, str]:
    """Ours without what names servers of other tests."""
    named = ("REDIS_URL", "CACHE_URL", "BROKER_URL", "DATABASE_URL", "DATA_DIR", "FAIL_AT", "STATIC_ROOT")
    return {name: value for name, value in os.environ.items() if name not in named}


class World:
    """Two servers and the processes that use them. Make it by the fixture `make_world`."""

    def __init__(self, folder: Path, redis_server: RedisServer, sql: SqlServer) -> None:
        self.folder = folder
        self.redis = redis_server
        self.sql = sql
        self.histories = folder / "histories"
        self.histories.mkdir()
        self._nurseries: dict[str, Nursery] = {}
        self._histories = 0

    def new_history(self) -> str:
        """A file for a writer or reader to write its operations to."""
        self._histories += 1
        return str(self.histories / f"{self._histories:04d}.jsonl")

    def spawn(self, target: Callable[..., Any], *, fail_at: str = "", redis_url: str = "", **arguments: Any) -> Child:
        """Run a function of a module of ours in a child of its own. `redis_url`: not the server, but a proxy."""
        return self._nursery(redis_url or self.redis.made.url).bear(target, fail_at, arguments)

    def call(self, target: Callable[..., Any], *, seconds: float = 90, redis_url: str = "", **arguments: Any) -> Any:
        """The same, and wait for what it returns."""
        return self.spawn(target, redis_url=redis_url, **arguments).result(seconds)

    def end(self) -> None:
        for nursery in self._nurseries.values():
            nursery.end()
        self.redis.end()
        self.sql.end()
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.sql.made.folder, ignore_errors=True)

    def _nursery(self, redis_url: str) -> Nursery:
        if redis_url not in self._nurseries:
            environment = {
                "DJANGO_SETTINGS_MODULE": "config.settings",
                "DATA_DIR": str(self.folder),
                "DATABASE_URL": self.sql.made.url,
                "REDIS_URL": redis_url,
                "SECRET_KEY": "only-for-tests",
                "HTTPS": "off",
                "LOG_LEVEL": "WARNING",
            }
            self._nurseries[redis_url] = Nursery(self.folder, environment)
        return self._nurseries[redis_url]


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
