"""/metrics: who may read it, over how many processes it counts, and what it says while a server is away."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from celery import current_app
from django.db import OperationalError
from django.test import Client
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from pytest_django import Settings

from foundation import clock
from foundation.models import DeadLetter
from foundation.monitoring import build, readings, sums
from foundation.monitoring import own_readings as own
from foundation.monitoring.metrics_view import counts_of_all
from foundation.redis import client as redis
from foundation.redis.server import Server
from tests.foundation.monitoring.scraped import scrape, scraped, value
from tests.leaderboards.factories import BoardFactory

TOKEN = "a-token-of-more-than-twenty-characters"
ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _read_anew() -> Iterator[None]:
    readings.forget()
    yield
    readings.forget()


@pytest.mark.parametrize(
    ("address", "headers", "proxies", "status"),
    [
        ("127.0.0.1", {}, 0, 200),
        ("::1", {}, 0, 200),
        ("203.0.113.9", {}, 0, 403),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, 0, 403),
        ("127.0.0.1", {"X-Real-IP": "203.0.113.9"}, 0, 403),
        ("127.0.0.1", {"X-Forwarded-For": "203.0.113.9"}, 1, 403),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1, 203.0.113.9"}, 1, 403),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, 2, 403),
        ("10.0.0.7", {"X-Forwarded-For": "127.0.0.1"}, 1, 200),
        ("203.0.113.9", {"Authorization": f"Bearer {TOKEN}"}, 0, 200),
        ("203.0.113.9", {"Authorization": "Bearer "}, 0, 403),
        ("203.0.113.9", {"Authorization": "Bearer wrong"}, 0, 403),
    ],
)
@pytest.mark.django_db
def test_this_machine_reads_it_and_who_bears_the_token_and_nobody_else(
    settings: Any, address: str, headers: dict[str, str], proxies: int, status: int
) -> None:
    settings.METRICS_TOKEN, settings.TRUSTED_PROXIES = TOKEN, proxies

    answer = Client(REMOTE_ADDR=address).get("/metrics", headers=headers)

    assert answer.status_code == status
    assert answer["Cache-Control"].startswith("max-age=0") or "no-store" in answer["Cache-Control"]
    if status == 403:
        assert answer.json()["code"] == "metrics_forbidden"
        assert "METRICS_NETWORKS" in answer.json()["detail"]


@pytest.mark.django_db
def test_without_a_token_an_empty_one_opens_nothing_and_networks_are_what_is_set(settings: Any) -> None:
    settings.METRICS_NETWORKS = ["10.0.0.0/8"]

    told = {
        address: Client(REMOTE_ADDR=address).get("/metrics", headers={"Authorization": "Bearer "}).status_code
        for address in ("10.1.2.3", "127.0.0.1", "203.0.113.9")
    }

    assert told == {"10.1.2.3": 200, "127.0.0.1": 403, "203.0.113.9": 403}


@pytest.mark.django_db
def test_requests_are_counted_by_route_and_the_admins_as_one(client: Client) -> None:
    before = scrape(client)

    for path in (
        "/healthz",
        "/api/v1/boards/7/standings",
        "/api/v1/boards/8/standings",
        "/admin/login/",
        "/nothing",
        "/api/nothing",
    ):
        client.get(path)

    after = scrape(client)
    board, status = "api/v1/boards/<seq>/standings", "sunwi_responses_not_200_total"
    for route, times in {"healthz": 1, board: 2, "admin/": 1, "none": 2, "^api(?:/|$)": 0}.items():
        name = "sunwi_request_seconds_count"
        assert value(after, name, method="GET", route=route) - value(before, name, method="GET", route=route) == times
    missing = [value(each, status, method="GET", route=board, status="404") for each in (before, after)]
    assert missing[1] - missing[0] == 2
    assert not value(after, status, method="GET", route="healthz", status="200")


@pytest.mark.django_db
def test_a_server_that_is_away_is_told_and_hides_nothing_of_the_other(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    BoardFactory.create(storage="redis")
    redis.boards().reset()  # whom nobody knew before is asked at once
    DeadLetter.note("mirror", "1:a", {}, "why", clock.now())
    well = scrape(client)
    with monkeypatch.context() as patched:
        patched.setattr(Server, "_take_connection", Mock(side_effect=redis.RedisAway("Redis is away.")))
        told_again = scrape(client)
        readings.forget()
        without_redis = scrape(client)
    monkeypatch.setattr(own, "_count_open_letters", Mock(side_effect=OperationalError("gone")))
    readings.forget()
    without_letters = scrape(client)

    assert [value(each, "sunwi_up", server="redis") for each in (well, told_again, without_redis)] == [1, 1, 0]
    assert value(well, "sunwi_dead_letters") == value(without_redis, "sunwi_dead_letters") == 1
    assert value(without_redis, "sunwi_readings_failed", what="boards in Redis") == 1
    assert value(without_letters, "sunwi_readings_failed", what="upkeep") == 1
    assert value(without_letters, "sunwi_up", server="redis") == 1


@pytest.mark.django_db
def test_what_runs_is_told_and_of_a_process_that_counts_alone_what_it_uses(client: Client) -> None:
    told = scrape(client)

    assert value(told, "sunwi_build_info", version=build.version(), commit=build.commit() or "") == 1
    assert value(told, "process_resident_memory_bytes") > 1_000_000


@pytest.mark.django_db
def test_the_brokers_queue_is_told_and_a_broker_that_is_away_hides_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = value(scrape(client), "sunwi_broker_queue_length")
    current_app.send_task("nobody.works.on.it")
    current_app.send_task("nobody.works.on.it", priority=9)
    readings.forget()
    after = scrape(client)
    current_app.control.purge()
    monkeypatch.setattr(current_app, "connection_for_read", Mock(side_effect=OSError("gone")))
    readings.forget()
    away = scrape(client)

    assert value(after, "sunwi_broker_queue_length") - before == 2
    assert value(after, "sunwi_readings_failed", what="broker") == 0
    assert value(away, "sunwi_readings_failed", what="broker") == 1
    assert value(away, "sunwi_up", server="sql") == 1


ONE_PROCESS = """
import config.wsgi
from foundation.monitoring.server_metrics import redis_errors, set_redis_breaker
redis_errors.add("away"); set_redis_breaker(1000)
"""
READS = """
import django; django.setup()
from prometheus_client import CollectorRegistry, generate_latest
from foundation.monitoring.metrics_view import counts_of_all
class All:
    def collect(self): return counts_of_all()
