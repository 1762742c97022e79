"""How far settling is, for the admin, the doctor and whoever waits at a terminal. One count in SQL each."""

from leaderboards.models import Period, Standing


def ranked(period: Period) -> int:
    """How many players SQL ranks: as many are put while a period is rebuilt as a whole."""
    return Standing.objects.filter(period=period, score__isnull=False).count()


def marked(period: Period) -> int:
    """How many standings are known to be missing in Redis."""
    return Standing.objects.filter(period=period, unput=True).count()
