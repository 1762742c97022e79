"""What is done with an endpoint: a new secret, an end and a new beginning."""

from datetime import datetime, timedelta

from foundation.webhooks import signing
from foundation.webhooks.models import WebhookEndpoint

BOTH_SIGN_FOR = timedelta(hours=24)


def rotate(endpoint: WebhookEndpoint, at: datetime) -> str:
    """Give it a new secret, and return it. Messages bear both signatures for a day: time to change the receiver."""
    endpoint.previous_secret, endpoint.previous_until = endpoint.secret, at + BOTH_SIGN_FOR
    endpoint.secret = signing.new_secret()
    endpoint.save(update_fields=["secret", "previous_secret", "previous_until"])
    return endpoint.secret


def disable(endpoint: WebhookEndpoint, reason: str, at: datetime) -> None:
    """It is told nothing new, and what waits for it waits. The first reason stays."""
    live = WebhookEndpoint.objects.filter(pk=endpoint.pk, disabled_at=None)
    live.update(disabled_at=at, disabled_reason=reason)


def enable(endpoint: WebhookEndpoint) -> None:
    """It is told again, what waited for it first."""
    WebhookEndpoint.objects.filter(pk=endpoint.pk).update(disabled_at=None, disabled_reason="", rests_until=None)
