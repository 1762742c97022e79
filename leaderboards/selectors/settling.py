"""How far settling is, for the admin, the doctor and people who wait at a terminal. One count in SQL each."""

from leaderboards.models import Period, Standing


def ranked(period: Period) -> int:
    """How many players SQL ranks: as many are put while a period is rebuilt as a whole."""
    return Standing.objects.filter(period=period, score__isnull=False).count()


def marked(period: Period) -> int:
    """How many standings are known to be missing in Redis."""
    return Standing.objects.filter(period=period, unput=True).count()


def waiting(period: Period) -> str:
    """Since when a stale period waits for settling, and how far that is."""
    if period.whole:
        lacks = f"rebuilding: {period.rebuilt:,} of {ranked(period):,}"
    else:
        missing = marked(period)
        lacks = f"{missing:,} standings are missing in Redis" if missing else "what Redis lacks is not known yet"
    return f"waits for settling since {period.stale_since:%F %T} UTC; {lacks}"
