"""/healthz and /readyz."""

from collections.abc import Callable
from datetime import timedelta
from math import inf
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from foundation import clock, health, redis, views
from foundation.models import DeadLetter, Heartbeat
from foundation.tasks import WORKER
from leaderboards.models import Board, Difference, Period, State
from leaderboards.selectors import lag
from leaderboards.services.boards import apply_boards
from leaderboards.services.verify import verify_all
from leaderboards.tasks import mirror


@pytest.fixture
def worker(db: None) -> None:
    Heartbeat.note(WORKER, clock.now())


@pytest.fixture
def redis_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise redis.RedisAway("Redis is away.")

    monkeypatch.setattr(redis.Link, "_wire", away)


@pytest.fixture
def sql_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> list[str]:
        raise OperationalError("10.0.0.1 refused")

    monkeypatch.setattr(health, "_asked_of_sql", away)


@pytest.fixture
def known_redis(db: None) -> None:
    """A board makes the server known, as the first start does."""
    apply_boards([{"name": "Wins"}], clock.now())


def ready(client: Client) -> tuple[int, Any]:
    response = client.get("/readyz")
    return response.status_code, response.json()


def test_the_process_says_what_it_is_and_asks_nobody(client: Client) -> None:
    response = client.get("/healthz")

    told = response.json()
    assert response.status_code == 200
    assert told["status"] == "ok"
    assert told["version"] == views.version()
    assert "commit" in told
    assert "no-store" in response["Cache-Control"]


