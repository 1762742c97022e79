"""Operating boards in DynamoDB: the table, what doctor and checks say of it, and what has nothing to do there."""

import sys
from datetime import datetime
from io import StringIO
from typing import Any

import pytest
from django.core.checks.registry import registry
from django.core.management import call_command
from django.core.management.base import CommandError

from leaderboards.management.dynamodb_checks import boards_in_dynamodb_have_a_table, dynamodb_table
from leaderboards.management.findings import State
from tests.dynamodb import dynamodb, moto_address
from tests.leaderboards.commands.calls import run
from tests.leaderboards.factories import BoardFactory
from tests.playing import score

__all__ = ["dynamodb", "moto_address"]


def doctor(now: datetime) -> tuple[State, str]:
    [finding] = dynamodb_table(now)
    return finding.state, finding.detail


def test_the_table_is_made_once_and_what_is_wrong_with_it_is_printed(
    now: datetime, dynamodb: Any, settings: Any
) -> None:
    assert run("create_dynamodb_table").json == {"table": "tests", "made": False, "problem": ""}
    settings.DYNAMODB_TABLE = "another"
    assert run("create_dynamodb_table").json == {"table": "another", "made": True, "problem": ""}
    assert (
        dynamodb.describe_table(TableName="another")["Table"]["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    )
    dynamodb.delete_table(TableName="another")


def test_without_a_server_the_command_is_one_sentence(now: datetime, dynamodb: Any, settings: Any) -> None:
    settings.DYNAMODB_ENDPOINT = "http://127.0.0.1:1"

    with pytest.raises(CommandError, match="DynamoDB does not do it: Could not connect"):
        call_command("create_dynamodb_table")


def test_the_doctor_and_the_checks_look_at_the_table_once_a_board_is_there(
    now: datetime, dynamodb: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DYNAMODB_TABLE = "missing"
    assert boards_in_dynamodb_have_a_table in registry.get_checks(include_deployment_checks=True)
    assert (doctor(now), boards_in_dynamodb_have_a_table()) == ((State.OK, "no board is stored there"), [])
    BoardFactory.create(name="There", storage="dynamodb")

    no_table = "There is no table 'missing': run manage.py create_dynamodb_table."
    assert doctor(now) == (State.RED, no_table)
    assert [(each.id, each.msg) for each in boards_in_dynamodb_have_a_table()] == [("sunwi.E023", no_table)]

    settings.DYNAMODB_TABLE = "tests"
    assert (doctor(now), boards_in_dynamodb_have_a_table()) == ((State.OK, "the table tests is there"), [])

    settings.DYNAMODB_ENDPOINT = "http://127.0.0.1:1"
    [away] = boards_in_dynamodb_have_a_table()
    assert (away.id, away.level) == ("sunwi.I004", 20)
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("doctor", stdout=out)
    assert "RED  DynamoDB: DynamoDB does not do it: Could not connect" in out.getvalue()

    monkeypatch.setitem(sys.modules, "boto3", None)
    assert doctor(now)[0] is State.RED
    assert [each.msg for each in boards_in_dynamodb_have_a_table()] == [doctor(now)[1]]
    assert "install sunwi[dynamodb]" in doctor(now)[1]


def test_there_is_nothing_in_redis_to_rebuild_or_to_compare(now: datetime, dynamodb: Any) -> None:
    board = BoardFactory.create(name="There", storage="dynamodb")
    score(board.seq, {"a": 5})

    with pytest.raises(CommandError, match="keeps nothing in Redis"):
        run("rebuild", "--board", board.seq)
    with pytest.raises(CommandError, match="DynamoDB alone keeps its running period, so there is nothing to compare"):
        run("verify", "--board", board.seq)


def test_the_file_of_a_running_period_is_refused(now: datetime, dynamodb: Any) -> None:
    board = BoardFactory.create(name="There", storage="dynamodb")
    score(board.seq, {"a": 5})

    with pytest.raises(CommandError, match="there is no file before that"):
        run("export_standings", "--board", board.seq)
