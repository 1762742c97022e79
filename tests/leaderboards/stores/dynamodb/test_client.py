"""Asking DynamoDB: nobody waits for long, and a call is repeated only after an answer that says it did nothing."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError, ReadTimeoutError

from foundation import clock
from leaderboards.core.dynamodb_keys import ItemKey
from leaderboards.errors import OutcomeUnknown, StorageUnavailable
from leaderboards.stores.dynamodb import client as module
from leaderboards.stores.dynamodb.client import DynamoClient, Refused, gather
from leaderboards.stores.dynamodb.table import create_table, table_problem
from tests.dynamodb import CREDENTIALS
from tests.ports import free_port

CONTENTION = (
    "ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException",
    "TransactionConflictException", "TransactionInProgressException",
)  # fmt: skip  # as a line


def answers(code: str, status: int = 400, **more: Any) -> ClientError:
    response: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}, **more}
    return ClientError(response, "TransactWriteItems")


def cancelled(*codes: str) -> ClientError:
    return answers("TransactionCanceledException", CancellationReasons=[{"Code": code} for code in codes])


class Scripted:
    """boto3's client, which fails as it is told and then answers; ``calls`` are how often it was asked."""

    def __init__(self, *failures: Exception) -> None:
        self.failures, self.calls = list(failures), 0

    def operation(self, **_asked: Any) -> dict[str, Any]:
        self.calls += 1
        if self.failures:
            raise self.failures.pop(0)
        return {"answered": True}


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[DynamoClient, Scripted]]:
    """A client over a server that fails as the test says."""

    def make(*failures: Exception) -> tuple[DynamoClient, Scripted]:
        server = Scripted(*failures)
        monkeypatch.setattr(module, "make_client", lambda: server)
        return DynamoClient("tests"), server

    return make


def soon(seconds: float = 5.0) -> float:
    return clock.monotonic() + seconds


@pytest.mark.parametrize("is_write", [True, False])
@pytest.mark.parametrize("failure", [*map(answers, CONTENTION), cancelled("None", "TransactionConflict")], ids=str)
def test_what_was_refused_for_now_is_asked_again(scripted: Any, failure: Exception, is_write: bool) -> None:
    client, server = scripted(failure, failure)

    assert client.call("operation", soon(), is_write=is_write) == {"answered": True}
    assert server.calls == 3


def test_what_is_refused_for_now_for_too_long_is_unavailable(scripted: Any) -> None:
    client, server = scripted(*[answers("ThrottlingException") for _ in range(1000)])

    with pytest.raises(StorageUnavailable):
        client.call("operation", soon(0.2), is_write=True)

    assert 2 < server.calls < 1000


def test_conditions_that_do_not_hold_are_told_one_by_one(scripted: Any) -> None:
    client, server = scripted(cancelled("None", "ConditionalCheckFailed"), answers("ConditionalCheckFailedException"))

    for reasons in (["None", "ConditionalCheckFailed"], ["ConditionalCheckFailedException"]):
        with pytest.raises(Refused) as refusal:
            client.call("operation", soon(), is_write=True)
        assert refusal.value.reasons == reasons
    assert server.calls == 2


@pytest.mark.parametrize(
    "failure", [ReadTimeoutError(endpoint_url="http://x"), answers("InternalServerError", status=500)], ids=str
)
def test_a_write_without_an_answer_is_not_repeated_and_its_outcome_is_unknown(
    scripted: Any, failure: Exception
) -> None:
    client, server = scripted(failure)

    with pytest.raises(OutcomeUnknown):
        client.call("operation", soon(), is_write=True)

    assert server.calls == 1


@pytest.mark.parametrize(
    "failure",
    [
        EndpointConnectionError(endpoint_url="http://x"),
        NoCredentialsError(),
        answers("AccessDeniedException"),
        cancelled("None", "ItemCollectionSizeLimitExceeded"),
    ],
    ids=str,
)
def test_a_write_that_was_never_begun_is_unavailable(scripted: Any, failure: Exception) -> None:
    client, server = scripted(failure)

    with pytest.raises(StorageUnavailable):
        client.call("operation", soon(), is_write=True)

    assert server.calls == 1


