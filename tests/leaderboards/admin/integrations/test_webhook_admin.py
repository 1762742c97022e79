"""Webhook endpoints and deliveries in the admin: a secret is seen once, what failed is seen and sent again."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.test import Client

from foundation import clock
from foundation.models import WebhookDelivery, WebhookEndpoint
from foundation.webhooks import outbox
from foundation.webhooks.kinds import kind_in_words, registered_kinds
from tests.foundation.factories import WebhookEndpointFactory
from tests.leaderboards.admin.typed import act, page

pytestmark = pytest.mark.django_db

ENDPOINTS = "/admin/foundation/webhookendpoint/"
DELIVERIES = "/admin/foundation/webhookdelivery/"


def typed(**changed: Any) -> dict[str, Any]:
    return {"name": "shop", "url": "https://hooks.example/", "others": "", **changed}


def make_delivery(message_id: str = "order-1", **state: Any) -> WebhookDelivery:
    outbox.enqueue(kind="order.paid", message_id=message_id, payload={"amount": 5}, at=clock.now())
    if state:
        WebhookDelivery.objects.filter(message_id=message_id).update(next_try_at=None, **state)
    return WebhookDelivery.objects.get(message_id=message_id)


def test_an_endpoints_secret_is_shown_once_and_a_change_keeps_it_and_none_is_deleted(admin: Client) -> None:
    answer = admin.post(f"{ENDPOINTS}add/", typed(others="order.paid, order.sent order.paid"))

    endpoint = WebhookEndpoint.objects.get()
    assert endpoint.kinds == ["order.paid", "order.sent"]
    assert re.findall(r"whsec_[^<]+", answer.content.decode()) == endpoint.secrets(clock.now())
    assert "no-store" in answer["Cache-Control"]
    address = f"{ENDPOINTS}{endpoint.pk}/"
    log = f"/admin/foundation/auditentry/?subject=webhook:{endpoint.pk}"
    for later in (ENDPOINTS, f"{address}change/", log):
        assert "whsec_" not in page(admin, later)

    admin.post(f"{address}change/", typed(name="store"))
    deleted = admin.post(f"{address}delete/", {"post": "yes"})

    changed = WebhookEndpoint.objects.get()
    assert (changed.name, changed.kinds, changed.secret) == ("store", [], endpoint.secret)
    assert deleted.status_code == 403


def test_the_kinds_that_the_apps_send_are_ticks_and_others_are_typed_beside_them(admin: Client) -> None:
    offered = re.findall(r'type="checkbox" name="kinds" value="([^"]+)"', page(admin, f"{ENDPOINTS}add/"))
    admin.post(f"{ENDPOINTS}add/", typed(kinds=["reward.granted", "competition.final"], others="order.paid"))
    endpoint = WebhookEndpoint.objects.get()

    form = page(admin, f"{ENDPOINTS}{endpoint.pk}/change/")

    assert sorted(offered) == registered_kinds()
    assert {"period.final", "score.quarantined", "competition.final", "rank.first_taken"} <= set(offered)
    assert endpoint.kinds == ["reward.granted", "competition.final", "order.paid"]
    ticked = set(re.findall(r'name="kinds" value="([^"]+)"[^>]*checked', form))
    assert ticked == {"reward.granted", "competition.final"}
    assert 'name="others" value="order.paid"' in form


def test_a_kind_is_registered_for_each_that_the_documentation_lists() -> None:
    table = (settings.BASE_DIR / "docs/webhooks.md").read_text("utf-8").partition("## Events")[2]
    lines = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]

    assert set(re.findall(r"`([a-z0-9_.]+)`", "".join(lines))) - {outbox.TEST_KIND} == set(registered_kinds())


def test_what_cannot_be_told_is_refused_with_a_sentence(admin: Client) -> None:
    there = WebhookEndpointFactory.create(name="there")

    for changed, why in (
        ({"url": "http://hooks.example/"}, "begins with https://"),
        ({"url": "https://me:secret@hooks.example/"}, "the signature says who sends"),
        ({"others": "order.paid, Oh-No"}, "No kind of event is called like this: Oh-No."),
        ({"kinds": ["order.paid"]}, "is not one of the available choices"),
        ({"name": "there"}, "already exists"),
    ):
        assert why in admin.post(f"{ENDPOINTS}add/", typed(**changed)).content.decode()
    assert WebhookEndpoint.objects.get() == there


def test_one_secret_at_a_time_is_rotated_after_a_question_and_shown_once(admin: Client) -> None:
    endpoint, other = WebhookEndpointFactory.create_batch(2)

    both = act(admin, ENDPOINTS, "rotate", endpoint, other, confirmed="1")
    asked = act(admin, ENDPOINTS, "rotate", endpoint)
    unchanged = WebhookEndpoint.objects.get(pk=endpoint.pk).secret
    shown = act(admin, ENDPOINTS, "rotate", endpoint, confirmed="1")

    rotated = WebhookEndpoint.objects.exclude(previous_secret="").get()
    assert "Choose one endpoint" in both
    assert "For 24 hours messages are signed with both" in asked
    assert unchanged == endpoint.secret == rotated.previous_secret
    assert re.findall(r"whsec_[^<]+", shown) == rotated.secrets(clock.now())[:1] != endpoint.secrets(clock.now())


def test_an_endpoint_is_disabled_with_a_name_and_enabled_and_sent_no_test_message_meanwhile(admin: Client) -> None:
    live, off = WebhookEndpointFactory.create(name="Live"), WebhookEndpointFactory.create(name="Off")

    html = act(admin, ENDPOINTS, "disable", off)
    again = act(admin, ENDPOINTS, "disable", off)
    disabled = WebhookEndpoint.objects.get(name="Off")
    tested = act(admin, ENDPOINTS, "send_test", live, off)
    act(admin, ENDPOINTS, "enable", off)

    row = WebhookDelivery.objects.get()
    assert (row.endpoint, row.kind) == (live, "test")
    assert f"Live: {row.message_id} goes out within seconds" in tested
    assert "Off is disabled: enable it first." in tested
    assert re.search(r"disabled since \w{3} .* UTC: By admin\.", html)
    assert "All of the selected are so already." in again
    assert disabled.disabled_at is not None
    assert WebhookEndpoint.objects.get(name="Off").disabled_at is None
    messages = LogEntry.objects.filter(object_id=off.pk).order_by("pk").values_list("change_message", flat=True)
    assert list(messages) == ["Disabled.", "Enabled."]


def test_dead_messages_stand_first_and_are_found_by_state_and_show_what_was_answered(admin: Client) -> None:
    WebhookEndpointFactory.create()
    row = make_delivery("dead", dead_at=clock.now(), last_status=500, last_answer="<b>oh no</b>")
    make_delivery("waits")
    make_delivery("arrived", delivered_at=clock.now())
    every = ["dead", "arrived", "waits"]
    found = {"": every, "state=dead_at": ["dead"], "state=next_try_at": ["waits"], "q=arrived": ["arrived"]}

    for query, listed in {**found, "state=nonsense": every}.items():
        shown = re.findall(r'class="field-message_id"><a [^>]+>([^<]+)<', page(admin, f"{DELIVERIES}?{query}"))
        assert shown == listed, query

    html = page(admin, f"{DELIVERIES}{row.pk}/change/")

    assert "&quot;amount&quot;: 5" in html
    assert "&lt;b&gt;oh no&lt;/b&gt;" in html
    assert 'name="_save"' not in html


def test_the_selected_are_sent_again_or_dropped_and_those_of_a_disabled_endpoint_wait(admin: Client) -> None:
    WebhookEndpointFactory.create(name="Shop")
    dead, waits = make_delivery("dead", dead_at=clock.now()), make_delivery("waits")
    arrived, given_up = make_delivery("arrived", delivered_at=clock.now()), make_delivery("given-up")

    assert "To be sent again: 1." in act(admin, DELIVERIES, "replay", dead, waits)
    assert "All of the selected wait already" in act(admin, DELIVERIES, "replay", dead, waits)
    assert "Dropped: 1." in act(admin, DELIVERIES, "drop", given_up, arrived)
    assert "delivered or dropped already" in act(admin, DELIVERIES, "drop", given_up, arrived)

    dead.refresh_from_db()
    assert dead.dead_at is None
    assert dead.next_try_at is not None
    assert WebhookDelivery.objects.exclude(dropped_at=None).get() == given_up
    assert [entry.change_message for entry in LogEntry.objects.order_by("pk")] == ["Replayed.", "Dropped."]

    dead = make_delivery("another", dead_at=clock.now())
    WebhookEndpoint.objects.update(disabled_at=clock.now() - timedelta(hours=1))
    assert "Shop is disabled: its messages wait" in act(admin, DELIVERIES, "replay", dead)


def test_a_stranger_can_neither_see_nor_act(stranger: Client) -> None:
    endpoint = WebhookEndpointFactory.create()
    dead = make_delivery(dead_at=clock.now())

    for address, action, row in ((ENDPOINTS, "rotate", endpoint), (DELIVERIES, "replay", dead)):
        assert stranger.get(address).status_code == 403
        answer = stranger.post(address, {"action": action, "_selected_action": [row.pk], "confirmed": "1"})
        assert answer.status_code == 403

    assert WebhookDelivery.objects.get().dead_at is not None
    assert WebhookEndpoint.objects.get().previous_secret == ""


def test_kinds_are_words_in_both_languages_and_each_has_its_own(admin: Client) -> None:
    endpoint = WebhookEndpointFactory.create(kinds=["reward.granted", "order.paid"])
    make_delivery()

    english, korean = page(admin, ENDPOINTS), admin.get(ENDPOINTS, headers={"accept-language": "ko"}).content.decode()
    form = admin.get(f"{ENDPOINTS}{endpoint.pk}/change/", headers={"accept-language": "ko"}).content.decode()
    words = [kind_in_words(kind) for kind in registered_kinds()]

    assert "a reward is earned, order.paid" in english
    assert "보상을 받음, order.paid" in korean
    assert "기록이 보류됨 (score.quarantined)" in form
    assert not set(words) & set(registered_kinds())
    assert len(set(words)) == len(words)
    assert "None" not in page(admin, f"{DELIVERIES}{WebhookDelivery.objects.get().pk}/change/").partition("<main")[2]
