"""The score ranges of running periods, for operators: since when they follow."""

from datetime import datetime

from leaderboards.core.instants import EPOCH
from leaderboards.models import Period, PeriodState, ScoreRanges


def followed_since() -> list[tuple[Period, datetime]]:
    """Return running periods with ranges, and when these last followed all partitions; ``EPOCH`` for never."""
    rows = (
        ScoreRanges.objects.filter(period__state=PeriodState.OPEN).select_related("period").defer("cuts", "next_cuts")
    )
    return [(row.period, row.followed_at or EPOCH) for row in rows.order_by("followed_at")]