def test_after_a_silent_server_no_other_call_waits_for_a_second(scripted: Any, stopped_clock: list[float]) -> None:
    client, server = scripted(ReadTimeoutError(endpoint_url="http://x"))

    for _ in range(3):
        with pytest.raises(StorageUnavailable):
            client.call("operation", soon())
    assert server.calls == 1
    stopped_clock[0] += module.BREAK_SECONDS

    assert client.call("operation", soon()) == {"answered": True}


def test_a_request_that_is_wrong_is_no_outage(scripted: Any) -> None:
    client, _server = scripted(answers("ValidationException"))

    with pytest.raises(ClientError):
        client.call("operation", soon())


def test_calls_made_together_all_end_before_the_first_error_is_raised() -> None:
    ended = []

    def fail() -> None:
        raise ValueError("the first")

    def end() -> None:
        time.sleep(0.05)
        ended.append(True)

    with pytest.raises(ValueError, match="the first"):
        gather([fail, end, end])

    assert ended == [True, True]


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held = list[socket.socket]()
        thread = threading.Thread(target=_take_all, args=(server, held), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
    for each in held:
        each.close()


def _take_all(server: socket.socket, held: list[socket.socket]) -> None:
    while True:
        try:
            held.append(server.accept()[0])
        except OSError:
            return


@pytest.fixture
def _credentials(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    settings.DYNAMODB_REGION = "eu-central-1"


@pytest.mark.usefixtures("_credentials")
def test_a_silent_server_is_waited_for_once_and_not_for_long(silent: str, settings: Any) -> None:
    settings.DYNAMODB_ENDPOINT = silent
    client, begun = DynamoClient("tests"), time.monotonic()

    with pytest.raises(OutcomeUnknown):
        client.call("put_item", soon(), is_write=True, TableName="tests", Item={"pk": {"S": "a"}, "sk": {"S": "b"}})

    assert time.monotonic() - begun < 5 * (module.CONNECT_SECONDS + module.ANSWER_SECONDS)  # the machine may be busy


@pytest.mark.usefixtures("_credentials")
def test_a_port_where_nobody_listens_is_away(settings: Any) -> None:
    settings.DYNAMODB_ENDPOINT = f"http://127.0.0.1:{free_port()}"

    with pytest.raises(StorageUnavailable):
        DynamoClient("tests").get(soon(), [ItemKey("a", "b")])
    with pytest.raises(StorageUnavailable, match="does not do it"):
        table_problem()


def test_without_a_region_it_is_said_and_logged(
    settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    settings.DYNAMODB_REGION = settings.DYNAMODB_ENDPOINT = ""

    with pytest.raises(StorageUnavailable, match="see the log"):
        DynamoClient("tests")

    assert "You must specify a region" in caplog.text


def test_a_table_that_is_not_there_or_has_other_keys_is_told(dynamodb: Any, settings: Any) -> None:
    assert table_problem() == ""
    assert not create_table()  # once is enough
    settings.DYNAMODB_TABLE = "others"
    assert "There is no table 'others': run manage.py create_dynamodb_table." in table_problem()
    keys = [{"AttributeName": "id", "KeyType": "HASH"}]
    kinds = [{"AttributeName": "id", "AttributeType": "S"}]
    dynamodb.create_table(TableName="others", KeySchema=keys, AttributeDefinitions=kinds, BillingMode="PAY_PER_REQUEST")
    assert "has other keys" in table_problem()
    dynamodb.delete_table(TableName="others")


def test_a_table_whose_ids_would_never_expire_is_told(dynamodb: Any) -> None:
    dynamodb.update_time_to_live(
        TableName="tests", TimeToLiveSpecification={"Enabled": False, "AttributeName": "expires"}
    )

    assert "no time to live" in table_problem()
