"""What competitions tell ``/metrics``: notices that wait for the morning, and their e-mails."""

from collections.abc import Iterator

from django.db.models import Count, Min

from competitions.models import Mail, Notice
from foundation import clock
from foundation.monitoring.own_readings import overdue
from foundation.monitoring.readings import Reading


def notice_readings() -> Iterator[Reading]:
    """What players are to be told, and have not been."""
    at = clock.now()
    held = Notice.objects.filter(held_until__isnull=False).aggregate(count=Count("pk"), first=Min("held_until"))
    yield Reading("sunwi_notices_held", "Notices that are held until their players' morning.", held["count"])
    told = "For how long the one has been held that should have been told first."
    yield Reading("sunwi_notices_overdue_seconds", told, overdue(held["first"], at))
    due = Mail.objects.filter(next_try_at__isnull=False).aggregate(count=Count("pk"), first=Min("next_try_at"))
    dead = Mail.objects.filter(dead_at__isnull=False).count()
    for state, count in (("waiting", due["count"]), ("dead", dead)):
        yield Reading("sunwi_mails", "E-mails of notices that wait, or were given up.", count, ("state", state))
    told = "For how long the e-mail that is due longest has waited for its try."
    yield Reading("sunwi_mails_overdue_seconds", told, overdue(due["first"], at))
