"""Putting messages into the outbox, and saying of one that it goes again or never.

A message is a row, written in the transaction that makes it true: a rollback takes both, a crash neither.
The caller derives the id from its own row, so that putting it in twice is putting it in once.
"""

import re
import secrets
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

import orjson
from django.db import transaction
from django.db.models import QuerySet

from foundation.audit import record
from foundation.audit.row_values import subject_kind
from foundation.errors import Invalid
from foundation.webhooks.models import WebhookDelivery, WebhookEndpoint

MOST_BYTES = 20_000
MOST_NAMED = 50  # messages, in an entry of the audit log
TEST_KIND = "test"

_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
KIND = re.compile(r"[a-z0-9_.]{1,50}")


def enqueue(kind: str, message_id: str, payload: Mapping[str, Any], at: datetime) -> None:
    """One row for each live endpoint that wants ``kind``, in the caller's transaction.

    ``message_id`` (letters, digits, hyphen, underscore) is the same whenever it is about the same. Raises
    ``Invalid`` for an id, a kind or a payload (20,000 bytes with its envelope) that cannot be sent.
    """
    enqueue_all(kind, {message_id: payload}, at)


def enqueue_all(kind: str, payloads: Mapping[str, Mapping[str, Any]], at: datetime) -> None:
    """The same for many messages of a kind, by their ids."""
    bodies = {message_id: _body(kind, message_id, payload, at) for message_id, payload in payloads.items()}
    told = [endpoint for endpoint in WebhookEndpoint.objects.filter(disabled_at=None) if endpoint.wants(kind)]
    rows = [_row(endpoint, kind, message_id, body, at) for endpoint in told for message_id, body in bodies.items()]
    WebhookDelivery.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True)


def enqueue_test(endpoint: WebhookEndpoint, at: datetime) -> WebhookDelivery:
    """A message that only says that it is a test, to one endpoint. Raises ``Invalid`` where that is disabled."""
    if endpoint.disabled_at is not None:
        raise Invalid(f"{endpoint} is disabled: enable it first.")
    message_id = f"test-{secrets.token_hex(8)}"
    row = _row(endpoint, TEST_KIND, message_id, _body(TEST_KIND, message_id, {"endpoint": endpoint.name}, at), at)
    row.save()
    return row


@transaction.atomic
def replay(deliveries: QuerySet[WebhookDelivery], at: datetime) -> int:
    """Send those that are over (dead, dropped or delivered) again, from the first try; returns how many."""
    over = deliveries.filter(next_try_at=None)
    _record("webhook.replayed", over, at)
    return over.update(next_try_at=at, tries=0, delivered_at=None, dead_at=None, dropped_at=None)


def blank(message_ids: Collection[str], name: str) -> int:
    """Empty a text of these messages' ``data``, sent or not: for what is to be forgotten. Messages without it stay as
    they are. Returns how many had it, one for each endpoint. A message that is sent again is signed as it is then."""
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
    """Give up those that were not delivered; returns how many."""
    undelivered = deliveries.filter(delivered_at=None, dropped_at=None)
    _record("webhook.dropped", undelivered, at)
    return undelivered.update(dropped_at=at, next_try_at=None, dead_at=None)


def _record(act: str, deliveries: QuerySet[WebhookDelivery], at: datetime) -> None:
    """One entry for all of them, before they change; none for none."""
    rows = list(deliveries.select_for_update(of=("self",)).order_by("pk").values_list("message_id", "endpoint"))
    if rows:
        endpoints = [(subject_kind(WebhookEndpoint), number) for number in sorted({each for _, each in rows})]
        told = [message for message, _ in rows[:MOST_NAMED]]
        record(act, at=at, subjects=endpoints, note={"number": len(rows), "messages": told})


def _row(endpoint: WebhookEndpoint, kind: str, message_id: str, body: str, at: datetime) -> WebhookDelivery:
    return WebhookDelivery(
        endpoint=endpoint, kind=kind, message_id=message_id, body=body, created_at=at, next_try_at=at
    )


def _body(kind: str, message_id: str, payload: Mapping[str, Any], at: datetime) -> str:
    if not _ID.fullmatch(message_id):
        raise Invalid(f"A message's id is 1 to 100 letters, digits, hyphens or underscores; got {message_id!r}.")
    if not KIND.fullmatch(kind):
        raise Invalid(f"A message's kind is 1 to 50 small letters, digits, dots or underscores; got {kind!r}.")
    envelope = {"type": kind, "timestamp": at, "data": payload}
    body = orjson.dumps(envelope, option=orjson.OPT_UTC_Z)
    if len(body) > MOST_BYTES:
        raise Invalid(f"A message has at most {MOST_BYTES:,} bytes; {message_id} has {len(body):,}.")
    return body.decode()
