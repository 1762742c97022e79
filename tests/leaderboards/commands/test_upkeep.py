"""The commands that do the schedule's work by hand: close_periods, verify."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from foundation import clock
from tests.leaderboards.commands.calls import run
from tests.leaderboards.services.site import crowd, in_redis, in_sql, make_board, redis_client
from tests.links import links  # noqa: F401 (a fixture)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_close_periods_says_what_it_closed() -> None:
    now = clock.now()
    board = make_board("hybrid", now)
    period = crowd(board, 3, now)

    printed = run("close_periods", "--now", f"{now + timedelta(days=1, minutes=2):%Y-%m-%dT%H:%M:%SZ}")

    assert printed.json["closed"] == [
        {"board": board.seq, "label": period.label, "final": True, "players": 3, "detail": ""}
    ]
    assert run("close_periods").json["closed"] == []


def test_close_periods_fails_where_a_period_has_to_wait(capsys: pytest.CaptureFixture[str]) -> None:
    now = clock.now()
    period = crowd(make_board("redis", now), 3, now)
    with redis_client() as client:
        client.delete(period.family.gen)

    with pytest.raises(CommandError, match="Not final yet: "):
        call_command("close_periods", "--now", f"{now + timedelta(days=1, minutes=2):%Y-%m-%dT%H:%M:%SZ}")

    assert '"final": false' in capsys.readouterr().out


def test_verify_names_what_differs_and_repairs_it_if_asked_to(capsys: pytest.CaptureFixture[str]) -> None:
    now = clock.now()
    board = make_board("hybrid", now, tie_break="score")
    period = crowd(board, 3, now)
    with redis_client() as client:
        client.zincrby(period.family.zset, 4, "p1")

    with pytest.raises(CommandError, match="1 standings differ"):
        call_command("verify", "--board", str(board.seq))
    printed = run("verify", "--board", board.seq, "--repair").json

    assert '"repaired": false' in capsys.readouterr().out
    [found] = printed["differences"]
    assert (found["player"], found["repaired"]) == ("p1", True)
    assert found["in_redis"] == found["in_sql"] + 4
    assert in_redis(period) == in_sql(period)
    assert run("verify").json["differences"] == []


def test_verify_knows_only_boards_that_exist() -> None:
    with pytest.raises(CommandError, match="no board 999"):
        run("verify", "--board", 999)
