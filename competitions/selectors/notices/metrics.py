"""Metrics of competitions: deferred notices, and e-mails that wait or have failed."""

from collections.abc import Iterator

from django.db.models import Count, Min

from competitions.models import Mail, Notice
from foundation import clock
from foundation.monitoring.own_readings import overdue
from foundation.monitoring.readings import Reading


def notice_readings() -> Iterator[Reading]:
    """Yield the metrics of undelivered notices and e-mails."""
    at = clock.now()
    deferred = Notice.objects.filter(held_until__isnull=False).aggregate(count=Count("pk"), first=Min("held_until"))
    yield Reading("sunwi_notices_deferred", "Notices that are held until their players' morning.", deferred["count"])
    description = "How overdue the oldest deferred notice is."
    yield Reading("sunwi_notices_overdue_seconds", description, overdue(deferred["first"], at))
    due = Mail.objects.filter(next_try_at__isnull=False).aggregate(count=Count("pk"), first=Min("next_try_at"))
    dead = Mail.objects.filter(dead_at__isnull=False).count()
    for state, count in (("waiting", due["count"]), ("dead", dead)):
        yield Reading("sunwi_mails", "E-mails of notices that wait, or were given up.", count, ("state", state))
    description = "For how long the e-mail that is due longest has waited for its try."
    yield Reading("sunwi_mails_overdue_seconds", description, overdue(due["first"], at))
