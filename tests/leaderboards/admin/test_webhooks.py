"""Webhook endpoints and deliveries in the admin: a secret is seen once, what failed is seen and sent again."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db.models import Model
from django.test import Client

from foundation import clock
from foundation.models import WebhookDelivery, WebhookEndpoint
from foundation.webhooks import outbox, signing
from tests.foundation.factories import WebhookEndpointFactory
from tests.leaderboards.admin.typed import page

pytestmark = pytest.mark.django_db

ENDPOINTS = "/admin/foundation/webhookendpoint/"
DELIVERIES = "/admin/foundation/webhookdelivery/"


def typed(**changed: str) -> dict[str, str]:
    return {"name": "shop", "url": "https://hooks.example/", "kinds": "", **changed}


def make_delivery(message_id: str = "order-1", **state: Any) -> WebhookDelivery:
    outbox.enqueue(kind="order.paid", message_id=message_id, payload={"amount": 5}, at=clock.now())
    if state:
        WebhookDelivery.objects.filter(message_id=message_id).update(next_try_at=None, **state)
    return WebhookDelivery.objects.get(message_id=message_id)


def act(client: Client, address: str, action: str, *rows: Model, **more: str) -> str:
    wanted = {"action": action, "_selected_action": [row.pk for row in rows], **more}
    return client.post(address, wanted, follow=True).content.decode()


def test_a_new_endpoints_secret_is_shown_this_one_time(admin: Client) -> None:
    answer = admin.post(f"{ENDPOINTS}add/", typed(kinds="order.paid, order.sent order.paid"))

    endpoint = WebhookEndpoint.objects.get()
    assert endpoint.kinds == ["order.paid", "order.sent"]
    assert re.findall(r"whsec_[^<]+", answer.content.decode()) == [endpoint.secret]
    assert "no-store" in answer["Cache-Control"]
    for later in (ENDPOINTS, f"{ENDPOINTS}{endpoint.pk}/change/", f"{ENDPOINTS}{endpoint.pk}/history/"):
        assert "whsec_" not in page(admin, later)


def test_what_cannot_be_told_is_refused_with_a_sentence(admin: Client) -> None:
    there = WebhookEndpointFactory.create(name="there")

    for changed, why in (
        ({"url": "http://hooks.example/"}, "begins with https://"),
        ({"url": "https://me:secret@hooks.example/"}, "the signature says who sends"),
        ({"kinds": "order.paid, Oh-No"}, "No kind of event is called like this: Oh-No."),
        ({"name": "there"}, "already exists"),
    ):
        assert why in admin.post(f"{ENDPOINTS}add/", typed(**changed)).content.decode()
    assert WebhookEndpoint.objects.get() == there


def test_a_change_keeps_the_secret_and_an_endpoint_is_never_deleted(admin: Client) -> None:
    endpoint = WebhookEndpointFactory.create(kinds=["order.paid"])
    assert 'value="order.paid"' in page(admin, f"{ENDPOINTS}{endpoint.pk}/change/")

    admin.post(f"{ENDPOINTS}{endpoint.pk}/change/", typed(name="store"))
    deleted = admin.post(f"{ENDPOINTS}{endpoint.pk}/delete/", {"post": "yes"})

    changed = WebhookEndpoint.objects.get()
    assert (changed.name, changed.kinds, changed.secret) == ("store", [], endpoint.secret)
    assert deleted.status_code == 403


def test_one_secret_at_a_time_is_rotated_after_a_question_and_shown_once(admin: Client) -> None:
    endpoint, other = WebhookEndpointFactory.create_batch(2, secret=signing.new_secret())

    both = act(admin, ENDPOINTS, "rotate", endpoint, other, confirmed="1")
    asked = act(admin, ENDPOINTS, "rotate", endpoint)
    unchanged = WebhookEndpoint.objects.get(pk=endpoint.pk).secret
    shown = act(admin, ENDPOINTS, "rotate", endpoint, confirmed="1")

    rotated = WebhookEndpoint.objects.exclude(previous_secret="").get()
    assert "Choose one endpoint" in both
    assert "For 24 hours messages are signed with both" in asked
    assert unchanged == endpoint.secret == rotated.previous_secret
    assert re.findall(r"whsec_[^<]+", shown) == [rotated.secret] != [endpoint.secret]


def test_an_endpoint_is_disabled_with_a_name_and_enabled(admin: Client) -> None:
    endpoint = WebhookEndpointFactory.create()

    html = act(admin, ENDPOINTS, "disable", endpoint)
    again = act(admin, ENDPOINTS, "disable", endpoint)
    disabled = WebhookEndpoint.objects.get()
    act(admin, ENDPOINTS, "enable", endpoint)

    assert "disabled: By admin." in html
    assert "All of the selected are so already." in again
    assert disabled.disabled_at is not None
    assert WebhookEndpoint.objects.get().disabled_at is None
    assert [entry.change_message for entry in LogEntry.objects.order_by("pk")] == ["Disabled.", "Enabled."]


def test_a_test_message_goes_into_the_outbox_unless_the_endpoint_is_disabled(admin: Client) -> None:
    live = WebhookEndpointFactory.create(name="Live")
    disabled = WebhookEndpointFactory.create(name="Off", disabled_at=clock.now())

    html = act(admin, ENDPOINTS, "send_test", live, disabled)

    row = WebhookDelivery.objects.get()
    assert (row.endpoint, row.kind) == (live, "test")
    assert f"Live: {row.message_id} goes out within seconds" in html
    assert "Off is disabled: enable it first." in html


def test_dead_messages_stand_first_and_are_found_by_their_state(admin: Client) -> None:
    WebhookEndpointFactory.create()
    make_delivery("dead", dead_at=clock.now())
    make_delivery("waits")
    make_delivery("arrived", delivered_at=clock.now())
    make_delivery("dropped", dropped_at=clock.now())

    def listed(address: str) -> list[str]:
        return re.findall(r'class="field-message_id"><a [^>]+>([^<]+)<', page(admin, address))

    assert listed(DELIVERIES) == ["dead", "dropped", "arrived", "waits"]
    assert listed(f"{DELIVERIES}?state=dead_at") == ["dead"]
    assert listed(f"{DELIVERIES}?state=next_try_at") == ["waits"]
    assert listed(f"{DELIVERIES}?q=arrived") == ["arrived"]
    assert len(listed(f"{DELIVERIES}?state=nonsense")) == 4


def test_a_message_shows_what_was_sent_and_what_was_answered(admin: Client) -> None:
    WebhookEndpointFactory.create()
    row = make_delivery(dead_at=clock.now(), last_status=500, last_answer="<b>oh no</b>")

    html = page(admin, f"{DELIVERIES}{row.pk}/change/")

    assert "&quot;amount&quot;: 5" in html
    assert "&lt;b&gt;oh no&lt;/b&gt;" in html
    assert 'name="_save"' not in html


def test_the_selected_are_sent_again_and_those_of_a_disabled_endpoint_wait(admin: Client) -> None:
    endpoint = WebhookEndpointFactory.create(name="Shop")
    dead, waits = make_delivery("dead", dead_at=clock.now()), make_delivery("waits")

    html = act(admin, DELIVERIES, "replay", dead, waits)
    again = act(admin, DELIVERIES, "replay", dead, waits)

    assert "To be sent again: 1." in html
    assert "All of the selected wait already" in again
    dead.refresh_from_db()
    assert dead.dead_at is None
    assert dead.next_try_at is not None
    assert LogEntry.objects.get().change_message == "Replayed."

    dead = make_delivery("another", dead_at=clock.now())
    WebhookEndpoint.objects.filter(pk=endpoint.pk).update(disabled_at=clock.now() - timedelta(hours=1))
    assert "Shop is disabled: its messages wait" in act(admin, DELIVERIES, "replay", dead)


def test_the_selected_are_dropped(admin: Client) -> None:
    WebhookEndpointFactory.create()
    dead, arrived = make_delivery("dead", dead_at=clock.now()), make_delivery("arrived", delivered_at=clock.now())

    html = act(admin, DELIVERIES, "drop", dead, arrived)

    assert "Dropped: 1." in html
    assert "delivered or dropped already" in act(admin, DELIVERIES, "drop", dead, arrived)
    assert WebhookDelivery.objects.exclude(dropped_at=None).get() == dead


def test_a_stranger_can_neither_see_nor_act(stranger: Client) -> None:
    endpoint = WebhookEndpointFactory.create()
    dead = make_delivery(dead_at=clock.now())

    for address, action, row in ((ENDPOINTS, "rotate", endpoint), (DELIVERIES, "replay", dead)):
        assert stranger.get(address).status_code == 403
        answer = stranger.post(address, {"action": action, "_selected_action": [row.pk], "confirmed": "1"})
        assert answer.status_code == 403

    assert WebhookDelivery.objects.get().dead_at is not None
    assert WebhookEndpoint.objects.get().previous_secret == ""
