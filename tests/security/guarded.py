"""Servers with the users, passwords and roles of the Compose file, and the environment that it gives to our programs.

Changed for a machine without containers: where servers listen, and where secrets lie.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
import redis

from config.local import child_process, postgres, valkey
from config.local.postgres import Postgres
from config.servers import prepare
from tests.ports import free_port
from tests.security.front import HOST, ROOT

SERVERS = ROOT / "config" / "servers"
STARTS_WITHIN = 60.0  # seconds
IN_CONTAINERS = "/run/secrets"


@dataclass(frozen=True, slots=True)
class Guarded:
    """The ports of both Redis and of PostgreSQL, and the folder of their secrets."""

    boards: int
    passing: int
    postgres: int
    secrets: Path
    server: Postgres

    def secret(self, name: str) -> str:
        return (self.secrets / name).read_text().removesuffix("\n")

    def redis(self, server: str, user: str, password: str, database: int = 0) -> redis.Redis:
        """A client of ``server`` ("boards" or "passing") whose password is the secret of that name."""
        return redis.Redis(
            HOST, getattr(self, server), database, username=user, password=self.secret(password), decode_responses=True
        )

    def sql(self, user: str, password: str, database: str = "sunwi") -> psycopg.Connection:
        """A connection over TCP, as containers have, where the password counts."""
        return psycopg.connect(
            host=HOST, port=self.postgres, user=user, password=password, dbname=database, autocommit=True
        )

    def environment(self, service: str = "") -> dict[str, str]:
        """What the Compose file sets for the application, with what ``service`` changes."""
        text = (ROOT / "docker-compose.yml").read_text()
        found = _variables(text.partition("environment: &environment\n")[2])
        if service:
            found |= _variables(text.partition(f"\n  {service}:\n")[2].partition("<<: *environment\n")[2])
        return {name: self._here(value) for name, value in found.items()}

    def run(self, *command: str, service: str = "", data: Path) -> subprocess.CompletedProcess[str]:
        """One of our own programs with that environment and no other addresses or secrets."""
        return subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=self.whole_environment(service, data), capture_output=True,
            text=True, check=False, timeout=420,
        )  # fmt: skip  # as a command line

    def whole_environment(self, service: str, data: Path) -> dict[str, str]:
        """The same with what a program needs of this machine."""
        ours = {"PATH": os.environ["PATH"], "DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "config.settings"}
        return {**ours, **self.environment(service)}

    def _here(self, value: str) -> str:
        for name in ("boards", "passing"):
            value = value.replace(f"@{name}:6379", f"@{HOST}:{getattr(self, name)}")
        value = value.replace("@postgres:5432", f"@{HOST}:{self.postgres}")
        return value.replace(IN_CONTAINERS, str(self.secrets))


def _variables(block: str) -> dict[str, str]:
    """The lines of an ``environment`` up to its end, with the defaults of what the operator may set."""
    lines = re.match(r"(?: {4,6}(?:[A-Z_]+: .*|#.*)\n)*", block)
    assert lines
    found = dict(re.findall(r"^ +([A-Z_]+): (.*)$", lines[0], re.MULTILINE))
    assert found
    return {name: re.sub(r"^\$\{\w+:-(.*)\}$", r"\1", value.strip('"')) for name, value in found.items()}


@contextmanager
def guarded(folder: Path) -> Iterator[Guarded]:
    """Both Redis with the shipped lists of users, and a PostgreSQL that ran the shipped roles, until the end."""
    prepare.prepare(folder / "secrets")
    port, server = free_port(), postgres.create()
    server = replace(server, settings={"listen_addresses": HOST, "port": str(port)})
    made = Guarded(free_port(), free_port(), port, folder / "secrets", server)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, server.folder, ignore_errors=True)
        for name in ("boards", "passing"):
            stack.enter_context(_redis(made, name, folder / name))
        stack.enter_context(_postgres(made))
        yield made


@contextmanager
def _redis(made: Guarded, name: str, folder: Path) -> Iterator[None]:
    folder.mkdir()
    command = [
        str(valkey.find_binary()), "--port", str(getattr(made, name)), "--bind", HOST, "--dir", str(folder),
        *_options(name), "--aclfile", str(made.secrets / f"{name}.acl"),
    ]  # fmt: skip  # as a command line
    log = folder / "log"
    with log.open("ab") as written:
        child = child_process.start(command, stdin=subprocess.DEVNULL, stdout=written, stderr=written)
    try:
        give_up = time.monotonic() + STARTS_WITHIN
        while not _answers(made, name):
            assert child.poll() is None, log.read_text()
            assert time.monotonic() < give_up, log.read_text()
            time.sleep(0.05)
        yield
    finally:
        valkey.stop(child)


def _options(name: str) -> list[str]:
    """What the Compose file starts that Valkey with, without its list of users."""
    services = (ROOT / "docker-compose.yml").read_text().partition(f"\n  {name}:\n    image: valkey/")[2]
    command = services.partition("command: [valkey-server, ")[2].partition("]")[0]
    return [each.strip().strip('"') for each in command.split(",")][:-2]


def _answers(made: Guarded, name: str) -> bool:
    """As the container asks."""
    try:
        with redis.Redis(HOST, getattr(made, name), username="health", password="none") as client:
            return bool(client.ping())
    except redis.ConnectionError:
        return False


@contextmanager
def _postgres(made: Guarded) -> Iterator[None]:
    server = made.server
    (server.folder / "data" / "pg_hba.conf").write_text("local all all trust\nhost all all all scram-sha-256\n")
    child = server.start()
    try:
        done = run_roles(made, made.secrets)
        assert done.returncode == 0, done.stderr
        yield
    finally:
        server.stop(child)


def run_roles(made: Guarded, secrets: Path | None, *, in_compose: bool = True) -> subprocess.CompletedProcess[str]:
    """The shipped roles by psql as the superuser; ``secrets`` has the passwords, None: where containers have them.

    ``in_compose`` gives it what the Compose file says to its PostgreSQL; without that it runs as on a shared server.
    """
    text = (ROOT / "docker-compose.yml").read_text().partition("\n  postgres:\n")[2]
    said = _variables(text.partition("    environment:\n")[2]) if in_compose else {}
    psql = made.server.binaries / "psql"
    folder = ["-v", f"secrets={secrets}"] if secrets else []
    return subprocess.run(
        [psql if psql.exists() else shutil.which("psql") or "psql", "--no-password", "--no-psqlrc", *folder,
         "-h", made.server.folder, "-p", str(made.postgres), "-U", "postgres", "-d", "postgres",
         "-f", SERVERS / "roles.sql"], capture_output=True, text=True, check=False, env={**os.environ, **said},
    )  # fmt: skip  # as a command line
