"""Progress of a resync, for the admin, ``manage.py doctor`` and commands that wait for it. Each is one SQL count."""

from django.utils.translation import gettext as _

from leaderboards.models import Period, Standing


def count_ranked(period: Period) -> int:
    """Count the players ranked in SQL: a full rebuild writes as many to Redis."""
    return Standing.objects.filter(period=period, score__isnull=False).count()


def count_pending_publish(period: Period) -> int:
    """Count the standings known to be missing in Redis."""
    return Standing.objects.filter(period=period, pending_publish=True).count()


def describe_resync(period: Period) -> str:
    """Describe since when a stale period waits for its resync, and the progress, in the reader's language."""
    if period.needs_full_rebuild:
        progress = {"done": f"{period.rebuild_progress:,}", "total": f"{count_ranked(period):,}"}
        lacks = _("rebuilding: %(done)s of %(total)s") % progress
    elif missing := count_pending_publish(period):
        lacks = _("%(count)s standings are missing in Redis") % {"count": f"{missing:,}"}
    else:
        lacks = _("what Redis lacks is not known yet")
    return _("waits to be brought up to date since %(since)s UTC; %(lacks)s") % {
        "since": f"{period.stale_since:%F %T}",
        "lacks": lacks,
    }
