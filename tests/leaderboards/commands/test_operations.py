"""The commands that look after a site: doctor, rebuild, export."""

import csv
import re
from datetime import timedelta
from io import StringIO

import pytest
from django.conf import settings
from django.core.management.base import CommandError

from foundation import clock, redis
from foundation.models import DeadLetter, Heartbeat
from leaderboards import selectors
from leaderboards.core.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.management.commands import rebuild as rebuild_command
from leaderboards.management.progress import Progress
from leaderboards.models import Board, Difference, Period
from leaderboards.services.boards import apply_boards
from leaderboards.services.mirror import mirror_all
from leaderboards.services.submit import submit
from tests.leaderboards.commands.calls import Terminal, run

pytestmark = pytest.mark.django_db(transaction=True)


def make_board(**wanted: object) -> Board:
    apply_boards([{"name": "Looked after", **wanted}], clock.now())
    return Board.objects.get(name="Looked after")


def score(board: Board, **points: int) -> None:
    rows = [{"board": board.seq, "player": name, "points": number} for name, number in points.items()]
    outcomes = submit([read_entry(row, place) for place, row in enumerate(rows)], Caller("test"), clock.now())
    assert all(outcome.status.is_accepted for outcome in outcomes)


def exported(board: Board, *options: str) -> list[dict[str, str]]:
    return [*csv.DictReader(StringIO(run("export_standings", "--board", board.seq, *options).out))]


