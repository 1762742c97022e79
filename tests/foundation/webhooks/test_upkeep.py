"""What somebody should look at, and what goes after a while."""

from datetime import timedelta

import pytest
from pytest_django.fixtures import Settings

from foundation import clock
from foundation.webhooks import endpoints, outbox, upkeep
from foundation.webhooks.models import WebhookDelivery, WebhookEndpoint
from tests.foundation.factories import WebhookEndpointFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def endpoint(db: None) -> WebhookEndpoint:
    return WebhookEndpointFactory.create(name="shop")


def enqueue(*message_ids: str, ago: timedelta = timedelta()) -> None:
    for message_id in message_ids:
        outbox.enqueue(kind="order.paid", message_id=message_id, payload={}, at=clock.now() - ago)


def test_dead_messages_are_trouble_until_somebody_acts() -> None:
    enqueue("order-1", "order-2")
    assert upkeep.trouble() == []
    WebhookDelivery.objects.update(next_try_at=None, dead_at=clock.now())

    assert upkeep.trouble() == ["webhook messages that were given up: 2; replay or drop them in the admin"]
    outbox.replay(WebhookDelivery.objects.filter(message_id="order-1"), clock.now())
    outbox.drop(WebhookDelivery.objects.filter(message_id="order-2"), clock.now())
    assert upkeep.trouble() == []


def test_messages_that_wait_for_a_disabled_endpoint_are_trouble(endpoint: WebhookEndpoint) -> None:
    enqueue("order-1", ago=timedelta(hours=1))
    endpoints.disable(endpoint, "First.", clock.now())
    endpoints.disable(endpoint, "Second.", clock.now())
    WebhookEndpointFactory.create(disabled_at=clock.now())  # nothing waits for this one

    assert upkeep.trouble() == ["webhook endpoint shop is disabled, and 1 messages wait for it"]
    assert WebhookEndpoint.objects.get(pk=endpoint.pk).disabled_reason == "First."


def test_messages_that_nobody_tries_are_trouble() -> None:
    enqueue("order-1", ago=timedelta(minutes=4))
    enqueue("order-2", ago=timedelta(minutes=6))

    assert upkeep.trouble() == ["webhook messages not tried for more than 5 minutes: 1"]


def test_what_arrived_or_was_dropped_long_ago_goes_and_all_else_stays(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "BATCH", 2)
    settings.WEBHOOK_KEEP_DAYS = 7
    at = clock.now()
    old, young = at - timedelta(days=8), at - timedelta(days=6)
    states = {"arrived": "delivered_at", "dropped": "dropped_at", "dead": "dead_at", "waits": "next_try_at"}
    for name, state in states.items():
        for since, when in (("old", old), ("young", young)):
            ids = [f"{name}-{since}-{number}" for number in range(3)]
            enqueue(*ids, ago=timedelta(days=9))
            WebhookDelivery.objects.filter(message_id__in=ids).update(**{"next_try_at": None, state: when})

    assert upkeep.retain(at) == 6

    left = {message_id[:-2] for message_id in WebhookDelivery.objects.values_list("message_id", flat=True)}
    assert left == {"arrived-young", "dropped-young", "dead-old", "dead-young", "waits-old", "waits-young"}


def test_a_rotated_secret_goes_once_it_signs_nothing_more(endpoint: WebhookEndpoint) -> None:
    endpoints.rotate(endpoint, clock.now())

    upkeep.retain(clock.now() + timedelta(hours=23))
    during = WebhookEndpoint.objects.get().previous_secret
    upkeep.retain(clock.now() + timedelta(hours=25))

    assert during.startswith("whsec_")
    assert WebhookEndpoint.objects.get().previous_secret == ""
