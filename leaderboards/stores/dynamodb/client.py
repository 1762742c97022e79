"""Ask DynamoDB: every call within a deadline, and repeated only where nothing was done.

Credentials are found by boto3's own chain. boto3 is an optional extra, so it is imported when it is first needed.
botocore would repeat writes by itself, which is switched off: here a call is repeated only after an answer that says it
was refused (throttled, or in conflict with another transaction). The trap: a write without an answer may be done.
"""

import logging
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple, TypeVar

from foundation import clock
from foundation.chunks import in_chunks
from foundation.messages import Message
from foundation.sunwi_settings import sunwi_settings
from leaderboards.core.dynamodb_keys import ItemKey
from leaderboards.errors import OutcomeUnknown, StorageUnavailable

logger = logging.getLogger(__name__)

Item = dict[str, Any]
Answer = TypeVar("Answer")

CONNECT_SECONDS, ANSWER_SECONDS = 0.25, 0.75
READ_SECONDS = 2.0  # for all calls of one read
THREADS = 32  # calls under way at the same time in one process
BREAK_SECONDS = 1.0  # after a call without an answer no other is tried
_PAUSES = (0.01, 0.08)  # seconds before a repetition, by chance
_REPEATED = {
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "TransactionConflictException",
    "TransactionInProgressException",
}
_REPEATED_REASONS = {"None", "ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"}
_BATCH = 100  # keys of one BatchGetItem
PAGE = 1000  # items of one query that walks a partition
INDEX = "place"
_CONDITIONS: dict[tuple[str, ...], str] = {
    (): "",
    ("above",): " AND place > :above",
    ("below",): " AND place < :below",
    ("least",): " AND place >= :least",
    ("most",): " AND place <= :most",
    ("least", "most"): " AND place BETWEEN :least AND :most",
}


class ShardQuery(NamedTuple):
    """Up to ``limit`` places of a shard; ``bounds`` has ``above``, ``below``, ``least``, ``most``, or the last two."""

    shard: str
    limit: int
    bounds: Mapping[str, str]
    is_ascending: bool = True


class Refused(Exception):
    """DynamoDB refused a write by its conditions; ``reasons`` has a code for each item of a transaction."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(", ".join(reasons))
        self.reasons = list(reasons)


def unavailable() -> StorageUnavailable:
    """The refusal while DynamoDB does not answer."""
    return StorageUnavailable(Message("The server that stores this board does not answer; try again."))


def pause() -> None:
    """Wait before a call that DynamoDB had no capacity for is repeated."""
    time.sleep(random.uniform(*_PAUSES))  # noqa: S311 - so that those who met do not meet again


def is_installed() -> bool:
    """Whether boto3 is there."""
    try:
        import boto3  # noqa: F401 - whether it can be imported is the question
    except ImportError:
        return False
    return True


def errors_of_boto() -> tuple[type[Exception], ...]:
    """Everything that a call of boto3's client raises, once there is one."""
    from botocore.exceptions import BotoCoreError, ClientError

    return BotoCoreError, ClientError


def make_client() -> Any:
    """A client of boto3. Raises ``StorageUnavailable`` without boto3, or without a region."""
    try:
        import boto3
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError
    except ImportError as error:
        raise StorageUnavailable(Message("boto3 is not installed: install sunwi[dynamodb].")) from error
    config = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=ANSWER_SECONDS,
        retries={"total_max_attempts": 1},
        max_pool_connections=THREADS,
    )
    try:
        return boto3.session.Session().client(
            "dynamodb",
            endpoint_url=sunwi_settings.DYNAMODB_ENDPOINT or None,
            region_name=sunwi_settings.DYNAMODB_REGION or None,
            config=config,
        )
    except (BotoCoreError, ValueError) as error:
        logger.error("DynamoDB cannot be asked: %s", error)  # noqa: TRY400 - the sentence says it all
        raise StorageUnavailable(Message("DynamoDB cannot be asked; see the log.")) from error


