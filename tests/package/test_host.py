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
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings

from config.local import valkey
from tests import servers
from tests.package import interpreters
from tests.package.conftest import ROOT, Built, Environment, done, install_all
from tests.ports import free_port

pytestmark = pytest.mark.long

APPS = ("likes", "competitions")
OURS = ("accounts", "foundation", "leaderboards", *APPS)
BOARDS = {"boards": [{"name": "Arena", "period": "all_time", "update": "increment"}]}
PATIENCE_SECONDS = 30.0
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
from host.celery import app
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


def snippet(name: str) -> str:
    """The block of docs/install.md that begins with the name of its file."""
    blocks: list[str] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "install.md").read_text(), re.DOTALL)
    (found,) = [block for block in blocks if block.startswith(f"# {name}\n")]
    return found


@dataclass(frozen=True)
class Host:
    """The project of somebody else: its folder, and the Python that it runs on."""

    folder: Path
    python: Path

    def manage(self, *command: str) -> str:
        """What the command said; fails where it failed."""
        return done(self.python, "manage.py", *command, cwd=self.folder)

    def refused(self, *command: str) -> str:
        """What the command said that ended with an error; fails where it did not."""
        ended = subprocess.run(
            [str(self.python), "manage.py", *command], cwd=self.folder, env={"PATH": os.environ["PATH"]}, text=True,
            timeout=PATIENCE_SECONDS, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip  # as a table
        assert ended.returncode != 0, ended.stdout
        return ended.stdout

    def add_app(self, name: str, **modules: str) -> None:
        """Make an app of the host's own with these modules."""
        folder = self.folder / name
        folder.mkdir()
        (folder / "__init__.py").touch()
        for module, text in modules.items():
            (folder / f"{module}.py").write_text(text)

    def add(self, file: str, *lines: str) -> None:
        """Write lines of the host's own at the end of a file of its project."""
        with (self.folder / "host" / file).open("a") as written:
            written.write("\n" + "\n".join(lines) + "\n")


def make_host(environment: Environment, folder: Path, apps: tuple[str, ...], redis: str, database: str = "") -> Host:
    """A fresh ``startproject``, with the documented snippets, for leaderboards and these apps."""
    done(environment.python, "-m", "django", "startproject", "host", ".", cwd=folder)
    added, addresses = snippet("settings.py"), snippet("urls.py")
    for app in apps:
        added = added.replace(f'# "{app}",', f'"{app}",')
        addresses = addresses.replace(f"# from {app} import", f"from {app} import")
        addresses = addresses.replace(f'# path("", include("{app}.urls"))', f'path("", include("{app}.urls"))')
    parts = ", ".join(f"{app}_api.part" for app in apps)
    addresses = addresses.replace("include((api_urls(),", f"include((api_urls({parts}),")
    added = added.replace("redis://127.0.0.1:6379/0", redis)
    with (folder / "host" / "settings.py").open("a") as written:
        written.write(f"\n{added}\n{database}\n")
    (folder / "host" / "urls.py").write_text(addresses)
    (folder / "host" / "celery.py").write_text(snippet("celery.py"))
    return Host(folder, environment.python)


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


# What a host has of its own, and what its own client gets of it: middleware that lets nobody through.
GUARDED = """
from django.http import HttpResponse
def write(request): return HttpResponse("written")
def guard(_): return lambda request: HttpResponse("guarded", status=403)
"""
ASK_OURSELVES = """
from django.test import Client
for path in ("/shop/write", "/api/v1/write", "/api/v1/nothing", "/api/v1/boards/1/standings"):
    print(path, Client().post(path).status_code)
"""


def test_a_hosts_own_addresses_below_the_apis_keep_its_middleware(installed: Environment, tmp_path: Path) -> None:
    host = make_host(installed, tmp_path, (), "redis://127.0.0.1:1/0")
    (tmp_path / "host" / "views.py").write_text(GUARDED)
    host.add(
        "urls.py",
        "from host.views import write",
        'urlpatterns = [path("api/v1/write", write), path("shop/write", write)] + urlpatterns',
    )
    host.add("settings.py", 'MIDDLEWARE.insert(1, "host.views.guard")', 'ALLOWED_HOSTS = ["testserver"]')

    said = host.manage("shell", "-v", "0", "-c", ASK_OURSELVES)

    answers = [line for line in said.splitlines() if line.startswith("/")]
    assert answers == [
        "/shop/write 403", "/api/v1/write 403", "/api/v1/nothing 403", "/api/v1/boards/1/standings 405",
    ]  # fmt: skip  # as a table


def test_a_project_with_users_of_its_own_hears_that_sunwi_does_not_take_them(
    installed: Environment, tmp_path: Path
) -> None:
    host = make_host(installed, tmp_path, APPS, "redis://127.0.0.1:1/0")
    host.add_app("people", models="from django.contrib.auth.models import AbstractUser\nclass User(AbstractUser): pass")
    host.add("settings.py", 'INSTALLED_APPS += ["people"]', 'AUTH_USER_MODEL = "people.User"')

    said = host.refused("check")

    assert "(sunwi.E014) AUTH_USER_MODEL is not auth.User." in said
    assert "Traceback" not in said


OWN_ADMIN = """
from django.contrib import admin
from django.contrib.auth.models import User
from {} import {} as Base
admin.site.unregister(User)
@admin.register(User)
class Ours(Base): pass
"""
WHICH = """
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.core.management import get_commands
for each in User, Group: print("registered", type(admin.site.get_model_admin(each)).__name__)
print("title", admin.site.site_title)
print("makemessages of", get_commands()["makemessages"])
"""


@pytest.mark.parametrize(
    "place", ["INSTALLED_APPS.index('foundation')", "len(INSTALLED_APPS)"], ids=["before", "after"]
)
@pytest.mark.parametrize(
    ("base", "is_warned"),
    [
        (("django.contrib.auth.admin", "UserAdmin"), True),
        (("leaderboards.admin.users.user_admin", "AccountAdmin"), False),
    ],
    ids=["djangos", "sunwis"],
)
def test_a_hosts_own_admin_of_users_stays_and_is_warned_of(
    installed: Environment, tmp_path: Path, base: tuple[str, str], is_warned: bool, place: str
) -> None:
    host = make_host(installed, tmp_path, (), "redis://127.0.0.1:1/0")
    host.add_app("staffing", admin=OWN_ADMIN.format(*base))
    host.add("settings.py", f"INSTALLED_APPS.insert({place}, 'staffing')")

    said = host.manage("check") + host.manage("shell", "-v", "0", "-c", WHICH)

    assert ("sunwi.W003" in said, "users is staffing.admin.Ours, not Sunwi's" in said) == (is_warned, is_warned)
    found = re.findall("^(?:registered|title|makemessages of) (.*)$", said, re.M)
    assert found == ["Ours", "RoleAdmin", "Django site admin", "django.core"]


@pytest.mark.parametrize("name", ["accounts", "likes"])
def test_an_app_of_the_host_with_a_name_of_ours_is_told_where_it_lies(
    installed: Environment, tmp_path: Path, name: str
) -> None:
    host = make_host(installed, tmp_path, ("likes",), "redis://127.0.0.1:1/0")
    host.add_app(name)

    said = host.refused("check").strip().splitlines()[-1]

    assert said.endswith(
        f"ImproperlyConfigured: The module {name!r} is {tmp_path / name}, not Sunwi's app of this name. "
        "If it is yours, give it another name."
    )


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
