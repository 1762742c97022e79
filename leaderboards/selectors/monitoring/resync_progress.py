"""Progress of a resync, for the admin, ``manage.py doctor`` and commands that wait for it. Each is one SQL count."""

from django.utils.translation import gettext as _

from leaderboards.models import Part, standings_of


def count_ranked(period: Part) -> int:
    """Count the players ranked in SQL: a full rebuild writes as many to Redis."""
    return standings_of(period).filter(score__isnull=False).count()


def count_pending_publish(period: Part) -> int:
    """Count the standings known to be missing in Redis."""
    return standings_of(period).filter(pending_publish=True).count()


def describe_resync(period: Part) -> str:
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
