"""Write standings and ids to DynamoDB: each write by conditions, so that it is done once or not at all.

A standing has a ``token``, new with each write: a write that was decided by an older one is refused. Standing, ids and
the counter of players change in one transaction. The trap: an id is kept for ``ID_DAYS``, and DynamoDB may delete it
some days later.
"""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from foundation import clock
from foundation.chunks import in_chunks
from leaderboards.core import dynamodb_keys as keys
from leaderboards.core.dynamodb_keys import ItemKey
from leaderboards.core.packing.layout import Packed
from leaderboards.core.ranking.policies import StandingState
from leaderboards.models import Period
from leaderboards.stores.dynamodb.client import READ_SECONDS, Item, Refused, client, gather, key_item, pause
from leaderboards.stores.dynamodb.table import EXPIRES

ID_DAYS = 8
MOST_IDS = 90  # of one write: a transaction has at most a hundred items
_DELETED_AT_ONCE = 25
_NEW = "attribute_not_exists(pk)"
_SAME = "#token = :token"
_CONDITION_FAILED = ("ConditionalCheckFailedException", "ConditionalCheckFailed")  # of a plain write, of a transaction


class Overtaken(Exception):
    """The standing is another one since it was read; nothing was done."""


class IdUsed(Exception):
    """One of the ids was used meanwhile; nothing was done."""


@dataclass(frozen=True, slots=True)
class StoredStanding:
    """A standing as it is stored; ``token`` is that of its last write."""

    player: str
    packed: Packed
    state: StandingState
    token: str


@dataclass(frozen=True, slots=True)
class CountedId:
    """An id that has counted: in the period of ``label``, with the content of ``proof`` (``dynamodb_keys.proof``)."""

    key: ItemKey
    label: str
    proof: str


class DynamoWriter:
    """Reads what a decision needs, and writes what was decided. Every method raises ``StorageUnavailable``.

    ``deadline`` is when no further call is begun, in monotonic seconds.
    """

    def __init__(self, deadline: float | None = None) -> None:
        self._client = client()
        self._deadline = clock.monotonic() + READ_SECONDS if deadline is None else deadline

    def look_up(self, period: Period, players: Sequence[str]) -> dict[str, StoredStanding]:
        """Return the standings of those of these players who have one."""
        found = self._client.get(self._deadline, [_key(period, player) for player in players])
        return {key.sort: _standing(key.sort, item) for key, item in found.items()}

    def look_up_ids(self, wanted: Sequence[ItemKey]) -> dict[ItemKey, CountedId]:
        """Return the ids among ``wanted`` (``dynamodb_keys.entry_id``) that have counted."""
        found = self._client.get(self._deadline, wanted)
        return {key: CountedId(key, item["label"]["S"], item["proof"]["S"]) for key, item in found.items()}

    def write(
        self, period: Period, old: StoredStanding | None, new: StoredStanding | None, ids: Sequence[CountedId]
    ) -> None:
        """Write a changed standing (``new``; None if it stays) and at most ``MOST_IDS`` ids, or nothing at all.

        Raises ``Overtaken``, ``IdUsed``, and ``OutcomeUnknown`` if it may have been done.
        """
        items: list[Item] = []
        if new is not None:
            items.append({"Put": self._put(_standing_item(period, new), **_unless_changed(old))})
        elif old is not None:
            items.append({"ConditionCheck": self._at(_key(period, old.player), **_unless_changed(old))})
        items += [{"Put": self._put(_id_item(each), ConditionExpression=_NEW)} for each in ids]
        if new is not None and old is None:
            items.append(self._count(period, new.player, 1))
        self._transact(items, has_standing=old is not None or new is not None)

    def remove(self, period: Period, old: StoredStanding) -> None:
        """Remove a player's standing. Raises ``Overtaken``, and ``OutcomeUnknown`` if it may have been done."""
        gone = {"Delete": self._at(_key(period, old.player), **_unless_changed(old))}
        self._transact([gone, self._count(period, old.player, -1)], has_standing=True)

    def walk(self, period: Period) -> Iterator[StoredStanding]:
        """Yield every standing of the period, shard by shard; each page has a deadline of its own."""
        for shard in _shards(period):
            for item in self._client.walk(shard):
                yield _standing(item["sk"]["S"], item)

    def delete_period(self, period: Period) -> None:
        """Delete everything of a period but its ids, which expire by themselves. It may be interrupted and repeated."""
        for partition in (*_shards(period), keys.counters(period.board_id, period.label)):
            self._delete([ItemKey(partition, item["sk"]["S"]) for item in self._client.walk(partition)])

    def delete_standing(self, period: Period, player: str) -> None:
        """Delete what is left of a player in a final period, which nobody reads any more."""
        key = key_item(_key(period, player))
        self._client.call("delete_item", self._deadline, is_write=True, TableName=self._client.table, Key=key)

    def _transact(self, items: list[Item], has_standing: bool) -> None:
        """Send a transaction; a single item goes as a plain write, which costs half."""
        if not items:
            return
        try:
            if len(items) == 1 and "Put" in items[0]:
                self._client.call("put_item", self._deadline, is_write=True, **items[0]["Put"])
            else:
                self._client.call("transact_write_items", self._deadline, is_write=True, TransactItems=items)
        except Refused as error:
            if has_standing and error.reasons[0] in _CONDITION_FAILED:
                raise Overtaken from error
            raise IdUsed from error

    def _at(self, key: ItemKey, **condition: Any) -> Item:
        return {"TableName": self._client.table, "Key": key_item(key), **condition}

    def _put(self, item: Item, **condition: Any) -> Item:
        return {"TableName": self._client.table, "Item": item, **condition}

    def _count(self, period: Period, player: str, step: int) -> Item:
        return {
            "Update": self._at(
                keys.counter(period.board_id, period.label, player),
                UpdateExpression="ADD players :step",
                ExpressionAttributeValues={":step": {"N": str(step)}},
            )
        }

    def _delete(self, gone: Sequence[ItemKey]) -> None:
        gather([partial(self._delete_part, part) for part in in_chunks(gone, _DELETED_AT_ONCE)])

    def _delete_part(self, gone: Sequence[ItemKey]) -> None:
        left: Item = {self._client.table: [{"DeleteRequest": {"Key": key_item(key)}} for key in gone]}
        deadline = clock.monotonic() + READ_SECONDS
        while left:
            answer = self._client.call("batch_write_item", deadline, is_write=True, RequestItems=left)
            if left := answer.get("UnprocessedItems") or {}:
                pause()


