"""The look of each second at boards: it sees whatever is due, and of a quiet site it asks little."""

from collections import Counter
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation import clock
from foundation.models import Heartbeat, KnownRedis
from foundation.redis import client as redis
from foundation.sync.registering import register_server
from foundation.tasks import look
from foundation.worker import due
from leaderboards.models import Period, Standing
from leaderboards.selectors.monitoring.lag import MIRROR
from leaderboards.services.sync import mirror, resync_periods
from leaderboards.services.sync.due_work import MIRROR_TASK, SETTLE_TASK
from leaderboards.stores.redis import sync
from leaderboards.stores.redis.publish import Publisher
from tests.leaderboards.services.site import NOON, WHO_DECIDES, crowd, make_board, redis_away, redis_client, score
from tests.raw import ONE_SERVER

BOARDS = ("sql", "hybrid", "redis")
SECONDS = 10


def quiet_site(many: int) -> list[Period]:
    """So many boards of each storage, with players, whose worker has nothing to do."""
    periods = [
        crowd(make_board(storage, name=f"{storage} {number}"), {"ann": 1, "bob": 2})
        for storage in BOARDS
        for number in range(many)
    ]
    resync_periods.resync_due(NOON)
    return periods


def commands() -> Counter[str]:
    """How often Redis was asked what, also by scripts."""
    with redis_client() as client:
        stats: dict[str, Any] = client.info("commandstats")
    return Counter({name.removeprefix("cmdstat_"): row["calls"] for name, row in stats.items()})


def asked_in_ten_seconds() -> tuple[Counter[str], list[str]]:
    """What ten looks ask of Redis and of SQL."""
    with patch.object(resync_periods, "WATERMARK_SECONDS", 1):
        assert due.find_due_work() == []  # up to where SQL was followed is noted once
    before = commands()
    with CaptureQueriesContext(connection) as queries:
        assert [due.find_due_work() for _ in range(SECONDS)] == [[]] * SECONDS
    asked = commands() - before
    del asked["info"]  # ours among them
    return asked, [query["sql"] for query in queries]


@ONE_SERVER
@pytest.mark.parametrize("many", [1, 8])
def test_of_a_quiet_site_a_look_asks_as_little_however_many_boards_it_has(many: int) -> None:
    quiet_site(many)

    asked, statements = asked_in_ten_seconds()

    writes = [each for each in statements if not each.startswith("SELECT")]
    assert asked["mget"] == SECONDS
    assert asked["exists"] == 2 * SECONDS
    assert asked["evalsha"] == asked["hscan"] == asked["hlen"] == 0
    assert asked.total() <= 10 * SECONDS, asked
    assert len(statements) <= 8 * SECONDS, statements
    assert all("foundation_heartbeat" in each or each in ("BEGIN", "COMMIT") for each in writes), writes


def test_after_an_hour_of_quiet_the_first_score_is_seen_by_the_next_look() -> None:
    *_, period = quiet_site(1)
    later = clock.monotonic() + 3600.0
    with patch.object(clock, "monotonic", lambda: later):
        assert due.find_due_work() == []

    score(period.board, {"carl": 3})

    assert due.find_due_work() == [MIRROR_TASK]
    assert mirror.mirror_all() == 1
    assert due.find_due_work() == []


def test_a_thousand_and_one_periods_are_looked_at_to_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "KEYS_PER_COMMAND", 2)
    periods = quiet_site(3)

    for period in [each for each in periods if each.board.storage == "redis"]:
        score(period.board, {"carl": 3})
        assert due.find_due_work() == [MIRROR_TASK]
        mirror.mirror_all()


@WHO_DECIDES
@pytest.mark.parametrize("cause", ["flushed", "another generation", "stale", "no longer known"])
def test_whatever_settling_is_for_is_seen(storage: str, cause: str) -> None:
    quiet_site(1)
    rows = Period.objects.filter(board__storage=storage)
    with redis_client() as client:
        match cause:
            case "flushed":
                client.delete(*(each.family.gen for each in rows))
            case "another generation":
                rows.update(generation=10**6)
            case "stale":
                rows.update(stale_since=NOON)
            case _:
                KnownRedis.objects.all().delete()
                KnownRedis._seen.clear()

    assert SETTLE_TASK in due.find_due_work()
    for _ in range(3):
        resync_periods.resync_due(NOON)
    assert due.find_due_work() == []


@pytest.mark.parametrize("cause", ["announced", "marked"])
def test_what_a_hybrid_board_was_not_told_is_seen(cause: str) -> None:
    _, period, _ = quiet_site(1)
    if cause == "announced":
        Publisher(redis.boards()).announce(period, ["ann"], "a token of somebody dead")
    else:
        Standing.objects.filter(period=period, player__external_id="ann").update(pending_publish=True)

    assert due.find_due_work() == [SETTLE_TASK]
    for _ in range(3):
        resync_periods.resync_due(NOON)
    assert due.find_due_work() == []


def test_where_redis_is_away_all_are_due() -> None:
    quiet_site(1)

    with redis_away():
        assert set(due.find_due_work()) >= {MIRROR_TASK, SETTLE_TASK}


def test_one_look_that_fails_has_its_own_tasks_sent_and_keeps_no_other_from_looking(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> list[str]:
        raise ValueError("a fault of ours")

    register_server()
    monkeypatch.setattr(due, "_checks", {broken: ["one", "two"], lambda: ["three"]: ["three", "four"]})

    assert due.find_due_work() == ["one", "two", "three"]
    assert "nobody knows whether these are due, so they are: one, two" in caplog.text


def test_what_is_due_is_sent_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    *_, period = quiet_site(1)
    sent: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr("celery.app.base.Celery.send_task", lambda _app, name, **options: sent.append((name, options)))

    look()
    score(period.board, {"carl": 3})
    look()

    assert sent == [(MIRROR_TASK, {"expires": 10, "priority": 0})]


def test_a_look_that_finds_nothing_to_mirror_gives_the_mirrors_sign_of_life_every_few_seconds() -> None:
    def signed_at() -> Any:
        return Heartbeat.objects.get(name=MIRROR).beat_at

    *_, period = quiet_site(1)
    mirror.mirror_all()
    first = signed_at()

    due.find_due_work()
    assert signed_at() == first
    Heartbeat.objects.filter(name=MIRROR).update(beat_at=first - timedelta(seconds=4))
    due.find_due_work()
    second = signed_at()
    assert second >= first
    score(period.board, {"carl": 3})
    Heartbeat.objects.filter(name=MIRROR).update(beat_at=first - timedelta(seconds=4))
    due.find_due_work()
    assert signed_at() < first  # SQL lacks something
