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
from tests.foundation.webhooks.receiver import Receiver, make_endpoint, status

pytestmark = pytest.mark.django_db

AT = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
FINE = Answer(200, "thanks", 0.1)
NONE = Answer(None, "No answer.", 15.0)


def enqueue(*message_ids: str) -> None:
    for message_id in message_ids:
        outbox.enqueue(kind="order.paid", message_id=message_id, payload={}, at=AT)


def only() -> WebhookDelivery:
    return WebhookDelivery.objects.get()


def test_a_message_arrives_once_signed_over_the_bytes_that_arrive(receiver: Receiver) -> None:
    endpoint = make_endpoint(url=receiver.url)
    enqueue("order-1")

    assert (deliver_due(AT), deliver_due(AT)) == (1, 0)

    (received,) = receiver.received
    assert received.message_id == "order-1"
    assert received.body.decode() == only().body
    assert signing.verify(received.headers, received.body, endpoint.secret, AT)
    assert only().delivered_at is not None
    assert (only().tries, only().last_status, only().last_answer) == (1, 200, "thanks")


def test_messages_arrive_in_the_order_of_the_outbox(receiver: Receiver) -> None:
    make_endpoint(url=receiver.url)
    enqueue(*(f"order-{number}" for number in range(20)))

    assert deliver_due(AT) == 20

    assert [each.message_id for each in receiver.received] == [f"order-{number}" for number in range(20)]


def test_before_its_moment_nothing_is_sent(receiver: Receiver) -> None:
    make_endpoint(url=receiver.url)
    enqueue("order-1")

    assert deliver_due(AT - timedelta(seconds=1)) == 0

    assert receiver.received == []


@pytest.mark.parametrize("code", [302, 400, 404, 429, 500, 503])
def test_another_status_is_a_failure_and_tried_again_after_five_seconds(receiver: Receiver, code: int) -> None:
    make_endpoint(url=receiver.url)
    receiver.behave = status(code, b"not now")
    enqueue("order-1")
    deliver_due(AT)
    failed = only()
    receiver.behave = status(204)

    early, later = deliver_due(AT + timedelta(seconds=4)), deliver_due(AT + timedelta(seconds=7))

    assert (failed.last_status, failed.last_answer, failed.tries) == (code, "not now", 1)
    assert (early, later, len(receiver.received)) == (0, 1, 2)
    assert {each.message_id for each in receiver.received} == {"order-1"}


def test_after_ten_tries_in_75_hours_a_message_is_dead(receiver: Receiver) -> None:
    make_endpoint(url=receiver.url)
    receiver.behave = status(500)
    enqueue("order-1")
    at = AT

    while (due := only().next_try_at) is not None:
        at = due
        deliver_due(at)

    assert len(receiver.received) == only().tries == 10
    assert timedelta(hours=75) < at - AT < timedelta(hours=84)
    assert only().dead_at is not None


def test_an_endpoint_that_is_gone_is_disabled_and_its_messages_wait(receiver: Receiver) -> None:
    make_endpoint(url=receiver.url)
    receiver.behave = status(410)
    enqueue("order-1", "order-2")

    deliver_due(AT)
    deliver_due(AT + timedelta(hours=1))

    endpoint = WebhookEndpoint.objects.get()
    assert len(receiver.received) == 1
    assert endpoint.disabled_at is not None
    assert "410" in endpoint.disabled_reason
    receiver.behave = status(200)
    endpoints.enable(endpoint)
    assert deliver_due(AT + timedelta(hours=1)) == 2


def test_for_a_day_after_a_rotation_both_secrets_sign(receiver: Receiver) -> None:
    endpoint = make_endpoint(url=receiver.url)
    old, new = endpoint.secret, endpoints.rotate(endpoint, AT)
    enqueue("order-1")
    deliver_due(AT)
    outbox.replay(WebhookDelivery.objects.all(), AT)

    deliver_due(AT + timedelta(hours=25))

    during, after = receiver.received
    assert signing.verify(during.headers, during.body, old, AT)
    assert signing.verify(during.headers, during.body, new, AT)
    assert not signing.verify(after.headers, after.body, old, AT + timedelta(hours=25))
    assert signing.verify(after.headers, after.body, new, AT + timedelta(hours=25))


