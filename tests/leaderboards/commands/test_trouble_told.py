"""What the commands of operators say, and do, where Redis is frozen, was restarted, or waits to be settled."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from io import StringIO
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from foundation import clock
from foundation.redis import client as redis
from leaderboards.models import Difference, Period
from leaderboards.services.sync import verify as verifying
from leaderboards.services.sync.mirror import mirror_all
from leaderboards.services.sync.verify import verify_all
from tests.leaderboards.commands.calls import Printed, run
from tests.leaderboards.services.site import (
    crowd,
    files,
    follow,
    in_redis,
    in_sql,
    make_board,
    redis_client,
    restart_with,
    score,
)
from tests.raw import empty_boards


def refused(name: str, *arguments: object) -> tuple[str, Printed]:
    """Why a command failed, and what it printed before."""
    out = StringIO()
    with pytest.raises(CommandError) as error:
        call_command(name, *map(str, arguments), stdout=out)
    return str(error.value), Printed(out.getvalue())


def doctor() -> list[str]:
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("doctor", stdout=out)
    return out.getvalue().splitlines()


class TestVerify:
    def test_a_period_that_waits_for_settling_is_named_and_is_no_success(self, now: datetime) -> None:
        waits, other = crowd(make_board("hybrid", now), 3, now), crowd(make_board("redis", now, name="Other"), 3, now)
        Period.objects.filter(pk=waits.pk).update(stale_since=now - timedelta(minutes=3))

        said, printed = refused("verify", "--board", waits.board_id)
        of_all, all_printed = refused("verify")

        since = f"waits to be brought up to date since {now - timedelta(minutes=3):%F %T} UTC"
        named = f"Not compared: board {waits.board_id}, period {waits.label}: {since}"
        assert named in said
        assert named in of_all
        assert (printed.json["verified"], printed.json["differences"]) == ([], [])
        assert [(each["label"], each["compared"]) for each in printed.json["not_compared"]] == [(waits.label, 0)]
        assert [each["board"] for each in all_printed.json["verified"]] == [other.board_id]

    def test_a_period_whose_memory_is_replaced_meanwhile_keeps_no_other_from_being_compared(
        self, now: datetime
    ) -> None:
        replaced, other = (
            crowd(make_board("hybrid", now), 3, now),
            crowd(make_board("redis", now, name="Other"), 3, now),
        )
        redis.resync_client().call("SET", replaced.family.gen, 10**9)

        found = {each.board: each for each in verify_all(now, 60.0)}

        assert (found[replaced.board_id].finished, found[other.board_id].finished) == (False, True)
        assert "another state" in found[replaced.board_id].skipped
        assert not Difference.objects.exists()

    def test_a_board_without_anything_to_compare_says_so(self, now: datetime) -> None:
        in_sql_only, over = crowd(make_board("sql", now), 3, now), crowd(make_board("hybrid", now, name="Over"), 3, now)
        Period.objects.filter(board=over.board).update(state="final")

        whys = [refused("verify", "--board", period.board_id)[0] for period in (in_sql_only, over)]
        printed = run("verify").json

        assert ["SQL alone keeps it" in whys[0], "none of its periods runs" in whys[1]] == [True, True]
        idle = [each["board"] for each in printed["nothing_to_compare"]]
        assert idle == [in_sql_only.board_id, over.board_id]

    @pytest.mark.parametrize("repair", [False, True])
    def test_as_many_differences_are_listed_as_are_counted_and_none_of_other_boards(
        self, now: datetime, repair: bool, caplog: pytest.LogCaptureFixture
    ) -> None:
        board = make_board("redis", now, name="Set back", ties="dense")
        period = crowd(board, {"a": 1, "b": 2}, now)
        set_back(period, {"a": 10, "newcomer": 5}, now)
        with redis_client() as client:
            client.zadd(period.family.scores, {"77": 77.0})
        other = crowd(make_board("hybrid", now, name="Other"), 3, now)

        def look(*given: Any) -> Any:  # the worker finds something elsewhere at the same time
            Difference.objects.create(period=other, player="p1", repaired=True, found_at=clock.now())
            return compare(*given)

        compare = verifying._Verification.compare_versions
        with patch.object(verifying._Verification, "compare_versions", look):
            arguments = ("--board", board.seq, *(["--repair"] if repair else []))
            printed = (run("verify", *arguments) if repair else refused("verify", *arguments)[1]).json

        [verified], listed = printed["verified"], printed["differences"]
        assert verified["differences"] == len(listed) == Difference.objects.filter(period=period).count()
        assert {each["board"] for each in listed} == {board.seq}
        whats = {each["what"] for each in listed}
        assert {verifying.MEMORY, verifying.DISTINCT} <= whats
        lines = [record.getMessage() for record in caplog.records if record.name == verifying.__name__]
        assert len(lines) == len(listed)
        assert all(line.startswith(f"board {board.seq} ('Set back'), period {period.label}: ") for line in lines)
        assert any(verifying.DISTINCT in line for line in lines)


def set_back(period: Period, later: dict[str, int], at: datetime) -> None:
    """Redis has the memory of the period as it was before these scored, and SQL has them."""
    with redis_client() as client:
        older = {key: client.dump(key) for key in period.family.all_keys if client.exists(key)}
        score(period.board, later, at)
        follow(period)
        client.delete(*period.family.all_keys)
        for key, value in older.items():
            client.restore(key, 0, value)


class TestRestart:
    @pytest.mark.parametrize("storage", ["hybrid", "redis"])
    def test_a_board_is_rebuilt_in_one_run_and_no_other_is_left_waiting(self, now: datetime, storage: str) -> None:
        period = crowd(make_board(storage, now), 3, now)
        others = [crowd(make_board(kind, now, name=f"Another {kind}"), 3, now) for kind in ("hybrid", "redis")]
        score(period.board, {"late": 9}, now)  # only Redis has it, where Redis decides
        if storage == "hybrid":
            redis.resync_client().call("ZADD", period.family.zset, 1e9, "ghost")
        restart_with(files())

        printed = run("rebuild", "--board", period.board_id).json

        follow(period)
        assert [each["settled"] for each in printed["rebuilt"]] == [True]
        assert printed["still_waiting"] == []
        assert not Period.objects.filter(stale_since__isnull=False).exists()
        assert in_redis(period) == in_sql(period)
        assert len(in_sql(period)) == 4
        for other in others:
            assert in_redis(other) == in_sql(other)

    def test_a_redis_board_whose_memory_is_gone_is_rebuilt(self, now: datetime) -> None:
        period = crowd(make_board("redis", now), 3, now)
        empty_boards()

        printed = run("rebuild", "--board", period.board_id).json

        assert [each["settled"] for each in printed["rebuilt"]] == [True]
        assert in_redis(period) == in_sql(period) != {}


def test_the_doctor_says_that_a_period_waits_since_when_and_what_to_do(now: datetime) -> None:
    period = crowd(make_board("redis", now), 3, now)
    since = now - timedelta(minutes=5)
    Period.objects.filter(pk=period.pk).update(stale_since=since)
    mirror_all()

    [line] = [each for each in doctor() if "stale period" in each]

    assert line.startswith(f"RED  stale period {period}: waits to be brought up to date since {since:%F %T} UTC; ")
    assert "0 standings" not in line
    assert "the worker resyncs it within seconds: see that it runs and what its log says" in line
    assert line.endswith(f"or run rebuild --board {period.board_id}")


@contextmanager
def frozen_redis() -> Iterator[list[socket.socket]]:
    """The boards' Redis takes connections and never answers; who came."""
    came: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take() -> None:
            while True:
                try:
                    came.append(server.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        address = {"LOCATION": f"redis://127.0.0.1:{server.getsockname()[1]}/0"}
        caches = {**settings.CACHES, "boards": {**settings.CACHES["boards"], **address}}
        redis.resync_client().reset()  # closes its connections, which nobody would
        redis.resync_client.cache_clear()
        try:
            with patch.object(settings, "CACHES", caches):
                yield came
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            redis.resync_client.cache_clear()
            for each in came:
                each.close()


@pytest.mark.parametrize("command", ["doctor", "rebuild", "verify"])
def test_a_frozen_redis_is_asked_once_and_told_away_within_five_seconds(now: datetime, command: str) -> None:
    period = crowd(make_board("redis", now), 3, now)
    began = clock.monotonic()

    with frozen_redis() as came:
        if command == "doctor":
            told = [line for line in doctor() if "Redis is away" in line]
        else:
            told = [refused(command, "--board", period.board_id)[0]]

    assert clock.monotonic() - began < 5
    assert len(came) == 1
    assert "asked once" in told[0]
    assert len(told) == (4 if command == "doctor" else 1)
    if command == "doctor":
        for unasked in ("unmirrored standings", "sync states"):
            assert any(f"{unasked}: skipped, because Redis is away" in line for line in told)
