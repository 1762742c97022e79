"""The checks of a deployment: they ask the real server, and say what to set. Clocks: a fast one, one that stands."""

import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import Mock

import pytest
import redis
from django.conf import LazySettings
from django.core.checks import CheckMessage
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import OperationalError

from foundation import clock
from foundation.monitoring import checks

SHOW = "from foundation import clock; print(clock.now().timestamp(), clock.is_fast())"


def ids(found: list[CheckMessage]) -> list[str | None]:
    return [each.id for each in found]


@pytest.mark.django_db
def test_a_redis_that_writes_nothing_down_or_may_evict_is_refused(redis_server: list[redis.Redis]) -> None:
    server = redis_server[0]
    before: dict[Any, Any] = server.config_get("appendonly") | server.config_get("maxmemory-policy")
    assert checks.boards_redis_keeps_what_it_has(None) == []

    try:
        server.config_set("appendonly", "no")
        [found] = checks.boards_redis_keeps_what_it_has(None)
        assert (found.id, "appendonly yes" in str(found.hint)) == ("sunwi.E001", True)
        with pytest.raises(SystemCheckError, match=r"sunwi\.E001"):
            call_command("check", "--deploy")

        for policy in ("allkeys-lru", "volatile-ttl", "allkeys-random"):
            server.config_set("maxmemory-policy", policy)
            assert ids(checks.boards_redis_keeps_what_it_has(None)) == ["sunwi.E001", "sunwi.E002"], policy
    finally:
        for name, value in before.items():
            server.config_set(name, value)


def test_a_page_cache_among_the_boards_is_refused(
    redis_server: list[redis.Redis], monkeypatch: pytest.MonkeyPatch
) -> None:
    boards = checks.client_of("boards")
    assert checks.page_cache_lives_elsewhere(None) == []

    monkeypatch.setattr(checks, "client_of", lambda _alias: boards)

    assert ids(checks.page_cache_lives_elsewhere(None)) == ["sunwi.E003"]


def test_a_server_that_is_away_is_a_word_and_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "client_of", Mock(side_effect=redis.ConnectionError("refused")))
    monkeypatch.setattr(clock, "offset_from_sql", Mock(side_effect=OperationalError("refused")))

    assert ids(checks.boards_redis_keeps_what_it_has(None)) == ["sunwi.I001"]
    assert ids(checks.page_cache_lives_elsewhere(None)) == ["sunwi.I002"]
    assert ids(checks.clocks_agree(None)) == ["sunwi.I003"]


def test_a_clock_that_is_fast_or_more_than_two_seconds_off_sqls_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds, found in ((0, []), (-1.9, []), (2.1, ["sunwi.E004"]), (-2.1, ["sunwi.E004"])):
        monkeypatch.setattr(clock, "offset_from_sql", lambda off=seconds: timedelta(seconds=off))

        assert ids(checks.clocks_agree(None)) == found, seconds

    monkeypatch.setattr(clock, "_FAST", (0.0, 0.0, 60.0))
    assert ids(checks.clocks_agree(None)) == ["sunwi.E005"]


def test_a_proxy_that_nobody_counted_is_a_doubt(settings: LazySettings) -> None:
    header = ("HTTP_X_FORWARDED_PROTO", "https")
    for proxy, proxies, found in ((header, 0, ["sunwi.W001"]), (header, 1, []), (None, 0, [])):
        settings.SECURE_PROXY_SSL_HEADER, settings.TRUSTED_PROXIES = proxy, proxies

        assert ids(checks.proxies_are_counted(None)) == found, (proxy, proxies)


def test_a_process_with_a_fast_clock_lives_by_it() -> None:
    real, shown, speed = time.time(), datetime(2030, 5, 1, tzinfo=UTC).timestamp(), 3600.0
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "FAST_CLOCK": f"{real},{shown},{speed}"}

    run = subprocess.run([sys.executable, "-c", SHOW], env=environment, capture_output=True, text=True, check=True)

    told, fast = run.stdout.split()
    assert fast == "True"
    assert shown < float(told) <= shown + (time.time() - real) * speed


def test_the_clock_stands_still_where_it_is_told_to_and_is_the_real_one_afterwards() -> None:
    shown = datetime(2030, 5, 1, 12, 0, 1, tzinfo=UTC)

    with clock.freeze_at(shown):
        first, fast, second = clock.now(), clock.is_fast(), clock.now()

    assert (first, fast, second) == (shown, True, shown)
    before, told, after = datetime.now(UTC), clock.now(), datetime.now(UTC)
    assert before <= told <= after
    assert not clock.is_fast()
