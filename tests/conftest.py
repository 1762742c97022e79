"""What every test gets: empty Redis databases, and on SQLite a file instead of memory.

The servers themselves are started by tests/servers.py, before Django.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import hypothesis
import pytest
import redis
from django.conf import settings
from django.test import TransactionTestCase

from foundation import rate_limit
from tests.emptying import empty_tables

# A slow machine is no counter-example: what is tested is what comes out, not how soon.
hypothesis.settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def django_db_keepdb(request: pytest.FixtureRequest) -> bool:
    """Our own server goes with all its databases, so none is dropped: a thread may still be leaving it."""
    return bool(request.config.getvalue("reuse_db")) or "TEST_OWN_POSTGRES" in os.environ


@pytest.fixture(scope="session")
def django_db_modify_db_settings(request: pytest.FixtureRequest) -> None:
    """SQLite tests run on a file: in memory, threads share one connection and no lock is real."""
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        database.setdefault("TEST", {})["NAME"] = str(Path(settings.DATA_DIR) / f"test-{worker}.sqlite3")
    else:
        request.getfixturevalue("django_db_modify_db_settings_parallel_suffix")


@pytest.fixture(scope="session", autouse=True)
def _quickly_emptied() -> Iterator[None]:
    """Tests that commit leave an empty database behind, on our own server in a tenth of Django's time."""
    if "TEST_OWN_POSTGRES" not in os.environ:
        yield
        return
    with patch.object(TransactionTestCase, "_fixture_teardown", lambda _: empty_tables()):
        yield


@pytest.fixture(scope="session")
def _redis_databases() -> Iterator[list[redis.Redis]]:
    clients = [redis.Redis.from_url(url) for url in (settings.REDIS_URL, settings.CACHE_URL, settings.BROKER_URL)]
    yield clients
    for client in clients:
        client.close()


@pytest.fixture(autouse=True)
def _empty_redis(_redis_databases: list[redis.Redis]) -> None:
    """Nothing is kept, and the process remembers nobody's requests, boards, periods and bans."""
    for client in _redis_databases:
        client.flushdb()
    rate_limit.forget_own()
    from leaderboards.selectors.boards import forget_boards
    from leaderboards.selectors.names import forget_names
    from leaderboards.selectors.periods import forget_periods
    from leaderboards.services.decide_redis import forget_bans

    forget_boards()
    forget_names()
    forget_periods()
    forget_bans()


@pytest.fixture(autouse=True)
def _no_page_of_another_test() -> None:
    from leaderboards.views import scenes, second  # not before Django is set up

    second.forget()
    scenes.forget()
