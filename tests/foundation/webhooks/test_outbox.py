"""Putting messages into the outbox: once each, for whom it concerns, together with what it tells of."""

import json
from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction

from foundation.errors import Invalid
from foundation.webhooks import outbox
from foundation.webhooks.models import WebhookDelivery
from tests.foundation.factories import WebhookEndpointFactory

pytestmark = pytest.mark.django_db

AT = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)


def enqueue(kind: str = "order.paid", message_id: str = "order-1", **payload: object) -> None:
    outbox.enqueue(kind=kind, message_id=message_id, payload=payload, at=AT)


def told() -> list[tuple[str, str]]:
    return sorted(WebhookDelivery.objects.values_list("endpoint__name", "message_id"))


def test_each_live_endpoint_that_wants_the_kind_is_told_once() -> None:
    WebhookEndpointFactory.create(name="all")
    WebhookEndpointFactory.create(name="some", kinds=["order.paid", "order.sent"])
    WebhookEndpointFactory.create(name="others", kinds=["order.lost"])
    WebhookEndpointFactory.create(name="disabled", disabled_at=AT)
    enqueue()
    WebhookEndpointFactory.create(name="later")

    enqueue()

    assert told() == [("all", "order-1"), ("later", "order-1"), ("some", "order-1")]


def test_a_row_is_due_at_once_and_holds_the_envelope() -> None:
    WebhookEndpointFactory.create()

    enqueue(amount=5, name="순위")

    row = WebhookDelivery.objects.get()
    assert (row.next_try_at, row.created_at, row.tries) == (AT, AT, 0)
    assert json.loads(row.body) == {
        "type": "order.paid",
        "timestamp": "2026-11-21T12:30:00Z",
        "data": {"amount": 5, "name": "순위"},
    }


def test_a_rollback_takes_the_message_too() -> None:
    WebhookEndpointFactory.create()

    with transaction.atomic():
        enqueue()
        transaction.set_rollback(True)

    assert told() == []


@pytest.mark.parametrize(
    ("part", "values"),
    [
        ("message_id", ["", "a" * 101, "a.b", "a b", "a\nb", "순위"]),
        ("kind", ["", "Paid", "a b", "a" * 51]),
    ],
)
def test_an_id_that_no_header_can_carry_and_a_kind_that_is_none_are_refused(part: str, values: list[str]) -> None:
    for value in values:
        with pytest.raises(Invalid, match=f"A message's {part.removeprefix('message_')}"):
            enqueue(**{part: value})


def test_a_message_of_more_than_20_000_bytes_is_refused() -> None:
    WebhookEndpointFactory.create(name="shop")
    frame = len('{"type":"order.paid","timestamp":"2026-11-21T12:30:00Z","data":{"text":""}}')

    enqueue(text="x" * (20_000 - frame))
    with pytest.raises(Invalid, match="has 20,001"):
        enqueue(message_id="order-2", text="x" * (20_001 - frame))

    assert told() == [("shop", "order-1")]


def test_a_test_message_goes_to_one_endpoint_whatever_it_wants_unless_that_is_disabled() -> None:
    endpoint = WebhookEndpointFactory.create(name="shop", kinds=["order.paid"])
    disabled = WebhookEndpointFactory.create(name="closed", disabled_at=AT)

    one, other = outbox.enqueue_test(endpoint, AT), outbox.enqueue_test(endpoint, AT)
    with pytest.raises(Invalid, match="closed is disabled: enable it first"):
        outbox.enqueue_test(disabled, AT)

    assert told() == sorted([("shop", one.message_id), ("shop", other.message_id)])
    assert json.loads(one.body)["type"] == "test"


@pytest.mark.parametrize("over", ["delivered_at", "dead_at", "dropped_at"])
def test_what_is_over_is_sent_again_from_the_first_try(over: str) -> None:
    WebhookEndpointFactory.create()
    enqueue()
    WebhookDelivery.objects.update(**{"next_try_at": None, "tries": 10, over: AT})

    assert outbox.replay(WebhookDelivery.objects.all(), AT) == 1

    row = WebhookDelivery.objects.get()
    assert (row.next_try_at, row.tries, getattr(row, over)) == (AT, 0, None)
    assert outbox.replay(WebhookDelivery.objects.all(), AT) == 0


def test_what_waits_or_is_dead_can_be_dropped_and_what_arrived_cannot() -> None:
    WebhookEndpointFactory.create()
    for message_id, state in {"waits": "next_try_at", "dead": "dead_at", "arrived": "delivered_at"}.items():
        enqueue(message_id=message_id)
        WebhookDelivery.objects.filter(message_id=message_id).update(**{"next_try_at": None, state: AT})

    assert outbox.drop(WebhookDelivery.objects.all(), AT) == 2

    dropped = dict(WebhookDelivery.objects.values_list("message_id", "dropped_at"))
    assert dropped == {"waits": AT, "dead": AT, "arrived": None}


@pytest.mark.parametrize("states", [{"next_try_at": None}, {"dead_at": AT}])
def test_a_message_is_in_exactly_one_state(states: dict[str, datetime | None]) -> None:
    WebhookEndpointFactory.create()
    enqueue()

    with pytest.raises(IntegrityError), transaction.atomic():
        WebhookDelivery.objects.update(**states)
