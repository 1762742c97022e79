"""The checks of a deployment: they ask the real server, and say what to set."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import redis
from django.conf import LazySettings, settings
from django.core.checks import CheckMessage
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import OperationalError

from foundation import checks, clock


@pytest.fixture
def server() -> Iterator[redis.Redis]:
    """The boards' server; how it was set comes back."""
    with redis.Redis.from_url(settings.REDIS_URL, decode_responses=True) as client:
        before = client.config_get("appendonly") | client.config_get("maxmemory-policy")
        yield client
        for name, value in before.items():
            client.config_set(name, value)


def ids(found: list[CheckMessage]) -> list[str | None]:
    return [each.id for each in found]


def test_a_redis_that_keeps_everything_passes(server: redis.Redis) -> None:
    server.config_set("appendonly", "yes")

    assert checks.boards_redis_keeps_what_it_has(None) == []


def test_a_redis_that_writes_nothing_down_is_refused(server: redis.Redis) -> None:
    server.config_set("appendonly", "no")

    [found] = checks.boards_redis_keeps_what_it_has(None)

    assert (found.id, "appendonly yes" in str(found.hint)) == ("sunwi.E001", True)


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl", "allkeys-random"])
def test_a_redis_that_may_evict_is_refused(server: redis.Redis, policy: str) -> None:
    server.config_set("maxmemory-policy", policy)

    assert ids(checks.boards_redis_keeps_what_it_has(None)) == ["sunwi.E002"]


def test_a_page_cache_in_another_database_passes(server: redis.Redis) -> None:
    assert checks.page_cache_lives_elsewhere(None) == []


def test_a_page_cache_among_the_boards_is_refused(server: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    boards = checks.client_of("boards")
    monkeypatch.setattr(checks, "client_of", lambda _alias: boards)

    assert ids(checks.page_cache_lives_elsewhere(None)) == ["sunwi.E003"]


def test_a_redis_that_is_away_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_alias: str) -> None:
        raise redis.ConnectionError("refused")

    monkeypatch.setattr(checks, "client_of", away)

    assert ids(checks.boards_redis_keeps_what_it_has(None)) == ["sunwi.I001"]
    assert ids(checks.page_cache_lives_elsewhere(None)) == ["sunwi.I002"]


@pytest.mark.django_db
@pytest.mark.parametrize(("seconds", "found"), [(0, []), (-1.9, []), (2.1, ["sunwi.E004"]), (-2.1, ["sunwi.E004"])])
def test_a_clock_more_than_two_seconds_off_sqls_is_refused(
    monkeypatch: pytest.MonkeyPatch, seconds: float, found: list[str]
) -> None:
    monkeypatch.setattr(clock, "offset_from_sql", lambda: timedelta(seconds=seconds))

    assert ids(checks.clocks_agree(None)) == found


def test_an_sql_that_is_away_is_a_word_and_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> timedelta:
        raise OperationalError("refused")

    monkeypatch.setattr(clock, "offset_from_sql", away)

    assert ids(checks.clocks_agree(None)) == ["sunwi.I003"]


@pytest.mark.django_db
def test_the_deployment_check_asks_the_servers(server: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    server.config_set("appendonly", "no")
    monkeypatch.setattr(clock, "offset_from_sql", lambda: timedelta(seconds=5))

    with pytest.raises(SystemCheckError) as refused:
        call_command("check", "--deploy")

    assert "sunwi.E001" in str(refused.value)
    assert "sunwi.E004" in str(refused.value)


@pytest.mark.parametrize(("header", "proxies", "found"), [(True, 0, ["sunwi.W001"]), (True, 1, []), (False, 0, [])])
def test_a_proxy_that_nobody_counted_is_a_doubt(
    settings: LazySettings, header: bool, proxies: int, found: list[str]
) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if header else None
    settings.TRUSTED_PROXIES = proxies

    assert ids(checks.proxies_are_counted(None)) == found
