"""What is done with an endpoint: a new secret, an end and a new beginning."""

from datetime import datetime, timedelta

from django.db import transaction

from foundation import clock
from foundation.audit import record
from foundation.audit.row_values import subjects_of
from foundation.security import sealing
from foundation.webhooks import signing
from foundation.webhooks.models import WebhookEndpoint

BOTH_SIGN_FOR = timedelta(hours=24)


def new_secret(endpoint: WebhookEndpoint) -> str:
    """Give ``endpoint``, which is not saved yet, a secret, and return it."""
    secret = signing.new_secret()
    endpoint.secret = sealing.seal(secret, sealing.WEBHOOK)
    return secret


@transaction.atomic
def rotate(endpoint: WebhookEndpoint, at: datetime) -> str:
    """Give it a new secret, and return it. Messages bear both signatures for a day: time to change the receiver."""
    stored = WebhookEndpoint.objects.select_for_update().get(pk=endpoint.pk)
    endpoint.previous_secret, endpoint.previous_until = stored.secret, at + BOTH_SIGN_FOR
    secret = new_secret(endpoint)
    endpoint.save(update_fields=["secret", "previous_secret", "previous_until"])
    record("webhook.rotated", at=at, subjects=subjects_of(endpoint))
    return secret


@transaction.atomic
def disable(endpoint: WebhookEndpoint, reason: str, at: datetime) -> None:
    """It is told nothing new, and what waits for it waits. The first reason stays."""
    live = WebhookEndpoint.objects.filter(pk=endpoint.pk, disabled_at=None)
    if live.update(disabled_at=at, disabled_reason=reason):
        record("webhook.disabled", at=at, subjects=subjects_of(endpoint), reason=reason)


@transaction.atomic
def enable(endpoint: WebhookEndpoint) -> None:
    """It is told again, what waited for it first."""
    rows = WebhookEndpoint.objects.filter(pk=endpoint.pk)
    was_disabled = rows.filter(disabled_at__isnull=False).exists()
    rows.update(disabled_at=None, disabled_reason="", rests_until=None)
    if was_disabled:
        record("webhook.enabled", at=clock.now(), subjects=subjects_of(endpoint))
