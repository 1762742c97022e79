"""/metrics of the worker on a port of its own: who may read it, what it prints, and what a taken port does."""

import logging
import os
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIServer

import pytest
import redis
from celery import current_app
from django.conf import settings as configured

from foundation.monitoring import sums, worker_metrics
from tests.foundation.monitoring.celery_worker import running_worker
from tests.foundation.monitoring.scraped import scraped, value

TOKEN = "a-token-of-more-than-twenty-characters"
HEARTBEAT = "foundation.tasks.heartbeat"


def ask(port: int, path: str = "/metrics", host: str = "127.0.0.1", **headers: str) -> tuple[int, str]:
    """The status and the text of an answer."""
    request = urllib.request.Request(f"http://{host}:{port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.read().decode()


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.fixture
def served(settings: Any) -> Iterator[WSGIServer]:
    settings.METRICS_TOKEN = TOKEN
    server = worker_metrics.serve("127.0.0.1", 0)
    assert server is not None
    yield server
    server.shutdown()
    server.server_close()


def test_the_same_callers_may_read_it_as_webs(served: WSGIServer, settings: Any) -> None:
    port = served.server_port
    assert ask(port)[0] == 200
    assert ask(port, **{"X-Forwarded-For": "127.0.0.1"})[0] == 403

    settings.METRICS_NETWORKS = ["10.0.0.0/8"]

    status, text = ask(port)
    assert (status, "METRICS_TOKEN" in text, "sunwi_" in text) == (403, True, False)
    assert ask(port, Authorization="Bearer wrong")[0] == 403
    assert ask(port, Authorization=f"Bearer {TOKEN}")[0] == 200
    assert ask(port, path="/healthz")[0] == 404


def test_it_prints_counters_and_leaves_the_readings_to_web(served: WSGIServer) -> None:
    _, text = ask(served.server_port)

    assert "# TYPE sunwi_task_seconds histogram" in text
    assert "sunwi_up" not in text  # one that is read from SQL and Redis


def test_it_refuses_a_scrape_whose_numbers_would_not_be_right(
    served: WSGIServer, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.METRICS_FOLDER = str(tmp_path)
    monkeypatch.setattr(sums, "are_moving", lambda _: True)

    status, text = ask(served.server_port)

    assert (status, text.partition(" changed")[0]) == (503, "METRICS_FOLDER")


def test_a_taken_port_is_an_error_in_the_log_and_ends_nothing(
    served: WSGIServer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, logger=worker_metrics.logger.name):
        assert worker_metrics.serve("127.0.0.1", served.server_port) is None

    [record] = caplog.records
    assert f"127.0.0.1 port {served.server_port} cannot be listened on" in record.getMessage()


@pytest.fixture
def worker(redis_server: list[redis.Redis], tmp_path: Path) -> Iterator[int]:
    """The port of a real worker without tables, so that each of its tasks fails."""
    port = free_port()
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3",
        "BROKER_URL": configured.BROKER_URL, "REDIS_URL": configured.REDIS_URL, "CACHE_URL": configured.CACHE_URL,
        "SECRET_KEY": "of the test", "DATA_DIR": str(tmp_path), "METRICS_FOLDER": str(tmp_path / "metrics"),
        "METRICS_PORT": str(port),
    }  # fmt: skip  # as a table
    with running_worker(environment, tmp_path / "log"):
        yield port


def test_a_real_workers_tasks_are_read_from_its_port(worker: int, tmp_path: Path) -> None:
    for _ in range(2):
        current_app.send_task(HEARTBEAT)

    give_up, failed = time.monotonic() + 60, 0.0
    while failed < 2 and time.monotonic() < give_up:
        time.sleep(0.1)
        try:
            found = scraped(ask(worker)[1])
        except OSError:  # it has not started yet
            continue
        failed = value(found, "sunwi_task_failures_total", task=HEARTBEAT)

    assert failed == 2, (tmp_path / "log").read_text(errors="replace")[-3000:]
    assert value(found, "sunwi_task_seconds_count", task=HEARTBEAT) == 2
