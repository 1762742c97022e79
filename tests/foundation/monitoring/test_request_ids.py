"""One id for a request: taken or drawn, returned, in each line of the log, and with its tasks in a worker's lines."""

import json
import logging
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest
import redis
from celery import current_app
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path

from config.components.logs import logging_config
from foundation.monitoring import request_ids
from tests.foundation.monitoring.celery_worker import running_worker

DRAWN = re.compile(r"[0-9a-f]{24}")
ID = "trace-7.b_C"
logger = logging.getLogger("foundation.tests")


def logs(request: HttpRequest) -> HttpResponse:
    logger.info("looked at")
    return HttpResponse("seen")


def sends(request: HttpRequest) -> HttpResponse:
    return HttpResponse(current_app.send_task("foundation.tasks.heartbeat").id)


urlpatterns = [path("logs", logs), path("sends", sends)]
ours = override_settings(ROOT_URLCONF=__name__)


@contextmanager
def written(form: str) -> Iterator[StringIO]:
    """What the site's handler writes, in one of its formats."""
    stream, config = StringIO(), logging_config("INFO", form)
    config["handlers"]["console"]["stream"] = stream
    configurator = logging.config.DictConfigurator(config)  # type: ignore[attr-defined]  # Django imports `logging.config`
    for kind, configure in (("formatters", "formatter"), ("filters", "filter")):
        made = configurator.config[kind]
        for name in made:
            made[name] = getattr(configurator, f"configure_{configure}")(made[name])
    handler = configurator.configure_handler(configurator.config["handlers"]["console"])
    loggers = [logging.getLogger(name) for name in ("foundation", "django")]
    levels = [each.level for each in loggers]
    for each in loggers:
        each.addHandler(handler)
        each.setLevel(logging.INFO)
    yield stream
    for each, level in zip(loggers, levels, strict=True):
        each.removeHandler(handler)
        each.setLevel(level)


@ours
def test_an_id_that_came_is_returned_and_stands_in_the_requests_lines() -> None:
    with written("plain") as stream:
        response = Client().get("/logs", headers={"X-Request-ID": ID})

    assert response["X-Request-ID"] == ID
    assert re.fullmatch(rf"\S+Z INFO foundation\.tests \[{ID}\] looked at\n", stream.getvalue())


@ours
@pytest.mark.parametrize("came", [None, "", "a b", "é", "x" * 129, "a\r\nb", "../a", "<b>", '{"a"'])
def test_what_is_no_id_is_neither_taken_nor_returned(came: str | None) -> None:
    response = Client().get("/logs", headers={} if came is None else {"X-Request-ID": came})

    assert DRAWN.fullmatch(response["X-Request-ID"])


@ours
def test_each_request_has_an_id_of_its_own_and_none_stays_behind() -> None:
    with written("json") as stream:
        ids = [Client().get("/logs")["X-Request-ID"] for _ in range(2)]
        logger.info("between requests")

    told = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [each.get("request_id") for each in told] == [*ids, None]
    assert ids[0] != ids[1]


def test_answers_of_every_way_have_one(client: Client, db: None) -> None:
    for address in ("/healthz", "/api/v1/boards", "/api/v1/nothing", "/nothing", "/static/css/base.css"):
        response = client.get(address, headers={"X-Request-ID": ID})
        response.close()
        assert response["X-Request-ID"] == ID, address
    assert client.get("/", headers={"Host": "elsewhere.example"}).has_header("X-Request-ID")


def test_a_refusal_that_is_logged_after_all_layers_has_the_id_and_its_status(client: Client, db: None) -> None:
    with written("json") as stream:
        client.get("/accounts/reset/MTE/s3cr/", headers={"X-Request-ID": ID})
        client.get("/nothing", headers={"X-Request-ID": ID})

    told = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert {"level": "WARNING", "request_id": ID, "status": 404}.items() <= told[-1].items()
    assert "s3cr" not in stream.getvalue()


@pytest.fixture
def worker(redis_server: list[redis.Redis], tmp_path: Path) -> Iterator[Path]:
    """A real worker of the site, without tables, so that each of its tasks fails and says so; the file of its log."""
    log = tmp_path / "log"
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3",
        "BROKER_URL": settings.BROKER_URL, "REDIS_URL": settings.REDIS_URL, "CACHE_URL": settings.CACHE_URL,
        "SECRET_KEY": "of the test", "LOG_FORMAT": "json", "DATA_DIR": str(tmp_path),
    }  # fmt: skip  # as a table
    with running_worker(environment, log):
        yield log


def line_about(log: Path, task_id: str, seconds: float = 60) -> dict[str, str]:
    """The worker's line about a task, once it is written."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        for line in log.read_text(errors="replace").splitlines():
            if line.startswith("{") and (told := json.loads(line)).get("task_id") == task_id:
                return dict(told)
        time.sleep(0.05)
    raise AssertionError(f"no line about {task_id}: {log.read_text(errors='replace')[-3000:]}")


@ours
def test_a_task_of_a_request_has_its_id_in_the_lines_of_a_real_worker(worker: Path) -> None:
    sent = Client().get("/sends", headers={"X-Request-ID": ID}).content.decode()
    alone = current_app.send_task("foundation.tasks.heartbeat").id

    told, unasked = line_about(worker, sent), line_about(worker, alone)

    assert {"request_id": ID, "task": "foundation.tasks.heartbeat", "level": "ERROR"}.items() <= told.items()
    assert "no such table" in told["exception"]
    assert unasked["request_id"] == alone  # a task of the schedule has its own


def test_a_task_that_runs_within_a_request_leaves_it_its_id() -> None:
    token = request_ids._context.set(request_ids.Context(ID))

    found: list[request_ids.Context] = []

    @current_app.task(name="tests.seen")
    def seen() -> None:
        found.append(request_ids.current())

    try:
        seen.apply()
        [inside] = found
        assert inside.request_id == ID
        assert inside.task == "tests.seen"
        assert request_ids.current() == request_ids.Context(ID)
    finally:
        request_ids._context.reset(token)
        current_app.tasks.pop("tests.seen")
