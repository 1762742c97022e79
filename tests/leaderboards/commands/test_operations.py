"""The commands that look after a site and its players: exports, rebuild, close_periods, verify, doctor, erasure."""

import csv
import re
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils.translation import override
from pytest_django import Settings

from foundation import clock
from foundation.models import DeadLetter, Heartbeat
from foundation.redis import client as redis
from foundation.sync.registering import register_server
from foundation.webhooks import outbox
from foundation.webhooks.models import WebhookDelivery
from leaderboards import selectors
from leaderboards.management import doctor_checks as checkup
from leaderboards.management.commands import rebuild as rebuild_command
from leaderboards.management.progress import Progress
from leaderboards.models import Board, Difference, Period, PeriodHistogram, PeriodState
from leaderboards.selectors.monitoring.lag import MIRROR
from leaderboards.services.periods.histograms import take_due_histograms
from leaderboards.services.players.link import make_code
from leaderboards.services.players.profiles import set_profile
from leaderboards.services.sync.mirror import mirror_all
from tests.foundation.factories import WebhookEndpointFactory
from tests.leaderboards.commands.calls import run
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.services.site import crowd, in_redis, in_sql, make_board
from tests.leaderboards.services.site import score as by_ids
from tests.playing import score
from tests.raw import ONE_SERVER

OPERATIONS = Path(__file__).parents[3] / "docs/operations/monitor.md"


def running(board: Board) -> Period:
    return Period.objects.get(board=board, starts_at__lt=clock.now())