def new_standing(period: Period, player: str, state: StandingState) -> StoredStanding:
    """Return the standing to write for a state. Raises ``OutOfRange`` if the layout cannot hold it."""
    return StoredStanding(player, period.layout.pack(state.value, state.at_ms, player), state, uuid.uuid4().hex)


def _shards(period: Period) -> list[str]:
    return keys.shards(period.board_id, period.label, period.write_shards)


def _key(period: Period, player: str) -> ItemKey:
    return keys.standing(period.board_id, period.label, period.write_shards, player)


def _unless_changed(old: StoredStanding | None) -> Item:
    if old is None:
        return {"ConditionExpression": _NEW}
    return {
        "ConditionExpression": _SAME,
        "ExpressionAttributeNames": {"#token": "token"},  # a reserved word
        "ExpressionAttributeValues": {":token": {"S": old.token}},
    }


def _standing_item(period: Period, standing: StoredStanding) -> Item:
    return {
        **key_item(_key(period, standing.player)),
        "place": {"S": keys.place(standing.packed.score, standing.packed.member)},
        "value": {"S": ",".join(map(str, standing.state.value))},
        "at": {"N": str(standing.state.at_ms)},
        "token": {"S": standing.token},
    }


def _standing(player: str, item: Item) -> StoredStanding:
    score, member = keys.score_and_member(item["place"]["S"])
    value = tuple(map(int, item["value"]["S"].split(",")))
    return StoredStanding(player, Packed(score, member), StandingState(value, int(item["at"]["N"])), item["token"]["S"])


def _id_item(counted: CountedId) -> Item:
    expires: datetime = clock.now() + timedelta(days=ID_DAYS)
    return {
        **key_item(counted.key),
        "label": {"S": counted.label},
        "proof": {"S": counted.proof},
        EXPIRES: {"N": str(int(expires.timestamp()))},
    }
