"""How far settling is, for the admin, the doctor and people who wait at a terminal. One count in SQL each."""

from leaderboards.models import Period, Standing


def count_ranked(period: Period) -> int:
    """How many players SQL ranks: as many are put while a period is rebuilt as a whole."""
    return Standing.objects.filter(period=period, score__isnull=False).count()


def count_pending_publish(period: Period) -> int:
    """How many standings are known to be missing in Redis."""
    return Standing.objects.filter(period=period, pending_publish=True).count()


def describe_resync(period: Period) -> str:
    """Since when a stale period waits for settling, and how far that is."""
    if period.needs_full_rebuild:
        lacks = f"rebuilding: {period.rebuild_progress:,} of {count_ranked(period):,}"
    else:
        missing = count_pending_publish(period)
        lacks = f"{missing:,} standings are missing in Redis" if missing else "what Redis lacks is not known yet"
    return f"waits for settling since {period.stale_since:%F %T} UTC; {lacks}"
