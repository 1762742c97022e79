"""Adding messages to the outbox, replaying and dropping them.

A message is a row that is written in the transaction of the change it reports. The caller derives the message id from
its own row, so that adding it twice has no effect: from the row's number and the moment of the event (``event_id``).
"""

import re
import secrets
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
from django.db import transaction
from django.db.models import QuerySet

from foundation.audit import record
from foundation.audit.row_values import subject_kind
from foundation.errors import Invalid
from foundation.messages import Message
from foundation.webhooks.models import WebhookDelivery, WebhookEndpoint

MOST_BYTES = 20_000
MOST_NAMED = 50  # message ids in an audit entry
TEST_KIND = "test"

_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
KIND = re.compile(r"[a-z0-9_.]{1,50}")
_EPOCH, _MILLISECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(milliseconds=1)


def event_id(name: str, at: datetime) -> str:
    """Return the message id of an event: ``name``, a hyphen, and ``at`` in milliseconds since 1970.

    ``name`` holds the number of the row, ``at`` (aware) is the moment of the event as that row has it. A repeat has the
    same id; after a restore of SQL, when numbers are given again, another event with the number has another one.
    """
    return f"{name}-{(at - _EPOCH) // _MILLISECOND}"


def enqueue(kind: str, message_id: str, payload: Mapping[str, Any], at: datetime) -> None:
    """Add one row for each enabled endpoint that wants ``kind``, in the caller's transaction.

    ``message_id`` (letters, digits, hyphen, underscore) must be the same for the same event, and never that of another
    one (``event_id``). Raises ``Invalid`` for a bad id or kind, and for a payload over 20,000 bytes with its envelope.
    """
    enqueue_all(kind, {message_id: payload}, at)


def enqueue_all(kind: str, payloads: Mapping[str, Mapping[str, Any]], at: datetime) -> None:
    """As ``enqueue``, for many messages of a kind: payloads by message id."""
    bodies = {message_id: _body(kind, message_id, payload, at) for message_id, payload in payloads.items()}
    endpoints = [endpoint for endpoint in WebhookEndpoint.objects.filter(disabled_at=None) if endpoint.wants(kind)]
    rows = [_row(endpoint, kind, message_id, body, at) for endpoint in endpoints for message_id, body in bodies.items()]
    WebhookDelivery.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True)


def enqueue_test(endpoint: WebhookEndpoint, at: datetime) -> WebhookDelivery:
    """Add a test message to one endpoint. Raises ``Invalid`` if the endpoint is disabled."""
    if endpoint.disabled_at is not None:
        raise Invalid(Message("%(endpoint)s is disabled: enable it first.", endpoint=endpoint))
    message_id = f"test-{secrets.token_hex(8)}"
    row = _row(endpoint, TEST_KIND, message_id, _body(TEST_KIND, message_id, {"endpoint": endpoint.name}, at), at)
    row.save()
    return row


@transaction.atomic
def replay(deliveries: QuerySet[WebhookDelivery], at: datetime) -> int:
    """Send the deliveries that are dead, dropped or delivered again, from the first try; return how many."""
    finished = deliveries.filter(next_try_at=None)
    _record("webhook.replayed", finished, at)
    return finished.update(next_try_at=at, tries=0, delivered_at=None, dead_at=None, dropped_at=None)


def blank(message_ids: Collection[str], name: str) -> int:
    """Empty the text ``name`` in these messages' ``data``, sent or not, to erase it; return how many rows had it.

    If such a message is sent again, the changed body is signed.
    """
    changed = []
    rows = WebhookDelivery.objects.select_for_update(of=("self",)).filter(
        endpoint__in=WebhookEndpoint.objects.values("pk"), message_id__in=message_ids
    )
    for row in rows.order_by("pk"):
        envelope = orjson.loads(row.body)
        if envelope["data"].get(name):
            envelope["data"][name] = ""
            row.body = orjson.dumps(envelope).decode()
            changed.append(row)
    return WebhookDelivery.objects.bulk_update(changed, ["body"], batch_size=500)


@transaction.atomic
def drop(deliveries: QuerySet[WebhookDelivery], at: datetime) -> int:
    """Give up the deliveries that were not delivered; return how many."""
    undelivered = deliveries.filter(delivered_at=None, dropped_at=None)
    _record("webhook.dropped", undelivered, at)
    return undelivered.update(dropped_at=at, next_try_at=None, dead_at=None)


def _record(act: str, deliveries: QuerySet[WebhookDelivery], at: datetime) -> None:
    """Lock the deliveries, and record one audit entry for all of them before they change; none if there are none."""
    rows = list(deliveries.select_for_update(of=("self",)).order_by("pk").values_list("message_id", "endpoint"))
    if rows:
        endpoints = [(subject_kind(WebhookEndpoint), number) for number in sorted({each for _, each in rows})]
        message_ids = [message for message, _ in rows[:MOST_NAMED]]
        record(act, at=at, subjects=endpoints, note={"number": len(rows), "messages": message_ids})


def _row(endpoint: WebhookEndpoint, kind: str, message_id: str, body: str, at: datetime) -> WebhookDelivery:
    return WebhookDelivery(
        endpoint=endpoint, kind=kind, message_id=message_id, body=body, created_at=at, next_try_at=at
    )


def _body(kind: str, message_id: str, payload: Mapping[str, Any], at: datetime) -> str:
    if not _ID.fullmatch(message_id):
        raise Invalid(f"A message's id must be 1 to 100 letters, digits, hyphens or underscores; got {message_id!r}.")
    if not KIND.fullmatch(kind):
        raise Invalid(f"A message's kind must be 1 to 50 small letters, digits, dots or underscores; got {kind!r}.")
    envelope = {"type": kind, "timestamp": at, "data": payload}
    body = orjson.dumps(envelope, option=orjson.OPT_UTC_Z)
    if len(body) > MOST_BYTES:
        raise Invalid(f"{message_id} has {len(body):,} bytes; at most {MOST_BYTES:,} are sent: shorten its payload.")
    return body.decode()