def doctor() -> tuple[int, list[str]]:
    out = StringIO()
    from django.core.management import call_command

    try:
        call_command("doctor", stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue().splitlines()
    return 0, out.getvalue().splitlines()


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
def test_an_export_holds_every_row_in_its_place(storage: str) -> None:
    board = make_board(storage=storage, ties="shared", decimals=1)
    score(board, alice=7, bob=9, carol=7)

    rows = exported(board)

    places = [(row["rank"], row["player"], row["points"], row["tied"]) for row in rows]
    assert places == [("1", "bob", "9", "1"), ("2", "carol", "7", "2"), ("2", "alice", "7", "2")]


def test_an_export_of_several_fields_has_a_column_each() -> None:
    board = make_board(
        criteria=[{"name": "stage", "max": 99, "order": "desc"}, {"name": "lives", "max": 9, "order": "desc"}]
    )
    entry = read_entry({"board": board.seq, "player": "alice", "fields": {"stage": 12, "lives": 3}}, 0)
    submit([entry], Caller("test"), clock.now())

    rows = exported(board)

    assert [(row["player"], row["stage"], row["lives"]) for row in rows] == [("alice", "12", "3")]


def test_an_export_of_a_period_that_never_was_is_refused() -> None:
    with pytest.raises(CommandError, match="no period '1999-01'"):
        run("export_standings", "--board", make_board().seq, "--period", "1999-01")


def test_a_rebuild_brings_back_what_redis_had_wrong() -> None:
    board = make_board()
    score(board, alice=7, bob=9)
    period = Period.objects.get(board=board, label=selectors.standings(board).period.label)
    redis.settling().call("ZADD", period.family.zset, 1e9, "ghost")

    printed = run("rebuild", "--board", board.seq).json

    done = printed["rebuilt"][0]
    assert (done["period"], done["settled"], done["players"]) == (period.label, True, 2)
    assert done["generation"] > period.generation
    shown = selectors.standings(board)
    assert shown.live
    assert [row.player for row in shown.rows] == ["bob", "alice"]


def test_a_rebuild_shows_who_watches_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    board = make_board()
    score(board, alice=7, bob=9)
    terminal = Terminal()
    monkeypatch.setattr(rebuild_command, "Progress", lambda whole: Progress(whole, terminal))

    label = run("rebuild", "--board", board.seq).json["rebuilt"][0]["period"]

    assert f"100% {label}: 2 of 2" in terminal.getvalue()


def test_a_rebuild_of_a_redis_board_loses_nothing_that_was_not_mirrored_yet() -> None:
    board = make_board(storage="redis")
    score(board, alice=7, bob=9)

    printed = run("rebuild", "--board", board.seq).json

    assert printed["rebuilt"][0]["settled"]
    shown = selectors.standings(board)
    assert (shown.live, [row.player for row in shown.rows]) == (True, ["bob", "alice"])


def test_a_board_without_redis_and_a_final_period_have_nothing_to_rebuild() -> None:
    with pytest.raises(CommandError, match="keeps nothing in Redis"):
        run("rebuild", "--board", make_board(storage="sql").seq)

    apply_boards([{"name": "Ended"}], clock.now())
    ended = Board.objects.get(name="Ended")
    period = Period.objects.filter(board=ended).first()
    assert period is not None
    Period.objects.filter(pk=period.pk).update(state="final")
    with pytest.raises(CommandError, match="is final"):
        run("rebuild", "--board", ended.seq, "--period", period.label)


def test_the_doctor_finds_everything_right_and_names_the_next_boundary() -> None:
    board = make_board(timezone="Asia/Seoul")
    Heartbeat.objects.create(name="worker", beat_at=clock.now())

    status, lines = doctor()

    assert [line for line in lines if line.startswith("RED")] == []
    assert status == 0
    names = [line[5:].partition(":")[0] for line in lines]
    assert names[:7] == ["SQL", "migrations", "clock", "Redis", "Redis known", "appendonly", "maxmemory-policy"]
    assert any(line.startswith(f"ok   board {board.seq}: Looked after: ") and " 00:00 KST" in line for line in lines)


def test_the_doctor_is_red_without_a_worker_and_with_a_period_that_nobody_settles() -> None:
    board = make_board()
    long_ago = clock.now().replace(year=2020, month=1, day=1)
    Heartbeat.objects.create(name="worker", beat_at=long_ago)
    score(board, alice=7, bob=9)
    Period.objects.filter(board=board).update(stale_since=long_ago, whole=True, rebuilt=1)

    status, lines = doctor()

    assert status == 1
    red = " ".join(line for line in lines if line.startswith("RED"))
    assert "worker: last sign of life" in red
    assert "stale period" in red
    assert "rebuilding: 1 of 2" in red


def test_the_doctor_is_red_where_somebody_has_to_decide_or_repair() -> None:
    board = make_board(storage="redis")
    score(board, alice=7)
    period = Period.objects.get(board=board, starts_at__lt=clock.now())
    DeadLetter.note("mirror", f"{period.pk}:alice", {}, "why", clock.now())
    Difference.objects.create(period=period, player="alice", repaired=False, found_at=clock.now())

    status, lines = doctor()

    assert status == 1
    assert "RED  unmirrored standings: 1; never copied to SQL" in lines
    assert "RED  dead letters: 1 open: edit, retry or drop them" in lines
    assert "RED  differences: 1 left: run verify --repair" in lines


def test_the_doctor_measures_the_mirrors_lag() -> None:
    make_board(storage="redis")
    mirror_all()

    _, lines = doctor()

    [line] = [line for line in lines if "unmirrored" in line]
    assert re.fullmatch(r"ok   unmirrored standings: 0; last copied to SQL \d+\.\d s ago", line)


def test_a_final_period_is_not_stale_for_the_doctor() -> None:
    make_board()
    Period.objects.update(state="final", stale_since=clock.now() - timedelta(days=1))

    assert "ok   stale periods: none" in doctor()[1]


def test_the_doctor_is_red_where_redis_may_evict() -> None:
    make_board()
    redis.settling().call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")

    try:
        status, lines = doctor()
    finally:
        redis.settling().call("CONFIG", "SET", "maxmemory-policy", "noeviction")

    assert status == 1
    assert any(line.startswith("RED  maxmemory-policy: allkeys-lru") for line in lines)


def test_the_doctor_knows_the_page_cache_from_the_boards() -> None:
    make_board()
    assert settings.REDIS_URL != settings.CACHE_URL

    _, lines = doctor()

    assert "ok   page cache: a database of the boards' server" in lines
