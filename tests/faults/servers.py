"""Servers to break: a Valkey and a PostgreSQL that can be killed (`kill -9`), frozen, thawed and started again.

Everything lies in temporary folders and dies with the test process. The trap: PostgreSQL must answer a commit
only when it is written down, which the ordinary test server does not.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import redis

from config.local import child_process, postgres, valkey
from tests import template
from tests.ports import free_port


class Server:
    def __init__(self, made: Any, command: list[str], **options: Any) -> None:
        self.made = made
        self._command = command
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "the server is down"
        return self._process

    def start(self) -> None:
        """Start it and wait until it answers: again, while a killed one's children still hold what it needs."""
        give_up = time.monotonic() + 30
        while self._process is None:
            with self.made.log.open("ab") as log:
                process = child_process.start(
                    self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self._options
                )
            while process.poll() is None and not self.made.answers():
                time.sleep(0.01)
            if process.poll() is None:
                self._process = process
            elif time.monotonic() > give_up:
                raise valkey.ServerFailed(self.made.log.read_text(errors="replace")[-2000:])
            else:
                time.sleep(0.05)

    def kill(self) -> None:
        self.process.kill()  # also one that is frozen
        self.process.wait()
        self._process = None

    def restart(self, pause: float = 0.0) -> None:
        self.kill()
        time.sleep(pause)
        self.start()

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        if self._process is not None:
            self.kill()
        shutil.rmtree(self.made.folder, ignore_errors=True)


class RedisServer(Server):
    made: valkey.Valkey

    @property
    def files(self) -> Path:
        """Its append-only files."""
        return self.made.folder / "appendonlydir"

    def client(self) -> redis.Redis:
        return redis.Redis(unix_socket_path=str(self.made.socket), socket_timeout=30)

    def lose_memory(self) -> None:
        with self.client() as client:
            client.flushall()

    def listen(self) -> int:
        """A port, which replication needs. Somebody else may take one that was free: then it is another one."""
        give_up = time.monotonic() + 30
        while True:
            port = free_port()
            try:
                with self.client() as client:
                    client.config_set("port", port)
            except redis.ResponseError:
                if time.monotonic() > give_up:
                    raise
            else:
                return port

    def follow(self, port: int) -> None:
        """Become a replica of who listens there, and have what it has."""
        with self.client() as client:
            client.replicaof("127.0.0.1", port)
            give_up = time.monotonic() + 30
            while client.info("replication")["master_link_status"] != "up":
                assert time.monotonic() < give_up, "the replica is not in step"
                time.sleep(0.02)

    def promote(self) -> None:
        with self.client() as client:
            client.replicaof("NO", "ONE")

    def cut_off(self) -> None:
        """Let no replica hear anything more."""
        with self.client() as client:
            client.config_set("port", 0)
            client.client_kill_filter(_type="replica")


class SqlServer(Server):
    made: postgres.Postgres

    def connect(self) -> psycopg.Connection:
        return psycopg.connect(host=str(self.made.folder), user="postgres", dbname="sunwi", autocommit=True)


def new_redis(folder: Path, fsync: str, name: str = "redis") -> RedisServer:
    """A Valkey in `folder`, not started yet."""
    binary = Path(os.environ.get("TEST_REDIS_SERVER") or valkey.find_binary())
    made = valkey.Valkey(binary, folder / name, folder / f"{name}.sock", folder / f"{name}.log", fsync)
    made.write_configuration()
    return RedisServer(made, made.command)


def new_sql() -> SqlServer:
    """A PostgreSQL with our tables, not started yet, which keeps what it has committed also when it is killed."""
    locale = os.environ.get("TEST_POSTGRES_LOCALE", "C")
    made = replace(postgres.create(locale=locale, data=template.data_folder()), settings={"synchronous_commit": "on"})
    return SqlServer(made, made._command(), at_death=signal.SIGQUIT, cwd=made.folder, **made.owner)


def temporary_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="sunwi-fault-", dir="/tmp"))  # short: sockets
