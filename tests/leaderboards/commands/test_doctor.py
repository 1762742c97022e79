"""The doctor: what is right, what is red, and that it says nothing twice."""

import re
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection
from django.test import Client
from pytest_django import Settings

from foundation.models import DeadLetter, Heartbeat
from foundation.redis import client as redis
from foundation.sync.registering import register_server
from foundation.webhooks import outbox
from foundation.webhooks.models import WebhookDelivery
from leaderboards.management import doctor_checks as checkup
from leaderboards.models import Difference, Period, PeriodHistogram, ScoreRanges
from leaderboards.selectors.monitoring.lag import MIRROR
from leaderboards.services.periods.histograms import take_due_histograms
from leaderboards.services.sync.mirror import mirror_all
from tests.foundation.factories import WebhookEndpointFactory
from tests.leaderboards.commands.calls import running
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.services.ranges import let_ranges_follow
from tests.playing import score
from tests.raw import ONE_SERVER

OPERATIONS = Path(__file__).parents[3] / "docs/operations/monitor.md"


def doctor(*options: str) -> tuple[int, list[str]]:
    out = StringIO()
    try:
        call_command("doctor", *options, stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue().splitlines()
    return 0, out.getvalue().splitlines()


@ONE_SERVER
def test_the_doctor_finds_everything_right_and_names_the_next_boundary(now: datetime) -> None:
    board = BoardFactory.create(name="Looked after", timezone="Asia/Seoul", storage="redis")
    final = BoardFactory.create()
    Period.objects.filter(board=final).update(state="final", stale_since=now - timedelta(days=1))
    Heartbeat.objects.create(name="worker", beat_at=now)
    mirror_all()

    status, lines = doctor("--all")

    assert (status, [line for line in lines if line.startswith("RED")]) == (0, [])
    assert doctor() == (0, [f"{len(lines) - 1} checks ok (doctor --all lists them)"])
    assert any(line.startswith(f"ok   board {board.seq}: Looked after: ") and " 00:00 KST" in line for line in lines)
    assert any(line.startswith("ok   unmirrored standings: 0; last copied to SQL ") for line in lines)
    assert {"ok   stale periods: none", "ok   page cache: a database of the boards' server"} < set(lines)


def test_the_doctor_tells_when_a_board_between_two_windows_opens(now: datetime) -> None:
    month = (now + timedelta(days=45)).month
    schedule = {"period": "schedule", "schedule": f"0 12 1 {month} *", "open_minutes": 60}
    board = BoardFactory.create(name="Cup", at=now, timezone="Asia/Seoul", **schedule)

    _status, lines = doctor("--all")

    [line] = [line for line in lines if f"board {board.seq}: Cup: " in line]
    assert re.search(r"closed since \d{4}-\d\d-01-1200 ended; opens \w{3} 01 \w{3} \d{4} 12:00 KST, in \d+ day", line)


def shape(line: str) -> str:
    """A line of the doctor's without what differs from site to site: numbers, and which servers there are."""
    line = re.sub(r"sqlite|postgresql|valkey|redis(?= \d)", "…", line.strip())
    return re.sub(r"[-+]?\d[\d.:,]*[BKMG]?", "0", line)


@ONE_SERVER
def test_the_sample_in_the_documents_is_what_the_doctor_prints(now: datetime) -> None:
    [sample] = re.findall(
        r"```\n\$ manage.py doctor --all\n(.*?)```", OPERATIONS.read_text(encoding="utf-8"), re.DOTALL
    )
    register_server()
    Heartbeat.objects.create(name="worker", beat_at=now)
    Heartbeat.note(MIRROR, now)

    _, lines = doctor("--all")

    documented = [shape(line) for line in sample.splitlines() if "board 6" not in line]
    assert documented == [shape(line) for line in lines]


def test_the_doctor_tells_the_age_of_the_oldest_histogram_and_is_red_once_runs_were_missed(
    now: datetime, settings: Settings
) -> None:
    board, settings.HISTOGRAM_PLAYERS = BoardFactory.create(storage="sql"), 2
    score(board.seq, {"alice": 7, "bob": 9})
    Heartbeat.objects.create(name="worker", beat_at=now)
    assert take_due_histograms(now, 20) == 1

    PeriodHistogram.objects.update(taken_at=now - timedelta(seconds=90), took_ms=10)
    _, well = doctor("--all")
    PeriodHistogram.objects.update(taken_at=now - timedelta(minutes=6))
    status, late = doctor()

    assert any(line.startswith("ok   histograms: the oldest was taken 9") for line in well)
    assert status == 1
    assert any(line.startswith(f"RED  histogram of period {running(board)}: taken 36") for line in late)


def test_the_doctor_tells_which_score_ranges_do_not_follow_and_nothing_where_there_are_none(now: datetime) -> None:
    assert not any("score ranges" in line for line in doctor("--all")[1])
    board = BoardFactory.create(storage="redis", partitions=4, score_ranges=True)
    score(board.seq, {"alice": 7})
    let_ranges_follow(running(board), now)

    _, well = doctor("--all")
    ScoreRanges.objects.update(followed_at=now - timedelta(seconds=90))
    status, late = doctor()

    assert "ok   score ranges: all follow" in well
    assert status == 1
    told = f"RED  score ranges of period {running(board)}: have not followed for 9"
    assert any(line.startswith(told) for line in late)


@ONE_SERVER
def test_without_sql_one_line_is_red_and_nothing_is_said_of_what_was_not_asked(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    BoardFactory.create()

    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("connection failed: is it up?")

    monkeypatch.setattr(connection, "cursor", refuse)
    monkeypatch.setattr(connection, "chunked_cursor", refuse)
    status, lines = doctor("--all")

    assert status == 1
    assert [line for line in lines if line.startswith("RED")] == [
        "RED  SQL: does not answer: connection failed: is it up?"
    ]
    assert any(line.startswith("ok   Redis: ") and line.endswith(" answers") for line in lines)
    assert "skip worker: skipped, because SQL is away" in lines


@ONE_SERVER
def test_a_period_that_became_stale_a_moment_ago_is_neither_right_nor_wrong(now: datetime) -> None:
    period = running(BoardFactory.create())
    Heartbeat.objects.create(name="worker", beat_at=now)
    mirror_all()
    Period.objects.filter(pk=period.pk).update(stale_since=now - timedelta(seconds=5))

    status, lines = doctor()

    assert status == 0
    assert lines[0].startswith(f"wait stale period {period}: waits to be brought up to date since ")
    assert lines[1].startswith("1 waiting, ")


def test_the_doctor_is_red_where_somebody_has_to_decide_or_repair_and_redis_may_evict(now: datetime) -> None:
    hybrid, burst = BoardFactory.create(), BoardFactory.create(storage="redis")
    score(hybrid.seq, {"alice": 7, "bob": 9})
    score(burst.seq, {"alice": 7})
    long_ago = now.replace(year=2020, month=1, day=1)
    period = running(burst)
    never, *_ = checkup.worker(now)
    Heartbeat.objects.create(name="worker", beat_at=long_ago)
    Period.objects.filter(board=hybrid).update(stale_since=long_ago, needs_full_rebuild=True, rebuild_progress=1)
    DeadLetter.note("mirror", f"{period.pk}:alice", {}, "why", now)
    Difference.objects.create(period=period, player="alice", repaired=False, found_at=now)
    redis.resync_client().call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")

    try:
        status, lines = doctor()
    finally:
        redis.resync_client().call("CONFIG", "SET", "maxmemory-policy", "noeviction")

    assert (status, never.is_red) == (1, True)
    words = [line[:4] for line in lines[:-1]]
    assert words == sorted(words, key=["RED ", "wait", "skip"].index)
    assert re.fullmatch(r"\d+ wrong, \d+ checks ok \(doctor --all lists them\)", lines[-1])
    red = "\n".join(line for line in lines if line.startswith("RED"))
    assert "maxmemory-policy: allkeys-lru" in red
    assert "worker: last sign of life" in red
    assert "rebuilding: 1 of 2" in red
    assert "unmirrored standings: 1; never copied to SQL" in red
    assert "dead letters: 1 open" in red
    assert "differences: 1 left" in red


@ONE_SERVER
def test_the_doctor_is_red_for_all_that_readyz_says_and_says_nothing_twice(now: datetime, client: Client) -> None:
    late, stale = (running(BoardFactory.create()) for _ in range(2))
    Heartbeat.objects.create(name="worker", beat_at=now)
    mirror_all()
    well, _ = doctor()
    ended = now - timedelta(hours=1)
    Period.objects.filter(pk=late.pk).update(created_at=ended - timedelta(days=1), ends_at=ended)
    WebhookEndpointFactory.create(name="Shop")
    outbox.enqueue(kind="order.paid", message_id="order-1", payload={}, at=now)
    WebhookDelivery.objects.update(next_try_at=None, dead_at=now)
    Period.objects.filter(pk=stale.pk).update(stale_since=ended)
    Difference.objects.create(period=late, player="alice", repaired=False, found_at=now)

    status, lines = doctor()

    assert (well, status) == (0, 1)
    red = [line.removeprefix("RED  ") for line in lines if line.startswith("RED")]
    assert [line.partition(": ")[0] for line in red] == [
        f"stale period {stale}", "differences", "other problems", "other problems"
    ]  # fmt: skip  # as a table
    degraded = client.get("/readyz").json()["degraded"]
    told = [line.removeprefix("other problems: ") for line in red[2:]]
    assert set(told) < set(degraded)
    assert f"periods to close: 1, the first since {ended:%F %R} UTC" in told
    assert len(degraded) == len(red)
