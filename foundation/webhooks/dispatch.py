"""Send the due webhook messages, one try each, and record the results.

Each endpoint has at most one message in flight, under a lease that is longer than the longest try. So no two workers
send the same message at once, and a killed worker's message is sent again with the same id. Endpoints are served in
parallel, the least recently served first. Only the main thread uses SQL; the other threads wait for answers.
"""

import logging
import secrets
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q

from foundation import clock
from foundation.failpoints import failpoint
from foundation.webhooks import endpoints, retries, signing
from foundation.webhooks.http_post import TOTAL_SECONDS, PostResult, post
from foundation.webhooks.models import WebhookDelivery, WebhookEndpoint

logger = logging.getLogger(__name__)

RUN_SECONDS = 4.0  # shorter than the schedule's interval, so that slow receivers do not block the worker
SIDE_BY_SIDE = 8
LEASE = timedelta(seconds=2 * TOTAL_SECONDS)
REST_FACTOR = 4  # after a failure an endpoint rests for this many times the duration of the try
POLL_SECONDS = 0.5
SLACK = timedelta(minutes=1)  # far more than clocks may differ: a worker whose clock is further off sends nothing
LONGEST_REST = REST_FACTOR * LEASE  # an answer after the lease is not recorded
LONGEST_WAIT = max(retries.DELAYS) * (1 + retries.JITTER)


def deliver_due(at: datetime, seconds: float = RUN_SECONDS) -> int:
    """Send due messages for about ``seconds``, and wait for the last answers; return how many arrived.

    Does nothing while another run is in progress, so that slow endpoints cannot occupy every worker.
    """
    heal(at)
    if WebhookEndpoint.objects.filter(busy_until__gt=at).exists():
        return 0
    arrived, started = 0, clock.monotonic()
    in_flight: dict[Future[PostResult], WebhookDelivery] = {}
    with ThreadPoolExecutor(SIDE_BY_SIDE) as threads:
        while True:
            elapsed = clock.monotonic() - started
            if elapsed < seconds:
                for delivery in claim(at + timedelta(seconds=elapsed), SIDE_BY_SIDE - len(in_flight)):
                    in_flight[threads.submit(_send, delivery)] = delivery
            if not in_flight:
                return arrived
            answered, _ = wait(in_flight, POLL_SECONDS, FIRST_COMPLETED)
            now = at + timedelta(seconds=clock.monotonic() - started)
            failpoint("webhooks.before_record")
            arrived += sum(record(in_flight.pop(each), each.result(), now) for each in answered)


def heal(at: datetime) -> int:
    """Free what waits for a time further after ``at`` than any lease, rest or retry lasts, and log that.

    A worker whose clock was ahead leaves such times behind, and nothing would be sent until then. Returns the number
    of endpoints and messages.
    """
    everywhere = WebhookEndpoint.objects.order_by()
    endpoints = list(everywhere.values_list("pk", flat=True))
    if not endpoints:  # as on most sites
        return 0
    freed = everywhere.filter(busy_until__gt=at + LEASE + SLACK).update(busy_until=None)
    freed += everywhere.filter(rests_until__gt=at + LONGEST_REST + SLACK).update(rests_until=None)
    # By endpoint, as the index of waiting messages has them.
    too_late = WebhookDelivery.objects.filter(endpoint_id__in=endpoints, next_try_at__gt=at + LONGEST_WAIT + SLACK)
    freed += too_late.update(next_try_at=at)
    if freed:
        logger.warning("webhooks: %d leases or next tries were too far in the future (a clock was wrong); freed", freed)
    return freed


@transaction.atomic
def claim(at: datetime, most: int = SIDE_BY_SIDE) -> list[WebhookDelivery]:
    """Lease up to ``most`` free endpoints and return one due message of each. The try is counted here."""
    due = WebhookDelivery.objects.filter(endpoint=OuterRef("pk"), next_try_at__lte=at)
    free = WebhookEndpoint.objects.select_for_update(skip_locked=True).filter(
        Q(busy_until=None) | Q(busy_until__lte=at),
        Q(rests_until=None) | Q(rests_until__lte=at),
        Exists(due),
        disabled_at=None,
    )
    least_recent = free.order_by(F("rests_until").asc(nulls_first=True), "pk")[:most]
    return [delivery for endpoint in least_recent if (delivery := _take(endpoint, at))]


def _take(endpoint: WebhookEndpoint, at: datetime) -> WebhookDelivery | None:
    delivery = endpoint.deliveries.filter(next_try_at__lte=at).order_by("next_try_at", "pk").first()
    if delivery is None:  # dropped a moment ago
        return None
    delivery.tries += 1
    delivery.last_try_at = at
    delivery.save(update_fields=["tries", "last_try_at"])
    endpoint.busy_until = at + LEASE
    endpoint.save(update_fields=["busy_until"])
    return delivery


def _send(delivery: WebhookDelivery) -> PostResult:
    """Post the message; runs in a thread and does not use SQL."""
    endpoint, at, body = delivery.endpoint, delivery.last_try_at, delivery.body.encode()
    assert at is not None  # noqa: S101 - for the type checker: `claim` set it
    try:
        return post(endpoint.url, body, signing.headers(delivery.message_id, at, body, endpoint.secrets(at)))
    except Exception:
        # An error in our code must not block the messages after this one.
        logger.exception("%s could not be sent", delivery)
        return PostResult(None, "It could not be sent: a fault on this side, which is in the log.", 0.0)


@transaction.atomic
def record(delivery: WebhookDelivery, answer: PostResult, at: datetime) -> bool:
    """Record the result of a try; return whether the message arrived. Does nothing if the lease was lost."""
    rest = timedelta() if answer.is_good else REST_FACTOR * timedelta(seconds=answer.seconds)
    leased = WebhookEndpoint.objects.filter(pk=delivery.endpoint_id, busy_until=delivery.endpoint.busy_until)
    if not leased.update(busy_until=None, rests_until=at + rest):
        return False
    changes = {"next_try_at": None, "delivered_at": at} if answer.is_good else _changes_after_failure(delivery, at)
    waiting = WebhookDelivery.objects.filter(pk=delivery.pk, next_try_at__isnull=False)
    waiting.update(last_status=answer.status, last_answer=answer.said, **changes)
    if answer.is_gone:
        logger.warning("webhook endpoint %s answered 410 and is disabled", delivery.endpoint)
        endpoints.disable(delivery.endpoint, "It answered 410: nobody listens there any more.", at)
    return answer.is_good


def _changes_after_failure(delivery: WebhookDelivery, at: datetime) -> dict[str, datetime | None]:
    delay = retries.delay(delivery.tries, secrets.randbelow(1001) / 1000)
    if delay is not None:
        return {"next_try_at": at + delay}
    logger.warning("%s is dead after %d tries", delivery, delivery.tries)
    return {"next_try_at": None, "dead_at": at}
