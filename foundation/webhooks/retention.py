"""Problems of the outbox for readiness, and deleting old messages.

Dead messages stay until somebody replays or drops them.
"""

from datetime import datetime, timedelta

from django.db.models import Count, Q

from foundation import clock
from foundation.sunwi_settings import sunwi_settings
from foundation.webhooks.models import WebhookDelivery, WebhookEndpoint

BATCH = 1000
LATE = timedelta(minutes=5)


def health_problems() -> list[str]:
    """A sentence for each problem."""
    return [*_dead(), *_waiting_for_disabled(), *_late(clock.now())]


def _dead() -> list[str]:
    count = WebhookDelivery.objects.filter(dead_at__isnull=False).count()
    return [f"webhook messages that were given up: {count}; replay or drop them in the admin"] if count else []


def _waiting_for_disabled() -> list[str]:
    waiting = Count("deliveries", filter=Q(deliveries__next_try_at__isnull=False))
    disabled = WebhookEndpoint.objects.exclude(disabled_at=None).annotate(waiting=waiting).filter(waiting__gt=0)
    return [f"webhook endpoint {each} is disabled, and {each.waiting} messages wait for it" for each in disabled]


def _late(at: datetime) -> list[str]:
    count = WebhookDelivery.objects.filter(tries=0, next_try_at__lt=at - LATE, endpoint__disabled_at=None).count()
    return [f"webhook messages not tried for more than 5 minutes: {count}"] if count else []


def retain(at: datetime) -> int:
    """Delete messages delivered or dropped WEBHOOK_KEEP_DAYS ago, and expired previous secrets.

    Returns how many messages were deleted.
    """
    WebhookEndpoint.objects.filter(previous_until__lte=at).update(previous_secret="", previous_until=None)
    before = at - timedelta(days=sunwi_settings.WEBHOOK_KEEP_DAYS)
    deleted = 0
    for old in (Q(delivered_at__lt=before), Q(dropped_at__lt=before)):
        while batch := list(WebhookDelivery.objects.filter(old).values_list("pk", flat=True)[:BATCH]):
            deleted += WebhookDelivery.objects.filter(old, pk__in=batch).delete()[0]
    return deleted
