"""Messages go into the outbox once each, for whom it concerns; what somebody should look at, and what goes in time."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from pytest_django.fixtures import Settings

from foundation import clock
from foundation.errors import Invalid
from foundation.security import sealing
from foundation.webhooks import endpoints, outbox
from foundation.webhooks import retention as upkeep
from foundation.webhooks.models import WebhookDelivery, WebhookEndpoint
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
    with transaction.atomic():
        enqueue()
        transaction.set_rollback(True)  # which takes the message too
    rolled_back = told()
    enqueue(amount=5, name="순위")
    WebhookEndpointFactory.create(name="later")

    enqueue()

    assert (rolled_back, told()) == ([], [("all", "order-1"), ("later", "order-1"), ("some", "order-1")])
    row = WebhookDelivery.objects.get(endpoint__name="all")
    assert (row.next_try_at, row.created_at, row.tries) == (AT, AT, 0)
    assert json.loads(row.body) == {
        "type": "order.paid",
        "timestamp": "2026-11-21T12:30:00Z",
        "data": {"amount": 5, "name": "순위"},
    }


def test_an_events_id_is_that_of_its_row_and_moment_to_the_millisecond() -> None:
    later = [AT + timedelta(microseconds=999), AT + timedelta(milliseconds=1)]
    seoul = AT.astimezone(timezone(timedelta(hours=9)))

    assert outbox.event_id("notice-72", AT) == outbox.event_id("notice-72", seoul) == "notice-72-1795264200000"
    assert [outbox.event_id("notice-72", at)[-4:] for at in later] == ["0000", "0001"]


def test_an_id_that_no_header_can_carry_and_a_kind_that_is_none_are_refused() -> None:
    bad = {"message_id": ["", "a" * 101, "a.b", "a b", "a\nb", "순위"], "kind": ["", "Paid", "a b", "a" * 51]}
    for part, values in bad.items():
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


@pytest.fixture
def messages(db: None) -> QuerySet[WebhookDelivery]:
    """One that waits, and one in each other state."""
    WebhookEndpointFactory.create()
    for state in ("next_try_at", "dead_at", "delivered_at", "dropped_at"):
        enqueue(message_id=state)
        changed = {"next_try_at": None, "tries": 10, state: AT}
        WebhookDelivery.objects.filter(message_id=state).update(**changed)
    return WebhookDelivery.objects.all()


def test_what_is_over_is_sent_again_from_the_first_try(messages: QuerySet[WebhookDelivery]) -> None:
    assert [outbox.replay(messages, AT), outbox.replay(messages, AT)] == [3, 0]

    for row in messages.exclude(message_id="next_try_at"):
        assert (row.next_try_at, row.tries, getattr(row, row.message_id)) == (AT, 0, None)


def test_what_waits_or_is_dead_can_be_dropped_and_what_arrived_cannot(messages: QuerySet[WebhookDelivery]) -> None:
    assert outbox.drop(messages, AT) == 2

    dropped = dict(messages.values_list("message_id", "dropped_at"))
    assert dropped == {"next_try_at": AT, "dead_at": AT, "delivered_at": None, "dropped_at": AT}


def test_a_message_is_in_exactly_one_state() -> None:
    WebhookEndpointFactory.create()
    enqueue()

    for states in ({"next_try_at": None}, {"dead_at": AT}):
        with pytest.raises(IntegrityError), transaction.atomic():
            WebhookDelivery.objects.update(**states)


def sent(*message_ids: str, ago: timedelta = timedelta()) -> None:
    for message_id in message_ids:
        outbox.enqueue(kind="order.paid", message_id=message_id, payload={}, at=clock.now() - ago)


def test_dead_and_untried_messages_are_trouble_until_somebody_acts() -> None:
    WebhookEndpointFactory.create()
    sent("order-1", "order-2")
    assert upkeep.health_problems() == []
    WebhookDelivery.objects.update(next_try_at=None, dead_at=clock.now())

    assert upkeep.health_problems() == ["webhook messages that were given up: 2; replay or drop them in the admin"]
    outbox.replay(WebhookDelivery.objects.filter(message_id="order-1"), clock.now())
    outbox.drop(WebhookDelivery.objects.filter(message_id="order-2"), clock.now())
    assert upkeep.health_problems() == []

    sent("order-3", ago=timedelta(minutes=4))
    sent("order-4", ago=timedelta(minutes=6))
    assert upkeep.health_problems() == ["webhook messages not tried for more than 5 minutes: 1"]


def test_messages_that_wait_for_a_disabled_endpoint_are_trouble() -> None:
    endpoint = WebhookEndpointFactory.create(name="shop")
    sent("order-1")
    for reason in ("First.", "Second."):
        endpoints.disable(endpoint, reason, clock.now())

    assert upkeep.health_problems() == ["webhook endpoint shop is disabled, and 1 messages wait for it"]
    assert WebhookEndpoint.objects.get().disabled_reason == "First."


def test_what_arrived_or_was_dropped_long_ago_goes_and_all_else_stays(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    WebhookEndpointFactory.create()
    monkeypatch.setattr(upkeep, "BATCH", 2)
    settings.WEBHOOK_KEEP_DAYS = 7
    at = clock.now()
    old, young = at - timedelta(days=8), at - timedelta(days=6)
    states = {"arrived": "delivered_at", "dropped": "dropped_at", "dead": "dead_at", "waits": "next_try_at"}
    for name, state in states.items():
        for since, when in (("old", old), ("young", young)):
            ids = [f"{name}-{since}-{number}" for number in range(3)]
            sent(*ids, ago=timedelta(days=9))
            WebhookDelivery.objects.filter(message_id__in=ids).update(**{"next_try_at": None, state: when})

    assert upkeep.retain(at) == 6

    left = {message_id[:-2] for message_id in WebhookDelivery.objects.values_list("message_id", flat=True)}
    assert left == {"arrived-young", "dropped-young", "dead-old", "dead-young", "waits-old", "waits-young"}


def test_a_rotated_secret_goes_once_it_signs_nothing_more() -> None:
    endpoint = WebhookEndpointFactory.create()
    endpoints.rotate(endpoint, clock.now())

    upkeep.retain(clock.now() + timedelta(hours=23))
    during = WebhookEndpoint.objects.get().previous_secret
    upkeep.retain(clock.now() + timedelta(hours=25))

    assert sealing.unseal(during, sealing.WEBHOOK).startswith("whsec_")
    assert WebhookEndpoint.objects.get().previous_secret == ""
