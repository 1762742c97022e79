"""Progress of a resync, for the admin, ``manage.py doctor`` and commands that wait for it. Each is one SQL count."""

from leaderboards.models import Period, Standing


def count_ranked(period: Period) -> int:
    """Count the players ranked in SQL: a full rebuild writes as many to Redis."""
    return Standing.objects.filter(period=period, score__isnull=False).count()


def count_pending_publish(period: Period) -> int:
    """Count the standings known to be missing in Redis."""
    return Standing.objects.filter(period=period, pending_publish=True).count()


def describe_resync(period: Period) -> str:
    """Describe since when a stale period waits for its resync, and the progress."""
    if period.needs_full_rebuild:
        lacks = f"rebuilding: {period.rebuild_progress:,} of {count_ranked(period):,}"
    else:
        missing = count_pending_publish(period)
        lacks = f"{missing:,} standings are missing in Redis" if missing else "what Redis lacks is not known yet"
    return f"waits to be brought up to date since {period.stale_since:%F %T} UTC; {lacks}"