class DynamoClient:
    """The table of this site. One for each process and address; it may be used by many threads."""

    def __init__(self, table: str) -> None:
        self.table = table
        self._client = make_client()
        self._away_until = 0.0

    def call(self, operation: str, deadline: float, *, is_write: bool = False, **arguments: Any) -> Item:
        """Call an operation of boto3's client until ``deadline`` (monotonic). Raises ``StorageUnavailable``.

        A write raises ``Refused`` if its conditions did not hold, and ``OutcomeUnknown`` if it may have been done.
        """
        from botocore import exceptions

        while True:
            now = clock.monotonic()
            if now >= deadline or now < self._away_until:
                raise unavailable()
            try:
                answer: Item = getattr(self._client, operation)(**arguments)
            except exceptions.ClientError as error:
                self._judge(error, is_write)
                pause()
            except exceptions.BotoCoreError as error:
                raise self._silent(error, is_write) from error
            else:
                self._away_until = 0.0
                return answer

    def places(self, deadline: float, query: ShardQuery) -> list[str]:
        """Return the places of a shard, in order."""
        return [item["place"]["S"] for answer in self._pages(deadline, query) for item in answer["Items"]]

    def count(self, deadline: float, query: ShardQuery) -> int:
        """Count the places of a shard, up to the limit."""
        return sum(answer["Count"] for answer in self._pages(deadline, query, "COUNT"))

    def walk(self, partition: str) -> Iterator[Item]:
        """Yield the items of a partition key, read consistently; each page has a deadline of its own."""
        asked: Item = {
            "TableName": self.table,
            "ConsistentRead": True,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": partition}},
            "Limit": PAGE,
        }
        after: Item = {}
        while True:
            answer = self.call("query", clock.monotonic() + READ_SECONDS, **asked, **after)
            yield from answer["Items"]
            if not (last := answer.get("LastEvaluatedKey")):
                return
            after = {"ExclusiveStartKey": last}

    def get(self, deadline: float, keys: Sequence[ItemKey]) -> dict[ItemKey, Item]:
        """Return the items that there are, read consistently."""
        found = gather([partial(self._get, deadline, part) for part in in_chunks(dict.fromkeys(keys), _BATCH)])
        return {key: item for each in found for key, item in each.items()}

    def _get(self, deadline: float, keys: Sequence[ItemKey]) -> dict[ItemKey, Item]:
        items: list[Item] = []
        left: Item = {self.table: {"ConsistentRead": True, "Keys": [key_item(key) for key in keys]}}
        while left:
            answer = self.call("batch_get_item", deadline, RequestItems=left)
            items += answer["Responses"].get(self.table, [])
            if left := answer.get("UnprocessedKeys") or {}:
                pause()
        return {ItemKey(item["pk"]["S"], item["sk"]["S"]): item for item in items}

    def _pages(self, deadline: float, query: ShardQuery, select: str = "ALL_PROJECTED_ATTRIBUTES") -> list[Item]:
        values = {":pk": {"S": query.shard}} | {f":{name}": {"S": text} for name, text in query.bounds.items()}
        asked: Item = {
            "TableName": self.table,
            "IndexName": INDEX,
            "ConsistentRead": True,
            "KeyConditionExpression": f"pk = :pk{_CONDITIONS[tuple(query.bounds)]}",
            "ExpressionAttributeValues": values,
            "ScanIndexForward": query.is_ascending,
            "Select": select,
        }
        answers: list[Item] = []
        left, after = query.limit, dict[str, Any]()
        while left > 0:
            answers.append(self.call("query", deadline, Limit=left, **asked, **after))
            left -= answers[-1]["Count"]
            if not (last := answers[-1].get("LastEvaluatedKey")):
                break
            after = {"ExclusiveStartKey": last}
        return answers

    def _judge(self, error: Any, is_write: bool) -> None:
        """Return if the call is to be repeated, else raise. Nothing was done, unless the server failed."""
        code = error.response["Error"]["Code"]
        if code in _REPEATED:
            return
        if code == "ConditionalCheckFailedException":
            raise Refused([code]) from error
        if code == "TransactionCanceledException":
            reasons = [each.get("Code", "None") for each in error.response.get("CancellationReasons", [])]
            if "ConditionalCheckFailed" in reasons:
                raise Refused(reasons) from error
            if _REPEATED_REASONS.issuperset(reasons):
                return
        if error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) >= 500:
            raise self._silent(error, is_write) from error
        if code in ("ValidationException", "SerializationException"):
            raise error
        logger.error("DynamoDB refuses: %s", error)
        raise unavailable() from error

    def _silent(self, error: Any, is_write: bool) -> StorageUnavailable | OutcomeUnknown:
        from botocore import exceptions

        logger.warning("DynamoDB does not answer: %s", error)
        self._away_until = clock.monotonic() + BREAK_SECONDS
        unsent = (
            exceptions.EndpointConnectionError,
            exceptions.ConnectTimeoutError,
            exceptions.NoCredentialsError,
            exceptions.CredentialRetrievalError,
            exceptions.NoRegionError,
            exceptions.ProxyConnectionError,
        )
        if not is_write or isinstance(error, unsent):
            return unavailable()
        return OutcomeUnknown(Message("The store did not answer in time; send entries that have an `id` again."))


def key_item(key: ItemKey) -> Item:
    """Return a key as boto3 takes it."""
    return {"pk": {"S": key.partition}, "sk": {"S": key.sort}}


def client() -> DynamoClient:
    """The client of this process for the table that the settings name. Raises ``StorageUnavailable``."""
    named = (sunwi_settings.DYNAMODB_ENDPOINT, sunwi_settings.DYNAMODB_REGION, sunwi_settings.DYNAMODB_TABLE)
    return _client_for(*named)


@lru_cache(maxsize=4)
def _client_for(_endpoint: str, _region: str, table: str) -> DynamoClient:
    return DynamoClient(table)


def gather(calls: Sequence[Callable[[], Answer]]) -> list[Answer]:
    """Make all calls at the same time and return their answers; if any raises, the first error is raised at the end.

    A call must not gather itself, nor use SQL.
    """
    if len(calls) == 1:
        return [calls[0]()]
    futures = [_threads().submit(call) for call in calls]
    errors = [error for future in futures if (error := future.exception()) is not None]
    if errors:
        raise errors[0]
    return [future.result() for future in futures]


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="dynamodb")


def forget_clients() -> None:
    """Forget what is known of servers (for tests)."""
    _client_for.cache_clear()