def test_the_commit_is_the_one_the_image_was_built_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_COMMIT", "abc123")

    assert views.commit.__wrapped__() == "abc123"


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_both_are_only_read(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405


@pytest.mark.usefixtures("known_redis", "worker")
def test_all_well_is_ready_with_nothing_degraded(client: Client) -> None:
    assert ready(client) == (200, {"status": "ready", "degraded": []})


@pytest.mark.usefixtures("known_redis", "worker", "redis_away")
def test_sql_alone_can_serve(client: Client) -> None:
    status, told = ready(client)

    assert status == 200
    assert [reason.partition(":")[0] for reason in told["degraded"]] == ["Redis is away"]


@pytest.mark.usefixtures("known_redis", "worker", "sql_away")
def test_redis_alone_can_serve(client: Client) -> None:
    status, told = ready(client)

    assert (status, told["degraded"]) == (200, ["SQL is away"])


@pytest.mark.usefixtures("redis_away", "sql_away")
def test_neither_cannot(client: Client) -> None:
    response = client.get("/readyz")

    assert response.status_code == 503
    assert response["Retry-After"] == "1"
    assert len(response.json()["degraded"]) == 2
    assert b"10.0.0.1" not in response.content


@pytest.mark.usefixtures("known_redis")
def test_a_silent_worker_is_told(client: Client) -> None:
    never = ready(client)
    Heartbeat.note(WORKER, clock.now() - timedelta(seconds=90))
    silent = ready(client)

    assert never == (200, {"status": "ready", "degraded": ["the worker has never given a sign of life"]})
    assert silent[1]["degraded"] == ["no sign of life from the worker for 90 s"]


@pytest.mark.usefixtures("known_redis", "worker")
def test_a_clock_that_is_off_is_told(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "offset_from_sql", lambda: timedelta(seconds=-2.5))

    assert ready(client)[1]["degraded"] == ["this process's clock is -2.5 s off SQL's"]


@pytest.mark.usefixtures("known_redis", "worker")
def test_a_full_redis_is_told(client: Client) -> None:
    link = redis.boards()
    try:
        link.call("CONFIG", "SET", "maxmemory", 1)
        full = ready(client)
        link.call("CONFIG", "SET", "maxmemory", "100gb")
        roomy = ready(client)
    finally:
        link.call("CONFIG", "SET", "maxmemory", 0)

    assert full == (
        200,
        {"status": "ready", "degraded": ["Redis is full: boards that Redis decides over take no scores"]},
    )
    assert roomy[1]["degraded"] == []


@pytest.mark.usefixtures("known_redis", "worker")
def test_open_dead_letters_are_told_until_they_are_resolved(client: Client) -> None:
    at = clock.now()
    for name, hours in (("a", 2), ("b", 1)):
        DeadLetter.note("mirror", f"1:{name}", {}, "why", at - timedelta(hours=hours))
    waiting = ready(client)
    DeadLetter.resolve("mirror", ["1:a", "1:b"], "dropped", at)

    assert waiting[1]["degraded"] == [f"open dead letters: 2, the first since {at - timedelta(hours=2):%F %R} UTC"]
    assert ready(client)[1]["degraded"] == []


@pytest.mark.usefixtures("db")
def test_clocks_of_one_machine_agree() -> None:
    assert not clock.is_off(clock.offset_from_sql())


@pytest.mark.usefixtures("worker")
class TestLag:
    """What boards add: standings that SQL lacks, periods that should be closed."""

    def test_a_mirror_that_never_ran_or_is_late_is_told(self) -> None:
        apply_boards([{"name": "Burst", "storage": "redis"}], clock.now())
        never = lag.lag()
        Heartbeat.note(lag.MIRROR, clock.now() - timedelta(minutes=1))
        late = lag.lag()
        mirror()
        run = lag.lag()

        assert never == ["standings that only Redis has were never copied to SQL"]
        assert late == ["standings that only Redis has were last copied to SQL 60 s ago"]
        assert run == []

    @pytest.mark.usefixtures("redis_away")
    def test_a_run_that_missed_something_is_no_sign_of_life(self, monkeypatch: pytest.MonkeyPatch) -> None:
        apply_boards([{"name": "Burst", "storage": "redis"}], clock.now())

        mirror()

        assert lag.lag() == ["standings that only Redis has were never copied to SQL"]

    def test_without_redis_boards_nothing_has_to_be_copied(self, known_redis: None) -> None:
        assert lag.lag() == []

    @pytest.mark.parametrize(("minutes", "told"), [(6, 0), (7, 1)])  # a minute of grace, five to close in
    def test_a_period_past_its_grace_is_to_be_closed(self, minutes: int, told: int, known_redis: None) -> None:
        running = Period.objects.get(board=Board.objects.get(), starts_at__lt=clock.now())
        Period.objects.filter(pk=running.pk).update(
            ends_at=clock.now() - timedelta(minutes=minutes) + timedelta(seconds=1)
        )

        assert len([reason for reason in lag.lag() if reason.startswith("periods to close: 1")]) == told

    @pytest.mark.parametrize(("seconds", "state", "told"), [(25, "open", 0), (35, "open", 1), (35, "final", 0)])
    def test_a_period_that_stays_stale_is_told(self, seconds: int, state: str, told: int, known_redis: None) -> None:
        since = clock.now() - timedelta(seconds=seconds)
        Period.objects.filter(starts_at__lt=clock.now()).update(stale_since=since, state=state)

        assert lag.lag() == [f"stale periods: 1, the first since {since:%F %R} UTC"] * told

    def test_a_difference_is_told_until_a_repairing_run_has_passed(self, known_redis: None) -> None:
        period = Period.objects.filter(starts_at__lt=clock.now()).get()
        for repaired in (True, False):
            Difference.objects.create(period=period, player="a", repaired=repaired, found_at=clock.now())
        seen = lag.lag()
        verify_all(clock.now(), inf, repair=False)
        looked = lag.lag()
        verify_all(clock.now(), inf, repair=True)

        assert seen == looked == ["unrepaired differences: 1; `verify --repair` repairs them"]
        assert lag.lag() == []

    def test_a_period_that_is_final_cannot_be_repaired(self, known_redis: None) -> None:
        period = Period.objects.filter(starts_at__lt=clock.now()).get()
        Difference.objects.create(period=period, player="a", repaired=False, found_at=clock.now())

        Period.objects.update(state=State.FINAL)

        assert lag.lag() == []


def test_the_same_reasons_are_asked_once() -> None:
    reasons: Callable[[], list[str]] = list
    before = len(health._more)
    try:
        health.also(reasons)
        health.also(reasons)
        assert len(health._more) == before + 1
    finally:
        health._more.remove(reasons)
