"""Somebody else's Django project with Sunwi's apps, set up by the snippets of docs/install.md."""

import http.client
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import psycopg
import pytest
from django.conf import settings

from config.local import valkey
from tests import servers
from tests.package import interpreters
from tests.package.conftest import Built, Environment, done, install_all
from tests.package.hosts import APPS, PATIENCE_SECONDS, Host, make_host
from tests.ports import free_port

pytestmark = pytest.mark.long

OURS = ("accounts", "foundation", "leaderboards", *APPS)
BOARDS = {"boards": [{"name": "Arena", "period": "all_time", "update": "increment"}]}
# Of each page some text that it shows.
PAGES = {
    "/boards/1/": "robin",
    "/": "Arena",
    "/players/robin/": "Arena",
    "/search/?q=ar": "Arena",
    "/accounts/login/": "password",
    "/admin/login/": "password",
    "/readyz": "ready",
}
# What is done before the server starts, in one process, which takes a fifth of the time. Prints where Sunwi lies,
# the tasks that lack, and a key; a worker does at first what stands last: with that the boards' Redis is known.
WORK = """
import foundation
from django.conf import settings
from django.core.management import call_command
from celery import current_app as app
app.loader.import_default_modules()
print(foundation.__file__.partition("/lib/")[0])
print(sorted({each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()} - app.tasks.keys()))
call_command("makemigrations", "--check", "--dry-run", verbosity=0)
call_command("apply_boards", "boards.json", verbosity=0)
call_command("create_service_key", "game", scope=["scores:write"])
app.tasks["leaderboards.tasks.settle"]()
app.tasks["foundation.tasks.heartbeat"]()
"""
# What the doctor finds wrong, but what only a worker sets right: none runs here.
CHECKUP = """
from foundation import clock
from leaderboards.management.doctor_checks import run_checks
found = run_checks(clock.now(), without=("worker", "unmirrored standings"))
print([f"{each.name}: {each.detail}" for each in found if each.is_red])
"""


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[str]:
    """The address of a Redis that nobody else uses, on a socket of its own."""
    server = valkey.Valkey(
        valkey.find_binary(), tmp_path / "redis", servers.folder() / "host.sock", tmp_path / "redis.log"
    )
    child = server.start()
    yield server.url
    valkey.stop(child)


@pytest.fixture
def postgresql() -> Iterator[str]:
    """What a project's settings say of an empty database on the tests' PostgreSQL."""
    servers.start_postgres()
    given = settings.DATABASES["default"]
    login = {name: given[name.upper()] for name in ("host", "port", "user", "password") if given[name.upper()]}
    with psycopg.connect(**login, dbname="postgres", autocommit=True) as owner:
        owner.execute("CREATE DATABASE host_project")
        written = {name.upper(): str(value) for name, value in login.items()}
        yield f"DATABASES = {{'default': {{'ENGINE': 'foundation.postgresql', 'NAME': 'host_project', **{written!r}}}}}"
        owner.execute("DROP DATABASE host_project WITH (FORCE)")


