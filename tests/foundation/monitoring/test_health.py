"""/healthz and /readyz."""

from datetime import UTC, datetime, timedelta
from math import inf
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from foundation import clock
from foundation.models import DeadLetter, Heartbeat, KnownRedis
from foundation.monitoring import build, health, readings
from foundation.redis import client as redis
from foundation.redis.server import Server
from foundation.tasks import WORKER
from leaderboards.models import Difference, Period, PeriodState
from leaderboards.selectors.monitoring import lag
from leaderboards.selectors.monitoring.backfills import backfill_heartbeat_name
from leaderboards.services.sync.verify import verify_all
from leaderboards.tasks import mirror
from tests.foundation.monitoring.scraped import scrape, value
from tests.leaderboards.factories import BoardFactory

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def redis_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Server, "_take_connection", Mock(side_effect=redis.RedisAway("Redis is away.")))


@pytest.fixture
def running(db: None) -> Period:
    """A board makes the server known, as the first start does; its running period. The worker is there."""
    Heartbeat.note(WORKER, clock.now())
    return BoardFactory.create().periods.get(starts_at__lt=clock.now())


def ready(client: Client) -> tuple[int, Any]:
    """The status, and what is degraded."""
    response = client.get("/readyz")
    return response.status_code, response.json()["degraded"]


