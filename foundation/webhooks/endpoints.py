"""Actions on a webhook endpoint: set or rotate its secret, disable, enable."""

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
    """Set a new secret on ``endpoint`` without saving it, and return the secret."""
    secret = signing.new_secret()
    endpoint.secret = sealing.seal(secret, sealing.WEBHOOK)
    return secret


@transaction.atomic
def rotate(endpoint: WebhookEndpoint, at: datetime) -> str:
    """Replace the secret and return the new one. For a day messages have signatures with both."""
    stored = WebhookEndpoint.objects.select_for_update().get(pk=endpoint.pk)
    endpoint.previous_secret, endpoint.previous_until = stored.secret, at + BOTH_SIGN_FOR
    secret = new_secret(endpoint)
    endpoint.save(update_fields=["secret", "previous_secret", "previous_until"])
    record("webhook.rotated", at=at, subjects=subjects_of(endpoint))
    return secret


@transaction.atomic
def disable(endpoint: WebhookEndpoint, reason: str, at: datetime) -> None:
    """Stop sending to the endpoint; waiting messages stay. If it is disabled already, its reason stays too."""
    enabled = WebhookEndpoint.objects.filter(pk=endpoint.pk, disabled_at=None)
    if enabled.update(disabled_at=at, disabled_reason=reason):
        record("webhook.disabled", at=at, subjects=subjects_of(endpoint), reason=reason)


@transaction.atomic
def enable(endpoint: WebhookEndpoint) -> None:
    """Send to the endpoint again, first the messages that waited."""
    rows = WebhookEndpoint.objects.filter(pk=endpoint.pk)
    was_disabled = rows.filter(disabled_at__isnull=False).exists()
    rows.update(disabled_at=None, disabled_reason="", rests_until=None)
    if was_disabled:
        record("webhook.enabled", at=clock.now(), subjects=subjects_of(endpoint))
