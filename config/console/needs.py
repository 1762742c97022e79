"""Work that waits for staff: how much of each kind, and the facts of its first item.

Counts stop at ``MOST``. Readers only see kinds that they may view in the admin.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet

from competitions.models import Competition
from competitions.selectors.comments import open_reports
from foundation.models import DeadLetter, WebhookDelivery, WebhookEndpoint
from leaderboards.models import QuarantinedEntry
from leaderboards.selectors.monitoring.lag import unrepaired

MOST = 1000


@dataclass(frozen=True, slots=True)
class Need:
    """Work of one kind. ``facts`` are the values for its text. The reader must be allowed to view ``model``, and the
    rail shows the count beside it."""

    code: str
    model: str
    count: int
    facts: Mapping[str, Any]


def _counted(rows: QuerySet[Any]) -> int:
    return rows.order_by()[:MOST].count()


def _results(_at: datetime) -> Need | None:
    """Closed and not final: staff confirm the result, or the review ends by itself."""
    rows = Competition.objects.filter(closed_at__isnull=False, final_at=None, cancelled_at=None)
    first = rows.order_by("closed_at").values("pk", "name").first()
    return first and Need("result", "competitions.competition", _counted(rows), first)


def _reveals(at: datetime) -> Need | None:
    """Over and still frozen: staff must reveal the result, nothing does so by itself."""
    rows = Competition.objects.filter(frozen_at__isnull=False, revealed_at=None, cancelled_at=None, ends_at__lt=at)
    first = rows.order_by("ends_at").values("pk", "name").first()
    return first and Need("reveal", "competitions.competition", _counted(rows), first)


def _drafts(at: datetime) -> Need | None:
    """Not published although its start has passed."""
    rows = Competition.objects.filter(published_at=None, cancelled_at=None, final_at=None, starts_at__lt=at)
    first = rows.order_by("-starts_at").values("pk", "name", "starts_at").first()
    return first and Need("draft", "competitions.competition", _counted(rows), first)


def _quarantined(_at: datetime) -> Need | None:
    rows = QuarantinedEntry.objects.filter(decision="")
    first = rows.order_by("created_at").values("board__name", "created_at", "player__external_id").first()
    return first and Need("quarantined", "leaderboards.quarantinedentry", _counted(rows), first)


def _reported(_at: datetime) -> Need | None:
    """Comments with open reports."""
    rows = open_reports()
    first = rows.values(
        "comment_id", "comment__competition_id", "comment__competition__name", "comment__text", "reason"
    )
    found = first.first()
    number = rows.order_by().values("comment").distinct()[:MOST].count()
    return found and Need("reported", "competitions.comment", number, found)


def _differences(_at: datetime) -> Need | None:
    rows = unrepaired()
    first = rows.order_by("-pk").values("player", "period__board__name", "period__label", "period_id").first()
    return first and Need("difference", "leaderboards.difference", _counted(rows), first)


def _dead_letters(_at: datetime) -> Need | None:
    rows = DeadLetter.objects.filter(resolved_at=None)
    first = rows.order_by("-failed_at").values("pk", "kind", "subject", "reason").first()
    return first and Need("dead_letter", "foundation.deadletter", _counted(rows), first)


def _webhooks(_at: datetime) -> Need | None:
    rows = WebhookDelivery.objects.filter(dead_at__isnull=False)
    first = rows.order_by("-dead_at", "-pk").values("endpoint__name", "last_status").first()
    return first and Need("webhook", "foundation.webhookdelivery", _counted(rows), first)


def _disabled(_at: datetime) -> Need | None:
    """Endpoints that are disabled while messages wait for them."""
    waiting = Count("deliveries", filter=Q(deliveries__next_try_at__isnull=False))
    rows = WebhookEndpoint.objects.exclude(disabled_at=None).annotate(waiting=waiting).filter(waiting__gt=0)
    found = list(rows.values("pk", "name", "waiting")[:MOST])
    return Need("endpoint", "foundation.webhookendpoint", len(found), found[0]) if found else None


# First the kinds that players wait for.
KINDS: tuple[Callable[[datetime], Need | None], ...] = (
    _results, _reveals, _drafts, _quarantined, _reported, _differences, _dead_letters, _webhooks, _disabled,
)  # fmt: skip  # as a list
