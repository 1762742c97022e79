"""The checks of a deployment: they ask the real server, and say what to set."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.conf import LazySettings
from django.core.checks import CheckMessage
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import OperationalError

from foundation import checks, clock


@pytest.fixture
def server(redis_server: list[redis.Redis]) -> Iterator[redis.Redis]:
    """The boards' server; how it was set comes back."""
    client = redis_server[0]
    before: dict[Any, Any] = {**client.config_get("appendonly"), **client.config_get("maxmemory-policy")}
    yield client
    for name, value in before.items():
        client.config_set(name, value)


def ids(found: list[CheckMessage]) -> list[str | None]:
    return [each.id for each in found]


def test_a_redis_that_keeps_everything_passes_with_a_page_cache_in_another_database(server: redis.Redis) -> None:
    """As tests/servers.py starts it."""
    assert checks.boards_redis_keeps_what_it_has(None) == []
    assert checks.page_cache_lives_elsewhere(None) == []


def test_a_redis_that_writes_nothing_down_or_may_evict_is_refused(server: redis.Redis) -> None:
    server.config_set("appendonly", "no")
    [found] = checks.boards_redis_keeps_what_it_has(None)
    assert (found.id, "appendonly yes" in str(found.hint)) == ("sunwi.E001", True)

    for policy in ("allkeys-lru", "volatile-ttl", "allkeys-random"):
        server.config_set("maxmemory-policy", policy)
        assert ids(checks.boards_redis_keeps_what_it_has(None)) == ["sunwi.E001", "sunwi.E002"], policy


def test_a_page_cache_among_the_boards_is_refused(server: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    boards = checks.client_of("boards")
    monkeypatch.setattr(checks, "client_of", lambda _alias: boards)

    assert ids(checks.page_cache_lives_elsewhere(None)) == ["sunwi.E003"]


def _raise(error: Exception) -> Callable[..., None]:
    def away(*_: object) -> None:
        raise error

    return away


def test_a_server_that_is_away_is_a_word_and_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "client_of", _raise(redis.ConnectionError("refused")))
    monkeypatch.setattr(clock, "offset_from_sql", _raise(OperationalError("refused")))

    assert ids(checks.boards_redis_keeps_what_it_has(None)) == ["sunwi.I001"]
    assert ids(checks.page_cache_lives_elsewhere(None)) == ["sunwi.I002"]
    assert ids(checks.clocks_agree(None)) == ["sunwi.I003"]


def test_a_clock_more_than_two_seconds_off_sqls_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds, found in ((0, []), (-1.9, []), (2.1, ["sunwi.E004"]), (-2.1, ["sunwi.E004"])):
        monkeypatch.setattr(clock, "offset_from_sql", lambda off=seconds: timedelta(seconds=off))

        assert ids(checks.clocks_agree(None)) == found, seconds


@pytest.mark.django_db
def test_the_deployment_check_asks_the_servers(server: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    server.config_set("appendonly", "no")
    monkeypatch.setattr(clock, "offset_from_sql", lambda: timedelta(seconds=5))

    with pytest.raises(SystemCheckError) as refused:
        call_command("check", "--deploy")

    assert "sunwi.E001" in str(refused.value)
    assert "sunwi.E004" in str(refused.value)


def test_a_proxy_that_nobody_counted_is_a_doubt(settings: LazySettings) -> None:
    header = ("HTTP_X_FORWARDED_PROTO", "https")
    for proxy, proxies, found in ((header, 0, ["sunwi.W001"]), (header, 1, []), (None, 0, [])):
        settings.SECURE_PROXY_SSL_HEADER, settings.TRUSTED_PROXIES = proxy, proxies

        assert ids(checks.proxies_are_counted(None)) == found, (proxy, proxies)