def test_a_slow_endpoint_holds_up_nobody(receivers: Callable[[], Receiver], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "LOOK_AGAIN_SECONDS", 0.05)
    slow, fast = receivers(), receivers()
    make_endpoint("slow", url=slow.url)
    make_endpoint("fast", url=fast.url)
    all_told = threading.Event()

    def wait_for_the_other(handler: BaseHTTPRequestHandler) -> None:
        status(200 if all_told.wait(posting.TOTAL_SECONDS) else 500)(handler)

    def tell(handler: BaseHTTPRequestHandler) -> None:
        status(200)(handler)
        if len(fast.received) == 5:
            all_told.set()

    slow.behave, fast.behave = wait_for_the_other, tell
    enqueue(*(f"order-{number}" for number in range(5)))

    deliver_due(AT)

    assert not WebhookDelivery.objects.filter(last_status=500).exists()
    assert len(fast.received) == len(slow.received) == 5


def test_an_endpoint_that_kept_us_waiting_in_vain_rests_four_times_as_long() -> None:
    make_endpoint()
    enqueue("order-1", "order-2")
    (first,) = claim(AT)

    record(first, NONE, AT + timedelta(seconds=15))

    assert claim(AT + timedelta(seconds=74)) == []
    assert [each.message_id for each in claim(AT + timedelta(seconds=75))] == ["order-2"]


def test_whoever_was_served_longest_ago_is_next() -> None:
    for name in ("one", "two", "three"):
        make_endpoint(name)
    enqueue("order-1", "order-2")

    turns = []
    for second in range(6):
        at = AT + timedelta(seconds=second)
        (delivery,) = claim(at, most=1)
        turns.append(delivery.endpoint.name)
        record(delivery, FINE, at)

    assert turns == ["one", "two", "three"] * 2


def test_a_run_ends_after_its_seconds_and_leaves_the_rest(receiver: Receiver) -> None:
    make_endpoint(url=receiver.url)
    enqueue("order-1", "order-2")

    assert deliver_due(AT, seconds=0) == 0

    assert receiver.received == []
    assert deliver_due(AT) == 2


def test_while_one_run_holds_a_message_another_finds_nothing_to_do(receivers: Callable[[], Receiver]) -> None:
    one, other = receivers(), receivers()
    make_endpoint("one", url=one.url)
    make_endpoint("other", url=other.url)
    enqueue("order-1")

    held = claim(AT, most=1)

    assert deliver_due(AT) == 0
    assert (len(held), one.received, other.received) == (1, [], [])


def test_what_a_killed_worker_held_is_sent_again_with_the_same_id(receiver: Receiver) -> None:
    make_endpoint(url=receiver.url)
    enqueue("order-1")
    claim(AT)  # and the worker is killed, perhaps after it had sent

    assert deliver_due(AT + LEASE - timedelta(milliseconds=1)) == 0
    assert deliver_due(AT + LEASE) == 1

    assert [each.message_id for each in receiver.received] == ["order-1"]
    assert only().tries == 2


def test_an_answer_that_comes_after_the_lease_changes_nothing() -> None:
    make_endpoint()
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
    make_endpoint()
    enqueue("order-1")
    (held,) = claim(AT)
    outbox.drop(WebhookDelivery.objects.all(), AT)

    record(held, Answer(500, "", 0.1), AT)

    assert (only().dropped_at, only().next_try_at) == (AT, None)


def test_an_address_inside_is_refused_at_every_try_with_the_reason() -> None:
    make_endpoint(url="https://169.254.169.254/latest/meta-data")
    enqueue("order-1")

    deliver_due(AT)

    assert only().last_status is None
    assert only().last_answer == "169.254.169.254 leads to 169.254.169.254, which is not on the public internet."
    assert only().next_try_at is not None


def test_a_fault_of_ours_is_logged_and_holds_up_nothing(receiver: Receiver, caplog: pytest.LogCaptureFixture) -> None:
    make_endpoint("broken", url=receiver.url, secret="whsec_a")
    make_endpoint("whole", url=receiver.url)
    enqueue("order-1")

    assert deliver_due(AT) == 1

    broken = WebhookDelivery.objects.get(endpoint__name="broken")
    assert "a fault on this side" in broken.last_answer
    assert broken.next_try_at is not None
    assert "could not be sent" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_never_hold_one_endpoint_both() -> None:
    for number in range(4):
        make_endpoint(f"endpoint-{number}")
    enqueue("order-1")
    together = threading.Barrier(2)
    held: list[int] = []

    def work() -> None:
        from django.db import connection

        together.wait(10)
        held.extend(delivery.pk for delivery in claim(AT))
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()

    assert sorted(held) == sorted(WebhookDelivery.objects.values_list("pk", flat=True))
    assert set(WebhookDelivery.objects.values_list("tries", flat=True)) == {1}
