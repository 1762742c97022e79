"""What tests get: servers when they ask for one, and those emptied; on SQLite a file instead of memory.

How the servers are started is in tests/servers.py.
"""

import gc
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import hypothesis
import pytest
import redis
from django.conf import settings
from django.db.transaction import Atomic, get_connection
from django.test import TransactionTestCase
from django.utils import translation

from foundation import clock
from foundation.sunwi_settings import sunwi_settings
from tests import documented_webhooks, servers
from tests.emptying import empty_tables
from tests.raw import each_node

# A slow machine is no counter-example: what is tested is what comes out, not how soon.
for _profile, _examples in {"quick": 25, "whole": 50}.items():  # `make test`; `make check` --hypothesis-profile=whole
    hypothesis.settings.register_profile(
        _profile, max_examples=_examples, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
    )
hypothesis.settings.load_profile("quick")
# A shell that starts a run in the background lets it ignore SIGINT, and so would every program that a test interrupts.
if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
gc.freeze()
gc.set_threshold(50_000, 50, 50)

settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # a real one takes a third of a second
settings.EXPORTS_AT_ONCE = 100  # tests leave files unread
sunwi_settings.forget()
settings.WHITENOISE_AUTOREFRESH = True  # or each test client reads the whole of static/


@pytest.fixture(scope="session", autouse=True)
def _what_waits_for_a_commit() -> Iterator[None]:
    """A test that lives in one transaction never commits: what waits for that runs when the code's block has ended."""
    leave = Atomic.__exit__

    def leave_and_run(self: Atomic, *raised: Any) -> None:
        leave(self, *raised)
        connection = get_connection(self.using)
        blocks = connection.atomic_blocks
        if blocks and all(block._from_testcase for block in blocks) and not connection.needs_rollback:
            waiting, connection.run_on_commit = connection.run_on_commit, []
            for _, action, _ in waiting:
                action()

    with patch.object(Atomic, "__exit__", leave_and_run):
        yield


@pytest.fixture(scope="session", autouse=True)
def _documented_webhooks() -> Iterator[None]:
    with documented_webhooks.checked():
        yield


if "TEST_OWN_POSTGRES" in os.environ:

    @pytest.fixture(scope="session")
    def django_db_setup() -> Iterator[None]:
        """Our own server has the tables already. Tests that commit leave it empty, in a tenth of Django's time."""
        servers.start_postgres()
        with patch.object(TransactionTestCase, "_fixture_teardown", lambda _: empty_tables()):
            yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(request: pytest.FixtureRequest) -> None:
    """SQLite tests run on a file: in memory, threads share one connection and no lock is real."""
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        database.setdefault("TEST", {})["NAME"] = str(Path(settings.DATA_DIR) / "test.sqlite3")
    else:
        request.getfixturevalue("django_db_modify_db_settings_parallel_suffix")


@pytest.fixture
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The monotonic clock in seconds, as the only item: time passes only where a test adds to it."""
    seconds = [clock.monotonic()]
    monkeypatch.setattr(clock, "monotonic", lambda: seconds[0])
    return seconds


@pytest.fixture(scope="session")
def redis_server() -> Iterator[list[redis.Redis]]:
    """The real Redis, started now: clients of the boards', the page cache's and the broker's database."""
    servers.start_redis()
    clients = [*each_node(), *(redis.Redis.from_url(url) for url in (settings.CACHE_URL, settings.BROKER_URL))]
    yield clients
    for client in clients:
        client.close()


KINDS_OF_THE_PRODUCT = {"comment"}
NEED_REDIS = {"db", "transactional_db", "live_server", "links", "redis_server", "client"}


@pytest.fixture(autouse=True)
def _as_if_new(request: pytest.FixtureRequest) -> None:
    """What a test may touch is empty: Redis, and what the process remembers. Tests of the core touch nothing."""
    translation.deactivate()  # a request leaves its language behind
    marked = request.node.get_closest_marker("django_db") is not None
    if not marked and not NEED_REDIS.intersection(request.fixturenames):
        return
    for client in request.getfixturevalue("redis_server"):
        client.flushdb()
    forget_everything()


def forget_everything() -> None:
    """As the process starts: it remembers nothing of clocks, requests, boards, names, periods, bans, pages, exports and
    test kinds."""
    from competitions.selectors.standings import race as competition_race
    from competitions.selectors.standings.group_standings import clear_group_standings
    from competitions.views.competition import leaders
    from config.console import status, tiles
    from foundation import clock
    from foundation.monitoring import minutes
    from foundation.throttling import rate_limit
    from leaderboards.api.http.recent import clear_recent_answers
    from leaderboards.selectors.catalog.boards import clear_board_cache
    from leaderboards.selectors.catalog.cache_versions import clear_known_versions
    from leaderboards.selectors.catalog.periods import clear_period_cache
    from leaderboards.selectors.exports.export_slots import release_export_slots
    from leaderboards.selectors.history.career import clear_career_cache
    from leaderboards.selectors.history.lately import clear_lately_cache
    from leaderboards.selectors.history.race import clear_race_cache
    from leaderboards.selectors.player_data.names import clear_name_cache
    from leaderboards.selectors.rankings.encoded_pages import clear_encoded_cache
    from leaderboards.selectors.rankings.histograms import clear_histogram_cache
    from leaderboards.selectors.visibility.hidden import clear_hidden_cache
    from leaderboards.services.submit.decide_redis import forget_bans
    from leaderboards.views.board_pages import filters, shared_page
    from leaderboards.views.http import micro_cache
    from likes import registry
    from likes.selectors.most_liked import clear_most_liked_cache

    for forget in (
        clock.forget_comparison,
        rate_limit.reset_local, clear_board_cache, clear_name_cache, clear_period_cache, forget_bans,
        clear_hidden_cache, clear_group_standings, micro_cache.forget, shared_page.forget, filters.forget,
        clear_most_liked_cache, release_export_slots, clear_known_versions, clear_encoded_cache, clear_race_cache,
        clear_recent_answers, clear_lately_cache, clear_career_cache, clear_histogram_cache, status.forget,
        tiles.forget_queue, minutes.forget, competition_race.clear_race_cache, leaders.forget,
    ):  # fmt: skip  # as a list
        forget()
    for likeable in registry.all_kinds():
        if likeable.kind not in KINDS_OF_THE_PRODUCT:
            registry.unregister_kind(likeable.kind)
