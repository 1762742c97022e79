"""The table that all boards in DynamoDB share: how it is made, and what is wrong with the one that is there."""

from typing import Any

from foundation.messages import Message
from foundation.sunwi_settings import sunwi_settings
from leaderboards.errors import StorageUnavailable
from leaderboards.stores.dynamodb.client import INDEX, errors_of_boto, make_client

EXPIRES = "expires"  # the attribute by which DynamoDB deletes old ids
_KEYS = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
_PLACES = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "place", "KeyType": "RANGE"}]


def create_table() -> bool:
    """Create the table of the settings, paid by request, and wait until it is there; False if there is one already.

    Old ids expire by themselves. Raises ``StorageUnavailable``.
    """
    client, table = make_client(), sunwi_settings.DYNAMODB_TABLE
    try:
        if _describe(client, table) is not None:
            return False
        client.create_table(
            TableName=table,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "place")],
            KeySchema=_KEYS,
            LocalSecondaryIndexes=[
                {"IndexName": INDEX, "KeySchema": _PLACES, "Projection": {"ProjectionType": "KEYS_ONLY"}}
            ],
        )
        client.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 1, "MaxAttempts": 60})
        client.update_time_to_live(TableName=table, TimeToLiveSpecification={"Enabled": True, "AttributeName": EXPIRES})
    except errors_of_boto() as error:
        raise _refused(error) from error
    return True


def table_problem() -> str:
    """What is wrong with the table, in English; "" if nothing is. Raises ``StorageUnavailable`` if it is not told."""
    client, table = make_client(), sunwi_settings.DYNAMODB_TABLE
    try:
        found = _describe(client, table)
        if found is None:
            return f"There is no table {table!r}: run manage.py create_dynamodb_table."
        indexes = {each["IndexName"]: each["KeySchema"] for each in found.get("LocalSecondaryIndexes", [])}
        if found["KeySchema"] != _KEYS or indexes.get(INDEX) != _PLACES:
            return f"The table {table!r} has other keys than boards need: name another in DYNAMODB_TABLE."
        if found["TableStatus"] not in ("ACTIVE", "UPDATING"):
            return f"The table {table!r} is {found['TableStatus']}."
        expiry = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    except errors_of_boto() as error:
        raise _refused(error) from error
    if expiry.get("TimeToLiveStatus") not in ("ENABLED", "ENABLING") or expiry.get("AttributeName") != EXPIRES:
        return f"The table {table!r} has no time to live by {EXPIRES!r}: ids would be kept for ever."
    return ""


def _describe(client: Any, table: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = client.describe_table(TableName=table)["Table"]
    except client.exceptions.ResourceNotFoundException:
        return None
    return found


def _refused(error: Exception) -> StorageUnavailable:
    return StorageUnavailable(Message("DynamoDB does not do it: %(error)s", error=str(error)))
