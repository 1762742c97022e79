"""Processes that serve count in METRICS_FOLDER however they begin; commands leave nothing in it."""

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from prometheus_client.multiprocess import MultiProcessCollector

from tests.foundation.factories import KeyFactory
from tests.foundation.monitoring.scraped import Samples, scraped, value
from tests.playing import make_board
from tests.security.front import HOST, ROOT, application_alone

PROMTOOL = shutil.which("promtool")
COUNTS = """
from foundation.monitoring.server_metrics import redis_errors
redis_errors.add("away")
"""
SETUP = "import django; django.setup()"
REQUEST = "from django.core.signals import request_started; request_started.send(None)"
BEGINNINGS = {
    "web": "import config.wsgi",
    "worker": "from config.celery import app; app.loader.import_default_modules()\n"
    "from celery.signals import worker_init; worker_init.send(None)",
    "the counters first": "import leaderboards.metrics; import config.wsgi",
    "the library first": "import prometheus_client; import config.wsgi",
    "counted before it serves": f"{SETUP}\n{COUNTS}\nredis_errors.add('away', count=-1)\n{REQUEST}",
    "forked": "import config.wsgi, os, sys\nif child := os.fork():\n    os.waitpid(child, 0)\n    sys.exit()",
}
COMMANDS = {
    "check": "from django.core.management import execute_from_command_line as run; run(['manage.py', 'check'])",
    "counts": f"{SETUP}\n{COUNTS}",
}
# Settings of a project of somebody else, with an app of another's before ours.
HOST_SETTINGS = """
from foundation.conf import redis_cache
SECRET_KEY = "a-key-of-the-host"
{first}
INSTALLED_APPS = [
    {before}"django.contrib.auth", "django.contrib.contenttypes", "accounts", "foundation", "leaderboards",
]
CACHES = {{"boards": redis_cache("redis://127.0.0.1:1/0")}}
DATABASES = {{"default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}}}
SUNWI = {{"METRICS_FOLDER": {folder!r}}}
"""


def run(code: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """What a fresh process says that counts in the folder."""
    plain = {name: text for name, text in os.environ.items() if name != "PROMETHEUS_MULTIPROC_DIR"}
    environment = plain | {"DJANGO_SETTINGS_MODULE": "config.settings", "METRICS_FOLDER": str(folder)} | more
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def counted(folder: Path) -> float:
    """How often COUNTS has been counted, as prometheus-client (and so the release before) reads the files."""
    files = [str(each) for each in folder.glob("*/*.db")]
    families = MultiProcessCollector.merge(files)  # type: ignore[no-untyped-call]  # the library has no types for it
    samples = [sample for family in families for sample in family.samples]
    return float(sum(sample.value for sample in samples if sample.name == "sunwi_redis_errors_total"))


@pytest.mark.parametrize("beginning", BEGINNINGS.values(), ids=BEGINNINGS)
def test_a_process_counts_in_the_folder_however_it_begins(beginning: str, tmp_path: Path) -> None:
    done = run(f"{beginning}\n{COUNTS}", tmp_path)
    assert done.returncode == 0, done.stderr

    assert counted(tmp_path) == 1


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_command_leaves_nothing_in_the_folder(command: str, tmp_path: Path) -> None:
    done = run(command, tmp_path)
    assert done.returncode == 0, done.stderr

    assert not list(tmp_path.iterdir())


def test_without_a_folder_the_library_may_come_when_it_likes(tmp_path: Path) -> None:
    done = run(f"import prometheus_client\n{SETUP}\n{COUNTS}", tmp_path, METRICS_FOLDER="")

    assert done.returncode == 0, done.stderr


def a_host(folder: Path, *, before: str = "", first: str = "") -> dict[str, str]:
    """The settings of a project of somebody else, as variables for its processes."""
    text = HOST_SETTINGS.format(folder=str(folder / "counts"), before=before, first=first)
    (folder / "host_of_counts.py").write_text(text)
    (folder / "counts_early.py").write_text("import prometheus_client\n")
    return {"DJANGO_SETTINGS_MODULE": "host_of_counts", "PYTHONPATH": str(folder), "METRICS_FOLDER": ""}


@pytest.mark.parametrize(
    "more",
    [{"before": '"counts_early", '}, {"first": "import foundation.monitoring.server_metrics"}],
    ids=["the library first", "the settings import the counters"],
)
def test_processes_of_a_project_of_somebody_else_count_in_its_folder_from_their_first_request_on(
    more: dict[str, str], tmp_path: Path
) -> None:
    done = run(f"{SETUP}\n{REQUEST}\n{COUNTS}", tmp_path, **a_host(tmp_path, **more))
    assert done.returncode == 0, done.stderr

    assert counted(tmp_path / "counts") == 1


def ask(port: int, path: str, body: object = None, key: str = "") -> str:
    """The text of an answer, which must be 200. Each call is a connection of its own."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"} if key else {}
    sent = json.dumps(body).encode() if body else None
    with urllib.request.urlopen(
        urllib.request.Request(f"http://{HOST}:{port}{path}", sent, headers), timeout=30
    ) as had:
        assert had.status == 200
        return str(had.read().decode())


@pytest.fixture
def two_sites(transactional_db: None, redis_server: object, tmp_path: Path) -> Iterator[list[int]]:
    """The ports of two instances, as the image starts them, on the tests' servers and one folder."""
    variables = {"METRICS_FOLDER": str(tmp_path / "metrics"), "HTTPS": "off"}
    with ExitStack() as running:
        yield [running.enter_context(application_alone(tmp_path / f"{nth}.log", **variables)) for nth in range(2)]


def test_scores_that_several_web_processes_took_are_told_by_each(two_sites: list[int]) -> None:
    key, board = KeyFactory.create(), make_board(storage="hybrid")
    for nth, port in enumerate(two_sites):
        entry = {"board": board, "player": f"player-{nth}", "points": 5, "id": f"id-{nth}"}
        ask(port, "/api/v1/scores", {"entries": [entry]}, key)

    texts = [ask(port, "/metrics") for port in two_sites]

    for told in map(scraped, texts):
        assert submissions(told, board) == 2
        assert value(told, "sunwi_request_seconds_count", method="POST", route="api/v1/scores") == 2
    if PROMTOOL is not None:
        done = subprocess.run(
            [PROMTOOL, "check", "metrics"], input=texts[0], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout + done.stderr) == (0, "")


def submissions(told: Samples, board: int) -> float:
    """What became of entries on the board, counted over all outcomes."""
    name = "sunwi_submissions_total"
    return sum(count for (sample, labels), count in told.items() if sample == name and ("board", str(board)) in labels)