@contextmanager
def running(host: Host) -> Iterator[str]:
    """The host's own server, started as its documents say; yields where it listens."""
    address = f"127.0.0.1:{free_port()}"
    command = [str(host.python), "-W", "always", "manage.py", "runserver", "--noreload", "--insecure", address]
    with (host.folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            command, cwd=host.folder, env={"PATH": os.environ["PATH"]}, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            wait_for(address, server, host)
            yield address
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(10)


def wait_for(address: str, server: subprocess.Popen[bytes], host: Host) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            ask(address, "GET", "/healthz")
        except OSError:
            assert server.poll() is None, (host.folder / "server.log").read_text()
            assert time.monotonic() < deadline, "it does not answer"
            time.sleep(0.05)
        else:
            return


def ask(address: str, method: str, path: str, body: Any = None, key: str = "") -> tuple[int, str]:
    """Status and text of an answer."""
    connection = http.client.HTTPConnection(urlsplit(f"//{address}").netloc, timeout=PATIENCE_SECONDS)
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def has_request_id(address: str, path: str) -> bool:
    """Whether an answer says under which name the log has its request."""
    with urlopen(f"http://{address}{path}", timeout=PATIENCE_SECONDS) as answer:
        return bool(answer.headers["X-Request-ID"])


def use(host: Host, *apps: str) -> None:
    """Check, migrate, and see one score from the API's door to the pages; without a warning of our own code."""
    checked = done(host.python, "-W", "always", "manage.py", "check", cwd=host.folder)
    assert "no issues" in checked
    host.manage("migrate", "--verbosity", "0")
    (host.folder / "boards.json").write_text(json.dumps(BOARDS))
    lies, lack, *_, key = host.manage("shell", "-v", "0", "-c", WORK).strip().splitlines()
    assert (lies, lack) == (str(host.python.parent.parent), "[]")
    with running(host) as address:
        sent = {"entries": [{"board": 1, "player": "robin", "points": 420, "id": "match-1:robin"}]}
        status, answer = ask(address, "POST", "/api/v1/scores", sent, key)
        assert status == 200, answer
        status, answer = ask(address, "GET", "/api/v1/boards/1/standings")
        assert status == 200, answer
        assert (json.loads(answer)["live"], [row["player"] for row in json.loads(answer)["rows"]]) == (True, ["robin"])
        for path, shown in PAGES.items():
            status, answer = ask(address, "GET", path)
            assert (status, shown in answer) == (200, True), f"{path}: {answer[:2000]}"
        assert all(has_request_id(address, path) for path in ("/api/v1/boards/1/standings", "/boards/1/"))
        assert ("/competitions/" in ask(address, "GET", "/")[1]) == ("competitions" in apps)
    assert host.manage("shell", "-v", "0", "-c", CHECKUP).strip().splitlines()[-1] == "[]"
    said = checked + (host.folder / "server.log").read_text()
    assert re.findall(rf".*/({'|'.join(OURS)})/\S+\.py:\d+: .*Warning.*", said) == []


@pytest.mark.parametrize("apps", [(), ("likes",), ("likes", "competitions")], ids=["alone", "likes", "all"])
def test_a_fresh_project_keeps_boards_with_these_apps(
    installed: Environment, tmp_path: Path, redis: str, apps: tuple[str, ...]
) -> None:
    use(make_host(installed, tmp_path, apps, redis), *apps)


def test_a_fresh_project_keeps_boards_from_the_source_archive(
    installed_from_source: Environment, tmp_path: Path, redis: str
) -> None:
    use(make_host(installed_from_source, tmp_path, (), redis))


def test_a_fresh_project_keeps_boards_on_postgresql(
    installed: Environment, tmp_path: Path, redis: str, postgresql: str
) -> None:
    use(make_host(installed, tmp_path, (), redis, postgresql))


@pytest.mark.parametrize(("python", "django"), interpreters.PAIRS)
def test_a_fresh_project_keeps_boards_on_each_python_and_django(
    built: Built, tmp_path: Path, redis: str, python: str, django: str
) -> None:
    """Each Python gets the wheel and, with one of its Djangos, the source archive."""
    if python not in interpreters.found():
        pytest.skip(f"Python {python} is not on this machine; PYTHONS can name one (docs/install.md)")
    package = built.sdist if django == "6.0" else built.wheel
    environment = install_all(package, interpreters.found()[python], django, tmp_path / "env")
    runs = "import django, sys; print('%d.%d' % sys.version_info[:2], '%d.%d' % django.VERSION[:2])"
    assert done(environment.python, "-c", runs, cwd=tmp_path).split() == [python, django]
    folder = tmp_path / "project"
    folder.mkdir()
    use(make_host(environment, folder, APPS, redis), *APPS)
