"""A worker that is killed while it sends, a process of its own: nothing is lost, the id tells what came twice."""

import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection

from foundation import clock
from foundation.webhooks import outbox
from foundation.webhooks.models import WebhookDelivery
from foundation.webhooks.sending import LEASE, deliver_due
from tests.foundation.factories import WebhookEndpointFactory
from tests.foundation.webhooks.receiver import Receiver

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]

SEND = """
from django.db import connection
connection.settings_dict["NAME"] = {database!r}
from foundation.tasks import deliver_webhooks
deliver_webhooks()
"""


def send_and_be_killed_at(point: str) -> int:
    """The exit status of a worker on this test's own database."""
    program = SEND.format(database=connection.settings_dict["NAME"])
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", program]
    environment = {**os.environ, "WEBHOOK_ALLOW_PRIVATE": "on", "FAIL_AT": point}
    return subprocess.run(command, cwd=settings.BASE_DIR, env=environment, check=False).returncode


def test_what_was_sent_and_not_written_down_is_sent_again_with_the_same_id(receiver: Receiver) -> None:
    WebhookEndpointFactory.create(url=receiver.url)
    outbox.enqueue(kind="order.paid", message_id="order-1", payload={}, at=clock.now())

    status = send_and_be_killed_at("webhooks.before_record")
    after_the_kill = [each.message_id for each in receiver.received]
    soon, later = deliver_due(clock.now()), deliver_due(clock.now() + LEASE + timedelta(seconds=1))

    assert status == 137
    assert after_the_kill == ["order-1"]
    assert (soon, later) == (0, 1)
    assert [each.message_id for each in receiver.received] == ["order-1", "order-1"]
    assert WebhookDelivery.objects.get().delivered_at is not None