registry = CollectorRegistry(); registry.register(All())
print(generate_latest(registry).decode())
"""


def test_counts_of_all_processes_of_a_folder_are_told_by_any_also_of_those_that_ended(tmp_path: Path) -> None:
    def run(code: str) -> str:
        environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings", "METRICS_FOLDER": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    for _ in range(2):
        run(ONE_PROCESS)
    told = scraped(run(READS))

    assert value(told, "sunwi_redis_errors_total", kind="away") == 2
    assert ("sunwi_redis_breaker_open_until_seconds", ()) not in told  # it told of a process that is no more
    assert sorted(file.name for file in tmp_path.glob("*/*")) == ["counter_ended.db", "histogram_ended.db"]


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"\x01",
        (10_000).to_bytes(4, "little") + bytes(100),
        (64).to_bytes(4, "little") + bytes(4) + (40).to_bytes(4, "little") + b"not json" * 7,
        b"garbage " * 1_000,
    ],
    ids=["empty", "one byte", "cut off", "no key", "garbage"],
)
def test_a_file_that_cannot_be_read_hides_no_other_and_is_logged_once(
    broken: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture, settings: Settings
) -> None:
    settings.METRICS_FOLDER = str(tmp_path)
    (tmp_path / "host").mkdir()
    counts = MmapedDict(str(tmp_path / "host" / "counter_1.db"))  # type: ignore[no-untyped-call]  # it has no types
    counts.write_value(mmap_key("told", "told_total", [], [], "Told."), 3, 0)  # type: ignore[no-untyped-call]  # the library has no types
    counts.close()  # type: ignore[no-untyped-call]  # the library has no types
    whole = (tmp_path / "host" / "counter_1.db").read_bytes()
    (tmp_path / "host" / "counter_2.db").write_bytes(broken)

    def told() -> list[float]:
        return [sample.value for metric in counts_of_all() for sample in metric.samples if sample.name == "told_total"]

    assert [told(), told()] == [[3], [3]]
    [logged] = [each.getMessage() for each in caplog.records if "METRICS_FOLDER" in each.getMessage()]
    assert "host/counter_2.db cannot be read" in logged
    (tmp_path / "host" / "counter_2.db").write_bytes(whole)
    assert told() == [6]


@pytest.mark.django_db
def test_a_scrape_whose_numbers_would_not_be_right_is_refused(
    client: Client, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.METRICS_FOLDER = str(tmp_path)
    monkeypatch.setattr(sums, "are_moving", lambda _: True)

    answer = client.get("/metrics")

    assert (answer.status_code, answer["Retry-After"]) == (503, "1")
    assert answer.json()["detail"].startswith("METRICS_FOLDER changed each of the 10 times")
