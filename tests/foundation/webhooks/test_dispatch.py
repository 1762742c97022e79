"""Sending what is due: what arrives, what is tried again and when, and who must not hold up whom."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler

import pytest
from django.conf import settings
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from foundation import clock
from foundation.webhooks import dispatch, endpoints, http_post, outbox
from foundation.webhooks.dispatch import LEASE, claim, deliver_due, record
from foundation.webhooks.http_post import PostResult
from foundation.webhooks.models import WebhookDelivery, WebhookEndpoint
from foundation.webhooks.retries import delay
from tests.at_once import at_once
from tests.foundation.factories import WebhookEndpointFactory
from tests.foundation.webhooks.conftest import is_signed
from tests.foundation.webhooks.receiver import Receiver, status

pytestmark = pytest.mark.django_db

AT = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
FINE = PostResult(200, "thanks", 0.1)
NONE = PostResult(None, "No answer.", 15.0)
SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)

SEND = """
from django.db import connection
connection.settings_dict["NAME"] = {database!r}
from foundation.tasks import deliver_webhooks
deliver_webhooks()
"""


@pytest.fixture
def shop(receiver: Receiver) -> WebhookEndpoint:
    """An endpoint where the receiver listens."""
    return WebhookEndpointFactory.create(url=receiver.url)


def enqueue(*message_ids: str) -> None:
    for message_id in message_ids:
        outbox.enqueue(kind="order.paid", message_id=message_id, payload={}, at=AT)


def only() -> WebhookDelivery:
    return WebhookDelivery.objects.get()


@given(st.floats(min_value=0, max_value=1))
def test_ten_tries_take_about_75_hours_and_luck_makes_each_wait_up_to_a_tenth_longer(luck: float) -> None:
    waits = [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]

    found = [delay(tries, luck) for tries in range(1, 11)]

    assert found.pop() is None
    for plain, lucky in zip(waits, found, strict=True):
        assert lucky is not None
        assert plain * SECOND <= lucky <= plain * 1.1 * SECOND


def test_messages_arrive_once_at_their_moment_in_order_signed_over_the_bytes_that_arrive(
    receiver: Receiver, shop: WebhookEndpoint
) -> None:
    ids = [f"order-{number}" for number in range(12)]
    enqueue(*ids)

    assert [deliver_due(AT - SECOND), deliver_due(AT, seconds=0), len(receiver.received)] == [0, 0, 0]
    assert [deliver_due(AT, seconds=60), deliver_due(AT)] == [12, 0]

    assert [each.message_id for each in receiver.received] == ids
    delivery, received = WebhookDelivery.objects.get(message_id="order-0"), receiver.received[0]
    assert received.body.decode() == delivery.body
    assert is_signed(received.headers, received.body, shop.secrets(AT)[0], AT)
    assert delivery.delivered_at is not None
    assert (delivery.tries, delivery.last_status, delivery.last_answer) == (1, 200, "thanks")


def test_another_status_is_a_failure_tried_again_after_five_seconds_and_dead_after_ten_tries_in_75_hours(
    receiver: Receiver, shop: WebhookEndpoint
) -> None:
    receiver.behave = status(400, b"not now")
    enqueue("order-1")
    tried = []
    for at in (AT, AT + 4 * SECOND, AT + 7 * SECOND):
        deliver_due(at)
        tried.append(len(receiver.received))

    assert tried == [1, 1, 2]
    assert (only().last_status, only().last_answer, only().tries) == (400, "not now", 2)
    while (due := only().next_try_at) is not None:
        at = due
        deliver_due(at)

    assert [each.message_id for each in receiver.received] == ["order-1"] * 10
    assert only().tries == 10
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
    old, new = shop.secrets(AT)[0], endpoints.rotate(shop, AT)
    enqueue("order-1")
    deliver_due(AT)
    outbox.replay(WebhookDelivery.objects.all(), AT)

    deliver_due(AT + 25 * HOUR)

    signed = [
        [is_signed(received.headers, received.body, secret, at) for secret in (old, new)]
        for received, at in zip(receiver.received, (AT, AT + 25 * HOUR), strict=True)
    ]
    assert signed == [[True, True], [False, True]]


def test_a_slow_endpoint_holds_up_nobody(receivers: Callable[[], Receiver], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "POLL_SECONDS", 0.05)
    slow, fast = receivers(), receivers()
    for receiver in (slow, fast):
        WebhookEndpointFactory.create(url=receiver.url)
    all_told = threading.Event()

    def wait_for_the_other(handler: BaseHTTPRequestHandler) -> None:
        status(200 if all_told.wait(http_post.TOTAL_SECONDS) else 500)(handler)

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
    receiver: Receiver, shop: WebhookEndpoint
) -> None:
    enqueue("order-1")

    claim(AT, most=1)  # and the worker is killed, perhaps after it had sent
    found = [deliver_due(at) for at in (AT, AT + LEASE - timedelta(milliseconds=1), AT + LEASE)]

    assert found == [0, 0, 1]
    assert [each.message_id for each in receiver.received] == ["order-1"]
    assert only().tries == 2


@pytest.mark.parametrize("waits", ["busy_until", "rests_until", "next_try_at"])
def test_a_time_that_a_wrong_clock_left_too_far_in_the_future_stops_nothing(
    waits: str, receiver: Receiver, shop: WebhookEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    longest = {"busy_until": LEASE, "rests_until": 4 * LEASE, "next_try_at": 24 * 1.1 * HOUR}[waits]
    enqueue("order-1")
    rows = WebhookDelivery.objects.all() if waits == "next_try_at" else WebhookEndpoint.objects.all()
    rows.update(**{waits: AT + longest})

    assert (deliver_due(AT), caplog.text) == (0, "")  # as long as it may be

    rows.update(**{waits: AT + 365 * 24 * HOUR})

    assert (deliver_due(AT), len(receiver.received)) == (1, 1)
    assert "too far in the future" in caplog.text
    shop.refresh_from_db()
    assert (shop.busy_until, only().next_try_at, only().delivered_at is not None) == (None, None, True)


def test_an_answer_that_comes_after_the_lease_or_when_it_was_dropped_changes_nothing() -> None:
    WebhookEndpointFactory.create()
    enqueue("order-1")
    (late,) = claim(AT)
    (again,) = claim(AT + LEASE)

    assert LEASE.total_seconds() > http_post.TOTAL_SECONDS + http_post.CONNECT_SECONDS  # it outlives the longest try
    assert not record(late, FINE, AT + LEASE)
    assert only().delivered_at is None
    assert record(again, FINE, AT + LEASE)
    assert only().delivered_at is not None

    enqueue("order-2")
    (held,) = claim(AT + LEASE)
    outbox.drop(WebhookDelivery.objects.filter(pk=held.pk), AT)
    record(held, PostResult(500, "", 0.1), AT + LEASE)
    held.refresh_from_db()
    assert (held.dropped_at, held.next_try_at) == (AT, None)


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


def send_and_be_killed_at(point: str) -> int:
    """The exit status of a worker on this test's own database."""
    program = SEND.format(database=connection.settings_dict["NAME"])
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", program]
    environment = {**os.environ, "WEBHOOK_ALLOW_PRIVATE": "on", "FAIL_AT": point}
    return subprocess.run(command, cwd=settings.BASE_DIR, env=environment, check=False).returncode


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_what_was_sent_and_not_written_down_is_sent_again_with_the_same_id(
    receiver: Receiver, shop: WebhookEndpoint
) -> None:
    enqueue("order-1")

    status = send_and_be_killed_at("webhooks.before_record")
    after_the_kill = [each.message_id for each in receiver.received]
    soon, later = deliver_due(clock.now()), deliver_due(clock.now() + LEASE + timedelta(seconds=1))

    assert status == 137
    assert after_the_kill == ["order-1"]
    assert (soon, later) == (0, 1)
    assert [each.message_id for each in receiver.received] == ["order-1", "order-1"]
    assert only().delivered_at is not None
