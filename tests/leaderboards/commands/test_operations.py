"""The commands that look after a site: export, rebuild, close_periods, verify, doctor, and their progress bar."""

import csv
import re
from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from foundation import clock, redis
from foundation.models import DeadLetter, Heartbeat
from leaderboards import selectors
from leaderboards.management import checkup
from leaderboards.management.commands import rebuild as rebuild_command
from leaderboards.management.progress import Progress
from leaderboards.models import Board, Difference, Period
from leaderboards.services.mirror import mirror_all
from tests.leaderboards.commands.calls import Terminal, run
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.services.site import crowd, in_redis, in_sql, make_board
from tests.playing import score


def running(board: Board) -> Period:
    return Period.objects.get(board=board, starts_at__lt=clock.now())


def exported(board: Board) -> list[dict[str, str]]:
    return [*csv.DictReader(StringIO(run("export_standings", "--board", board.seq).out))]


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
def test_an_export_holds_every_row_in_its_place_and_a_column_for_each_field(now: datetime, storage: str) -> None:
    board = BoardFactory.create(storage=storage, ties="shared", decimals=1)
    criteria = [{"name": "stage", "max": 99, "order": "desc"}, {"name": "lives", "max": 9, "order": "desc"}]
    raid = BoardFactory.create(storage=storage, criteria=criteria)
    score(board.seq, {"alice": 7, "bob": 9, "carol": 7})
    score(raid.seq, {"alice": {"stage": 12, "lives": 3}})

    places = [(row["rank"], row["player"], row["points"], row["tied"]) for row in exported(board)]
    fields = [(row["player"], row["stage"], row["lives"]) for row in exported(raid)]

    assert places == [("1", "bob", "9", "1"), ("2", "carol", "7", "2"), ("2", "alice", "7", "2")]
    assert fields == [("alice", "12", "3")]


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_a_rebuild_brings_back_what_redis_had_wrong_and_loses_nothing_that_was_not_mirrored_yet(
    now: datetime, monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    board, terminal = BoardFactory.create(storage=storage), Terminal()
    score(board.seq, {"alice": 7, "bob": 9})
    period = running(board)
    if storage == "hybrid":
        redis.settling().call("ZADD", period.family.zset, 1e9, "ghost")
    monkeypatch.setattr(rebuild_command, "Progress", lambda whole: Progress(whole, terminal))

    printed = run("rebuild", "--board", board.seq).json

    done = printed["rebuilt"][0]
    assert (done["period"], done["settled"], done["players"]) == (period.label, True, 2)
    assert done["generation"] > period.generation
    assert (f"100% {period.label}: 2 of 2" in terminal.getvalue()) == (storage == "hybrid")
    shown = selectors.standings(board)
    assert (shown.live, [row.player for row in shown.rows]) == (True, ["bob", "alice"])


def test_close_periods_says_what_it_closed_and_fails_where_one_has_to_wait(
    now: datetime, capsys: pytest.CaptureFixture[str]
) -> None:
    board = make_board("hybrid", now)
    period = crowd(board, 3, now)
    later = f"{now + timedelta(days=1, minutes=2):%Y-%m-%dT%H:%M:%SZ}"

    printed = run("close_periods", "--now", later)

    closed = {"board": board.seq, "label": period.label, "final": True, "players": 3, "detail": ""}
    assert printed.json["closed"] == [closed]
    assert run("close_periods").json["closed"] == []
    waiting = crowd(make_board("redis", now), 3, now)
    redis.settling().call("DEL", waiting.family.gen)
    with pytest.raises(CommandError, match="Not final yet: "):
        call_command("close_periods", "--now", later)
    assert '"final": false' in capsys.readouterr().out


def test_verify_names_what_differs_and_repairs_it_if_asked_to(
    now: datetime, capsys: pytest.CaptureFixture[str]
) -> None:
    board = make_board("hybrid", now, tie_break="score")
    period = crowd(board, 3, now)
    redis.settling().call("ZINCRBY", period.family.zset, 4, "p1")

    with pytest.raises(CommandError, match="1 standings differ"):
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


def doctor() -> tuple[int, list[str]]:
    out = StringIO()
    try:
        call_command("doctor", stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue().splitlines()
    return 0, out.getvalue().splitlines()


def test_the_doctor_finds_everything_right_and_names_the_next_boundary(now: datetime) -> None:
    board = BoardFactory.create(name="Looked after", timezone="Asia/Seoul", storage="redis")
    final = BoardFactory.create()
    Period.objects.filter(board=final).update(state="final", stale_since=now - timedelta(days=1))
    Heartbeat.objects.create(name="worker", beat_at=now)
    mirror_all()

    status, lines = doctor()

    assert [line for line in lines if line.startswith("RED")] == []
    assert status == 0
    names = [line[5:].partition(":")[0] for line in lines]
    assert names[:7] == ["SQL", "migrations", "clock", "Redis", "Redis known", "appendonly", "maxmemory-policy"]
    assert any(line.startswith(f"ok   board {board.seq}: Looked after: ") and " 00:00 KST" in line for line in lines)
    [lag] = [line for line in lines if "unmirrored" in line]
    assert re.fullmatch(r"ok   unmirrored standings: 0; last copied to SQL \d+\.\d s ago", lag)
    assert "ok   stale periods: none" in lines
    assert settings.REDIS_URL != settings.CACHE_URL
    assert "ok   page cache: a database of the boards' server" in lines


def test_the_doctor_is_red_where_somebody_has_to_decide_or_repair_and_redis_may_evict(now: datetime) -> None:
    hybrid, burst = BoardFactory.create(), BoardFactory.create(storage="redis")
    score(hybrid.seq, {"alice": 7, "bob": 9})
    score(burst.seq, {"alice": 7})
    long_ago = now.replace(year=2020, month=1, day=1)
    period = running(burst)
    never, *_ = checkup.worker(now)
    Heartbeat.objects.create(name="worker", beat_at=long_ago)
    Period.objects.filter(board=hybrid).update(stale_since=long_ago, whole=True, rebuilt=1)
    DeadLetter.note("mirror", f"{period.pk}:alice", {}, "why", now)
    Difference.objects.create(period=period, player="alice", repaired=False, found_at=now)
    redis.settling().call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")

    try:
        status, lines = doctor()
    finally:
        redis.settling().call("CONFIG", "SET", "maxmemory-policy", "noeviction")

    assert status == 1
    assert (never.is_red, never.detail) == (True, "has never given a sign of life: start worker and beat")
    red = [line.removeprefix("RED  ") for line in lines if line.startswith("RED")]
    assert any(line.startswith("maxmemory-policy: allkeys-lru") for line in red)
    assert any(line.startswith("worker: last sign of life") for line in red)
    assert any(line.startswith("stale period") and "rebuilding: 1 of 2" in line for line in red)
    assert "unmirrored standings: 1; never copied to SQL" in red
    assert "dead letters: 1 open: edit, retry or drop them" in red
    assert "differences: 1 left: run verify --repair" in red


def test_progress_grows_on_a_terminal_and_is_not_drawn_into_a_file() -> None:
    terminal, file = Terminal(), StringIO()

    for stream in (terminal, file):
        progress = Progress(200, stream)
        progress.step(50, "1,000 rows")
        progress.step(300, "4,000 rows")
        progress.close()

    assert f"[{'#' * 10}{'.' * 30}]  25% 1,000 rows" in terminal.getvalue()
    assert f"[{'#' * 40}] 100% 4,000 rows" in terminal.getvalue()
    assert terminal.getvalue().endswith("\n")
    assert file.getvalue() == ""