def test_the_process_says_what_it_is_and_asks_nobody(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    build.commit.cache_clear()

    response = client.get("/healthz")

    told = response.json()
    assert response.status_code == 200
    assert (told["status"], told["version"], "commit" in told) == ("ok", build.version(), True)
    assert "no-store" in response["Cache-Control"]
    assert [client.post(path).status_code for path in ("/healthz", "/readyz")] == [405, 405]
    monkeypatch.setenv("GIT_COMMIT", "abc123")  # what an image is built with
    assert build.commit.__wrapped__() == "abc123"


@pytest.mark.usefixtures("running")
class TestReadiness:
    def test_either_server_alone_can_serve_and_neither_cannot(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        well = client.get("/readyz").json()
        with monkeypatch.context() as patched:
            redis_away(patched)
            status, degraded = ready(client)
        monkeypatch.setattr(health, "_check_sql", Mock(side_effect=OperationalError("10.0.0.1 refused")))
        redis_alone = ready(client)
        redis_away(monkeypatch)
        neither = client.get("/readyz")

        assert well == {"status": "ready", "degraded": []}
        assert (status, [reason.partition(":")[0] for reason in degraded]) == (200, ["Redis is away"])
        assert redis_alone == (200, ["SQL is away"])
        assert (neither.status_code, neither["Retry-After"]) == (503, "1")
        assert len(neither.json()["degraded"]) == 2
        assert b"10.0.0.1" not in neither.content

    def test_a_silent_worker_and_a_clock_that_is_off_are_told(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Heartbeat.note(WORKER, clock.now() - timedelta(seconds=89.6))  # with time to be asked
        silent = ready(client)
        Heartbeat.objects.all().delete()
        never = ready(client)
        Heartbeat.note(WORKER, clock.now())
        assert not clock.is_off(clock.offset_from_sql())
        monkeypatch.setattr(clock, "offset_from_sql", lambda: timedelta(seconds=-2.5))

        assert silent == (200, ["no sign of life from the worker for 90 s"])
        assert never == (200, ["the worker has never given a sign of life"])
        assert ready(client) == (200, ["this process's clock is -2.5 s off SQL's"])

    def test_a_server_that_answers_and_that_no_worker_has_registered_is_not_away(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(redis.boards(), "call", Mock(side_effect=redis.RedisAway("Redis is away.")))
        monkeypatch.setattr(KnownRedis, "_seen", set())
        KnownRedis.objects.all().delete()

        status, [told] = ready(client)
        readings.forget()
        read = scrape(client)
        readings.forget()

        assert (status, told.partition(":")[0]) == (200, "Redis answers, but SQL does not know it yet")
        assert value(read, "sunwi_up", server="redis") == 1

    def test_a_worker_that_never_ran_is_silent_since_the_tables_were_made(self, client: Client) -> None:
        Heartbeat.objects.all().delete()
        readings.forget()
        first = MigrationRecorder.Migration.objects.filter(app="foundation").earliest("applied").applied

        age = value(scrape(client), "sunwi_worker_heartbeat_age_seconds")

        readings.forget()
        assert age == pytest.approx((clock.now() - first).total_seconds(), abs=30)

    def test_a_full_redis_is_told(self, client: Client) -> None:
        link = redis.boards()
        try:
            told = [link.call("CONFIG", "SET", "maxmemory", most) and ready(client) for most in (1, "100gb")]
        finally:
            link.call("CONFIG", "SET", "maxmemory", 0)

        assert told == [(200, ["Redis is full: boards that Redis decides over take no scores"]), (200, [])]

    def test_open_dead_letters_are_told_until_they_are_resolved(self, client: Client) -> None:
        at = clock.now()
        for name, hours in (("a", 2), ("b", 1)):
            DeadLetter.note("mirror", f"1:{name}", {}, "why", at - timedelta(hours=hours))
        waiting = ready(client)
        DeadLetter.resolve("mirror", ["1:a", "1:b"], "dropped", at)

        assert waiting == (200, [f"open dead letters: 2, the first since {at - timedelta(hours=2):%F %R} UTC"])
        assert ready(client) == (200, [])


class TestLag:
    """What boards add: standings that SQL lacks, periods that should be closed."""

    def test_a_mirror_that_never_ran_missed_something_or_is_late_is_told(
        self, db: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        BoardFactory.create(storage="redis")
        with monkeypatch.context() as patched:
            redis_away(patched)
            mirror()
        never = lag.lag()
        Heartbeat.note(lag.MIRROR, clock.now() - timedelta(seconds=59.6))  # with time to be asked
        late = lag.lag()
        mirror()

        assert never == ["standings that only Redis has were never copied to SQL"]
        assert late == ["standings that only Redis has were last copied to SQL 60 s ago"]
        assert lag.lag() == []

    def test_a_past_period_that_an_import_fills_is_not_told_until_the_import_is_silent(self, running: Period) -> None:
        now = clock.now()
        Period.objects.filter(pk=running.pk).update(ends_at=now - timedelta(days=9), created_at=now)

        told = [lag.unclosed(now + timedelta(minutes=minutes)) for minutes in (50, 70)]
        Heartbeat.note(backfill_heartbeat_name(running.board_id), now + timedelta(minutes=30))
        lives = lag.unclosed(now + timedelta(minutes=70))

        assert [len(each) for each in (*told, lives)] == [0, 1, 0]

    def test_a_period_past_its_grace_or_that_stays_stale_is_told(self, running: Period) -> None:
        row = Period.objects.filter(pk=running.pk)
        assert lag.lag() == []  # and nothing has to be copied, for no board is Redis's own

        for minutes, told in ((6, 0), (7, 1)):  # a minute of grace, five to close in
            row.update(ends_at=clock.now() - timedelta(minutes=minutes) + timedelta(seconds=1), created_at=LONG_AGO)
            assert len([reason for reason in lag.lag() if reason.startswith("periods to close: 1")]) == told

        for seconds, state, told in ((25, "open", 0), (35, "open", 1), (35, "final", 0)):
            since = clock.now() - timedelta(seconds=seconds)
            row.update(ends_at=running.ends_at, stale_since=since, state=state)
            assert lag.lag() == [f"stale periods: 1, the first since {since:%F %R} UTC"] * told

    def test_a_difference_is_told_until_a_repairing_run_has_passed_or_its_period_is_final(
        self, running: Period
    ) -> None:
        for repaired in (True, False):
            Difference.objects.create(period=running, player="a", repaired=repaired, found_at=clock.now())
        seen = lag.lag()
        verify_all(clock.now(), inf, repair=False)
        looked = lag.lag()
        Period.objects.update(state=PeriodState.FINAL)
        final = lag.lag()
        Period.objects.update(state=PeriodState.OPEN)
        verify_all(clock.now(), inf, repair=True)

        assert seen == looked == ["unrepaired differences: 1; `verify --repair` repairs them"]
        assert (final, lag.lag()) == ([], [])
