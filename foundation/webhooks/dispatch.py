"""Sending what is due: a try for each, and what came of it written down.

An endpoint has one message under way at a time, under a lease that outlives the longest try, so no two workers
send one message at once, and what a killed worker held is sent again with the same id. Endpoints are tried side by
side, those that were served longest ago first. Only this thread talks to SQL; the others only wait for answers.
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

# Shorter than the schedule's interval: slow receivers must not keep the worker from everything else.
RUN_SECONDS = 4.0
SIDE_BY_SIDE = 8
LEASE = timedelta(seconds=2 * TOTAL_SECONDS)
# After a failure an endpoint rests for this many times as long as it kept us waiting.
REST_FACTOR = 4
POLL_SECONDS = 0.5


def deliver_due(at: datetime, seconds: float = RUN_SECONDS) -> int:
    """Send what is due for about ``seconds``, and wait for the last answers; returns how many arrived.

    While another run is under way there is nothing to do: slow endpoints must not take every worker.
    """
    if WebhookEndpoint.objects.filter(busy_until__gt=at).exists():
        return 0
    arrived, started = 0, clock.monotonic()
    under_way: dict[Future[PostResult], WebhookDelivery] = {}
    with ThreadPoolExecutor(SIDE_BY_SIDE) as threads:
        while True:
            elapsed = clock.monotonic() - started
            if elapsed < seconds:
                for delivery in claim(at + timedelta(seconds=elapsed), SIDE_BY_SIDE - len(under_way)):
                    under_way[threads.submit(_send, delivery)] = delivery
            if not under_way:
                return arrived
            answered, _ = wait(under_way, POLL_SECONDS, FIRST_COMPLETED)
            now = at + timedelta(seconds=clock.monotonic() - started)
            failpoint("webhooks.before_record")
            arrived += sum(record(under_way.pop(each), each.result(), now) for each in answered)


@transaction.atomic
def claim(at: datetime, most: int = SIDE_BY_SIDE) -> list[WebhookDelivery]:
    """One due message for each of up to ``most`` free endpoints, which are busy from now on. The try counts already."""
    due = WebhookDelivery.objects.filter(endpoint=OuterRef("pk"), next_try_at__lte=at)
    free = WebhookEndpoint.objects.select_for_update(skip_locked=True).filter(
        Q(busy_until=None) | Q(busy_until__lte=at),
        Q(rests_until=None) | Q(rests_until__lte=at),
        Exists(due),
        disabled_at=None,
    )
    longest_ago = free.order_by(F("rests_until").asc(nulls_first=True), "pk")[:most]
    return [delivery for endpoint in longest_ago if (delivery := _take(endpoint, at))]


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
    """In a thread of its own; the row is read, and written by ``record``."""
    endpoint, at, body = delivery.endpoint, delivery.last_try_at, delivery.body.encode()
    assert at is not None  # noqa: S101 - for the type checker: claimed
    try:
        return post(endpoint.url, body, signing.headers(delivery.message_id, at, body, endpoint.secrets(at)))
    except Exception:
        # A fault of ours must not hold up what comes after it; the log has the rest.
        logger.exception("%s could not be sent", delivery)
        return PostResult(None, "It could not be sent: a fault on this side, which is in the log.", 0.0)


@transaction.atomic
def record(delivery: WebhookDelivery, answer: PostResult, at: datetime) -> bool:
    """Write down what came of a try; returns whether the message arrived. Does nothing once the lease is another's."""
    rest = timedelta() if answer.is_good else REST_FACTOR * timedelta(seconds=answer.seconds)
    mine = WebhookEndpoint.objects.filter(pk=delivery.endpoint_id, busy_until=delivery.endpoint.busy_until)
    if not mine.update(busy_until=None, rests_until=at + rest):
        return False
    changed = _delivered(at) if answer.is_good else _failed(delivery, at)
    waiting = WebhookDelivery.objects.filter(pk=delivery.pk, next_try_at__isnull=False)
    waiting.update(last_status=answer.status, last_answer=answer.said, **changed)
    if answer.is_gone:
        logger.warning("webhook endpoint %s answered 410 and is disabled", delivery.endpoint)
        endpoints.disable(delivery.endpoint, "It answered 410: nobody listens there any more.", at)
    return answer.is_good


def _delivered(at: datetime) -> dict[str, datetime | None]:
    return {"next_try_at": None, "delivered_at": at}


def _failed(delivery: WebhookDelivery, at: datetime) -> dict[str, datetime | None]:
    delay = retries.delay(delivery.tries, secrets.randbelow(1001) / 1000)
    if delay is not None:
        return {"next_try_at": at + delay}
    logger.warning("%s is dead after %d tries", delivery, delivery.tries)
    return {"next_try_at": None, "dead_at": at}
