"""The commands that look after a site and its players: exports, rebuild, close_periods, verify, erasure."""

import csv
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils.translation import override

from foundation import clock
from foundation.redis import client as redis
from leaderboards import selectors
from leaderboards.management.commands import rebuild as rebuild_command
from leaderboards.management.progress import Progress
from leaderboards.models import Period, PeriodState
from leaderboards.services.players.link import make_code
from leaderboards.services.players.profiles import set_profile
from tests.leaderboards.commands.calls import run, running
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.services.site import crowd, in_redis, in_sql, make_board
from tests.leaderboards.services.site import score as by_ids
from tests.playing import score

OPERATIONS = Path(__file__).parents[3] / "docs/operations/monitor.md"


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
