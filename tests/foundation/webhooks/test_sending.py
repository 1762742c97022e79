"""Sending what is due: what arrives, what is tried again and when, and who must not hold up whom."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler

import pytest

from foundation.webhooks import endpoints, outbox, posting, sending, signing
from foundation.webhooks.models import WebhookDelivery, WebhookEndpoint
from foundation.webhooks.posting import Answer
from foundation.webhooks.sending import LEASE, claim, deliver_due, record
from tests.at_once import at_once
from tests.foundation.factories import WebhookEndpointFactory
from tests.foundation.webhooks.receiver import Receiver, status

pytestmark = pytest.mark.django_db

AT = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
FINE = Answer(200, "thanks", 0.1)
NONE = Answer(None, "No answer.", 15.0)
SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)


@pytest.fixture
def shop(receiver: Receiver) -> WebhookEndpoint:
    """An endpoint where the receiver listens."""
    return WebhookEndpointFactory.create(url=receiver.url)


def enqueue(*message_ids: str) -> None:
    for message_id in message_ids:
        outbox.enqueue(kind="order.paid", message_id=message_id, payload={}, at=AT)


def only() -> WebhookDelivery:
    return WebhookDelivery.objects.get()


def test_a_message_arrives_once_at_its_moment_signed_over_the_bytes_that_arrive(
    receiver: Receiver, shop: WebhookEndpoint
) -> None:
    enqueue("order-1")

    assert [deliver_due(at) for at in (AT - SECOND, AT, AT)] == [0, 1, 0]

    (received,) = receiver.received
    assert received.message_id == "order-1"
    assert received.body.decode() == only().body
    assert signing.verify(received.headers, received.body, shop.secret, AT)
    assert only().delivered_at is not None
    assert (only().tries, only().last_status, only().last_answer) == (1, 200, "thanks")


def test_messages_arrive_in_the_order_of_the_outbox_in_a_run_that_has_seconds(
    receiver: Receiver, shop: WebhookEndpoint
) -> None:
    enqueue(*(f"order-{number}" for number in range(12)))

    assert [deliver_due(AT, seconds=0), len(receiver.received)] == [0, 0]
    assert deliver_due(AT, seconds=60) == 12

    assert [each.message_id for each in receiver.received] == [f"order-{number}" for number in range(12)]


@pytest.mark.parametrize("code", [302, 400, 503])
def test_another_status_is_a_failure_and_tried_again_after_five_seconds(
    receiver: Receiver, shop: WebhookEndpoint, code: int
) -> None:
    receiver.behave = status(code, b"not now")
    enqueue("order-1")
    deliver_due(AT)
    failed = only()
    receiver.behave = status(204)

    early, later = deliver_due(AT + 4 * SECOND), deliver_due(AT + 7 * SECOND)

    assert (failed.last_status, failed.last_answer, failed.tries) == (code, "not now", 1)
    assert (early, later) == (0, 1)
    assert [each.message_id for each in receiver.received] == ["order-1"] * 2


def test_after_ten_tries_in_75_hours_a_message_is_dead(receiver: Receiver, shop: WebhookEndpoint) -> None:
    receiver.behave = status(500)
    enqueue("order-1")
    at = AT

    while (due := only().next_try_at) is not None:
        at = due
        deliver_due(at)

    assert len(receiver.received) == only().tries == 10
    assert 75 * HOUR < at - AT < 84 * HOUR
    assert only().dead_at is not None


def test_an_endpoint_that_is_gone_is_disabled_and_its_messages_wait(receiver: Receiver, shop: WebhookEndpoint) -> None:
    receiver.behave = status(410)
    enqueue("order-1", "order-2")

    deliver_due(AT)
    deliver_due(AT + HOUR)

    shop.refresh_from_db()
    assert len(receiver.received) == 1
    assert shop.disabled_at is not None
    assert "410" in shop.disabled_reason
    receiver.behave = status(200)
    endpoints.enable(shop)
    assert deliver_due(AT + HOUR) == 2


def test_for_a_day_after_a_rotation_both_secrets_sign(receiver: Receiver, shop: WebhookEndpoint) -> None:
    old, new = shop.secret, endpoints.rotate(shop, AT)
    enqueue("order-1")
    deliver_due(AT)
    outbox.replay(WebhookDelivery.objects.all(), AT)

    deliver_due(AT + 25 * HOUR)

    signed = [
        [signing.verify(received.headers, received.body, secret, at) for secret in (old, new)]
        for received, at in zip(receiver.received, (AT, AT + 25 * HOUR), strict=True)
    ]
    assert signed == [[True, True], [False, True]]


def test_a_slow_endpoint_holds_up_nobody(receivers: Callable[[], Receiver], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "LOOK_AGAIN_SECONDS", 0.05)
    slow, fast = receivers(), receivers()
    for receiver in (slow, fast):
        WebhookEndpointFactory.create(url=receiver.url)
    all_told = threading.Event()

    def wait_for_the_other(handler: BaseHTTPRequestHandler) -> None:
        status(200 if all_told.wait(posting.TOTAL_SECONDS) else 500)(handler)

    def tell(handler: BaseHTTPRequestHandler) -> None:
        status(200)(handler)
        if len(fast.received) == 5:
            all_told.set()

    slow.behave, fast.behave = wait_for_the_other, tell
    enqueue(*(f"order-{number}" for number in range(5)))

    deliver_due(AT, seconds=60)

    assert not WebhookDelivery.objects.filter(last_status=500).exists()
    assert len(fast.received) == len(slow.received) == 5


def test_an_endpoint_that_kept_us_waiting_in_vain_rests_four_times_as_long() -> None:
    WebhookEndpointFactory.create()
    enqueue("order-1", "order-2")
    (first,) = claim(AT)

    record(first, NONE, AT + 15 * SECOND)

    assert claim(AT + 74 * SECOND) == []
    assert [each.message_id for each in claim(AT + 75 * SECOND)] == ["order-2"]


def test_whoever_was_served_longest_ago_is_next() -> None:
    for name in ("one", "two", "three"):
        WebhookEndpointFactory.create(name=name)
    enqueue("order-1", "order-2")

    turns = []
    for second in range(6):
        at = AT + second * SECOND
        (delivery,) = claim(at, most=1)
        turns.append(delivery.endpoint.name)
        record(delivery, FINE, at)

    assert turns == ["one", "two", "three"] * 2


def test_while_one_run_holds_a_message_another_finds_nothing_until_the_lease_is_over(
    receivers: Callable[[], Receiver],
) -> None:
    one, other = receivers(), receivers()
    for receiver in (one, other):
        WebhookEndpointFactory.create(url=receiver.url)
    enqueue("order-1")

    [held] = claim(AT, most=1)  # and the worker is killed, perhaps after it had sent
    meanwhile = [deliver_due(at) for at in (AT, AT + LEASE - timedelta(milliseconds=1))]

    assert (meanwhile, one.received, other.received) == ([0, 0], [], [])
    assert deliver_due(AT + LEASE) == 2
    assert [each.message_id for each in one.received + other.received] == ["order-1"] * 2
    assert WebhookDelivery.objects.get(pk=held.pk).tries == 2


def test_an_answer_that_comes_after_the_lease_changes_nothing() -> None:
    WebhookEndpointFactory.create()
    enqueue("order-1")
    (late,) = claim(AT)
    (again,) = claim(AT + LEASE)

    assert not record(late, FINE, AT + LEASE)
    assert only().delivered_at is None
    assert record(again, FINE, AT + LEASE)
    assert only().delivered_at is not None


def test_the_lease_outlives_the_longest_try() -> None:
    assert LEASE.total_seconds() > posting.TOTAL_SECONDS + posting.CONNECT_SECONDS


def test_what_was_dropped_meanwhile_stays_dropped() -> None:
    WebhookEndpointFactory.create()
    enqueue("order-1")
    (held,) = claim(AT)
    outbox.drop(WebhookDelivery.objects.all(), AT)

    record(held, Answer(500, "", 0.1), AT)

    assert (only().dropped_at, only().next_try_at) == (AT, None)


def test_a_fault_of_ours_is_logged_and_holds_up_nothing(
    receiver: Receiver, shop: WebhookEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    broken = WebhookEndpointFactory.create(url=receiver.url, secret="whsec_a")
    enqueue("order-1")

    assert deliver_due(AT) == 1

    delivery = broken.deliveries.get()
    assert "a fault on this side" in delivery.last_answer
    assert delivery.next_try_at is not None
    assert "could not be sent" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_never_hold_one_endpoint_both() -> None:
    WebhookEndpointFactory.create_batch(4)
    enqueue("order-1")

    one, other = at_once([lambda: claim(AT)] * 2)

    held = sorted(delivery.pk for delivery in one + other)
    assert held == sorted(WebhookDelivery.objects.values_list("pk", flat=True))
    assert set(WebhookDelivery.objects.values_list("tries", flat=True)) == {1}