def test_an_export_holds_every_row_in_its_place_and_a_column_for_each_field(now: datetime) -> None:
    criteria = [{"name": "stage", "max": 99, "order": "desc"}, {"name": "lives", "max": 9, "order": "desc"}]
    board = BoardFactory.create(storage="redis", ties="shared", decimals=1).seq
    raid = BoardFactory.create(criteria=criteria).seq
    score(board, {"alice": 7, "bob": 9, "carol": 7})
    score(raid, {"alice": {"stage": 12, "lives": 3}})

    places, fields = ([*csv.DictReader(StringIO(run("export_standings", "--board", seq).out))] for seq in (board, raid))

    assert [(row["rank"], row["player"], row["points"], row["tied"]) for row in places] == [
        *(("1", "bob", "9", "1"), ("2", "carol", "7", "2"), ("2", "alice", "7", "2")),
    ]
    assert [(row["player"], row["stage"], row["lives"]) for row in fields] == [("alice", "12", "3")]


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_a_rebuild_brings_back_what_redis_had_wrong_and_loses_nothing_that_was_not_mirrored_yet(
    now: datetime, monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    board, terminal = BoardFactory.create(storage=storage), StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    score(board.seq, {"alice": 7, "bob": 9})
    period = running(board)
    if storage == "hybrid":
        redis.resync_client().call("ZADD", period.family.zset, 1e9, "ghost")
    monkeypatch.setattr(rebuild_command, "Progress", lambda total: Progress(total, terminal))

    [done] = run("rebuild", "--board", board.seq).json["rebuilt"]

    assert (done["period"], done["settled"], done["players"]) == (period.label, True, 2)
    assert done["generation"] > period.generation
    assert (f"[{'#' * 40}] 100% {period.label}: 2 of 2" in terminal.getvalue()) == (storage == "hybrid")
    shown = selectors.standings(board)
    assert (shown.live, [row.player for row in shown.rows]) == (True, ["bob", "alice"])


def test_close_periods_says_what_it_closed_and_fails_where_one_has_to_wait(
    now: datetime, capsys: pytest.CaptureFixture[str]
) -> None:
    board = make_board("hybrid", now)
    period = crowd(board, 3, now)
    tomorrow = now + timedelta(days=1, minutes=2)
    later = f"{tomorrow:%Y-%m-%dT%H:%M:%SZ}"

    with clock.freeze_at(tomorrow):
        printed = run("close_periods", "--now", later)

    closed = {"board": board.seq, "label": period.label, "final": True, "players": 3, "detail": ""}
    assert printed.json["closed"] == [closed]
    assert run("close_periods").json["closed"] == []
    waiting = crowd(make_board("redis", now), 3, now)
    redis.resync_client().call("DEL", waiting.family.gen)
    with clock.freeze_at(tomorrow), pytest.raises(CommandError, match="Not final yet: "):
        call_command("close_periods", "--now", later)
    assert '"final": false' in capsys.readouterr().out


def test_close_periods_refuses_a_time_in_the_future_and_ends_nothing(now: datetime) -> None:
    period = crowd(make_board("sql", now), 3, now)
    later = f"{now + timedelta(days=2):%Y-%m-%dT%H:%M:%SZ}"

    with pytest.raises(CommandError, match=rf"--now {later} is in the future: it is .* nothing was closed"):
        run("close_periods", "--now", later)
    assert Period.objects.get(pk=period.pk).state == PeriodState.OPEN

    assert run("close_periods", "--now", f"{now:%Y-%m-%dT%H:%M:%SZ}").json["closed"] == []


def test_verify_names_what_differs_and_repairs_it_if_asked_to(
    now: datetime, capsys: pytest.CaptureFixture[str]
) -> None:
    board = make_board("hybrid", now, tie_break="score")
    period = crowd(board, 3, now)
    redis.resync_client().call("ZINCRBY", period.family.zset, 4, "p1")

    with pytest.raises(CommandError, match="Differences that are left: 1; `--repair` repairs them"):
        call_command("verify", "--board", str(board.seq))
    printed = run("verify", "--board", board.seq, "--repair").json

    assert '"repaired": false' in capsys.readouterr().out
    [found] = printed["differences"]
    assert (found["player"], found["repaired"]) == ("p1", True)
    assert found["in_redis"] == found["in_sql"] + 4
    assert in_redis(period) == in_sql(period)
    assert run("verify").json["differences"] == []


def test_what_is_not_there_or_needs_nothing_is_refused(now: datetime) -> None:
    board = BoardFactory.create()
    in_sql_only = BoardFactory.create(storage="sql")
    period = running(board)
    Period.objects.filter(pk=period.pk).update(state="final")
    refused = {
        f"export_standings --board {board.seq} --period 1999-01": "no period '1999-01'",
        f"rebuild --board {in_sql_only.seq}": "keeps nothing in Redis",
        f"rebuild --board {board.seq} --period {period.label}": "is final",
        "verify --board 999": "no board 999",
    }

    for command, said in refused.items():
        with pytest.raises(CommandError, match=said):
            run(*command.split())


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
    Period.objects.filter(pk=late.pk).update(ends_at=ended)
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


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_a_players_export_holds_all_that_is_kept_and_of_nobody_else_in_every_language_and_nothing_once_erased(
    now: datetime, storage: str
) -> None:
    board = make_board(storage, now)
    by_ids(board, {"alice": 7, "bob": 9}, now, id_="match")
    set_profile("alice", {"name": "Alice", "country": "KR"}, now)
    make_code("alice", now)

    printed = run("player_export", "alice")
    with override("ko"):
        korean = run("player_export", "alice").json
    erased = run("player_erase", "alice").json

    kept = printed.json
    told = {name: kept["player"][name] for name in ("external_id", "name", "country")}
    assert told == {"external_id": "alice", "name": "Alice", "country": "KR"}
    [standing] = kept["standings"]
    assert (standing["points"], standing["period"].partition("/")[0]) == (7, str(board.seq))
    assert [row["external_id"] for row in kept["submissions"]] == ([] if storage == "redis" else ["match:alice"])
    assert (kept["final standings"], len(kept["link codes"])) == ([], 1)
    [renamed] = kept["audit log"]
    assert (renamed["act"], renamed["after"]) == ("player.changed", {"name": "Alice", "country": "KR"})
    assert "code_hash" not in printed.out
    assert "bob" not in printed.out
    assert korean.keys() == kept.keys()
    assert (erased["player"].startswith("erased-"), len(erased["removed_from"])) == (True, 1)
    assert "alice" not in run("player_export", erased["player"]).out
    for command in ("player_export", "player_erase"):
        with pytest.raises(CommandError, match="There is no player 'alice'"):
            run(command, "alice")
