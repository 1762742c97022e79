"""Putting messages into the outbox: once each, for whom it concerns, together with what it tells of."""

import json
from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction

from foundation.errors import Invalid
from foundation.webhooks import outbox
from foundation.webhooks.models import WebhookDelivery
from tests.foundation.webhooks.receiver import make_endpoint

pytestmark = pytest.mark.django_db

AT = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)


def enqueue(kind: str = "order.paid", message_id: str = "order-1", **payload: object) -> None:
    outbox.enqueue(kind=kind, message_id=message_id, payload=payload, at=AT)


def told() -> set[tuple[str, str]]:
    return set(WebhookDelivery.objects.values_list("endpoint__name", "message_id"))


def test_each_live_endpoint_that_wants_the_kind_gets_a_row() -> None:
    make_endpoint("all")
    make_endpoint("some", kinds=["order.paid", "order.sent"])
    make_endpoint("others", kinds=["order.lost"])
    make_endpoint("disabled", disabled_at=AT)

    enqueue()

    assert told() == {("all", "order-1"), ("some", "order-1")}


def test_a_row_is_due_at_once_and_holds_the_envelope() -> None:
    make_endpoint()

    enqueue(amount=5, name="순위")

    row = WebhookDelivery.objects.get()
    assert (row.next_try_at, row.created_at, row.tries) == (AT, AT, 0)
    assert json.loads(row.body) == {
        "type": "order.paid",
        "timestamp": "2026-11-21T12:30:00Z",
        "data": {"amount": 5, "name": "순위"},
    }


def test_twice_is_once() -> None:
    make_endpoint("one")
    enqueue()
    make_endpoint("later")

    enqueue()

    assert told() == {("one", "order-1"), ("later", "order-1")}
    assert WebhookDelivery.objects.count() == 2


def test_a_rollback_takes_the_message_too() -> None:
    make_endpoint()

    with transaction.atomic():
        enqueue()
        transaction.set_rollback(True)

    assert not WebhookDelivery.objects.exists()


@pytest.mark.parametrize("message_id", ["", "a" * 101, "a.b", "a b", "a\nb", "순위"])
def test_an_id_that_no_header_can_carry_is_refused(message_id: str) -> None:
    with pytest.raises(Invalid, match="A message's id"):
        enqueue(message_id=message_id)


@pytest.mark.parametrize("kind", ["", "Paid", "a b", "a" * 51])
def test_a_kind_that_is_none_is_refused(kind: str) -> None:
    with pytest.raises(Invalid, match="A message's kind"):
        enqueue(kind=kind)


def test_a_message_of_more_than_20_000_bytes_is_refused() -> None:
    make_endpoint()
    frame = len('{"type":"order.paid","timestamp":"2026-11-21T12:30:00Z","data":{"text":""}}')

    enqueue(text="x" * (20_000 - frame))
    with pytest.raises(Invalid, match="has 20,001"):
        enqueue(message_id="order-2", text="x" * (20_001 - frame))

    assert told() == {("shop", "order-1")}


def test_a_test_message_goes_to_one_endpoint_whatever_it_wants() -> None:
    endpoint = make_endpoint(kinds=["order.paid"])
    make_endpoint("other")

    one, other = outbox.enqueue_test(endpoint, AT), outbox.enqueue_test(endpoint, AT)

    assert told() == {("shop", one.message_id), ("shop", other.message_id)}
    assert json.loads(one.body)["type"] == "test"


def test_a_disabled_endpoint_is_not_tested() -> None:
    with pytest.raises(Invalid, match="shop is disabled: enable it first"):
        outbox.enqueue_test(make_endpoint(disabled_at=AT), AT)


@pytest.mark.parametrize("over", ["delivered_at", "dead_at", "dropped_at"])
def test_what_is_over_is_sent_again_from_the_first_try(over: str) -> None:
    make_endpoint()
    enqueue()
    WebhookDelivery.objects.update(**{"next_try_at": None, "tries": 10, over: AT})

    assert outbox.replay(WebhookDelivery.objects.all(), AT) == 1

    row = WebhookDelivery.objects.get()
    assert (row.next_try_at, row.tries, getattr(row, over)) == (AT, 0, None)
    assert outbox.replay(WebhookDelivery.objects.all(), AT) == 0


def test_what_waits_or_is_dead_can_be_dropped_and_what_arrived_cannot() -> None:
    make_endpoint()
    for message_id in ("waits", "dead", "arrived"):
        enqueue(message_id=message_id)
    WebhookDelivery.objects.filter(message_id="dead").update(next_try_at=None, dead_at=AT)
    WebhookDelivery.objects.filter(message_id="arrived").update(next_try_at=None, delivered_at=AT)

    assert outbox.drop(WebhookDelivery.objects.all(), AT) == 2

    assert WebhookDelivery.objects.filter(dropped_at=AT).count() == 2
    assert WebhookDelivery.objects.get(message_id="arrived").dropped_at is None


@pytest.mark.parametrize("states", [{"next_try_at": None}, {"dead_at": AT}])
def test_a_message_is_in_exactly_one_state(states: dict[str, datetime | None]) -> None:
    make_endpoint()
    enqueue()

    with pytest.raises(IntegrityError), transaction.atomic():
        WebhookDelivery.objects.update(**states)
