"""Copying a period as the freeze of a competition does: Redis is mirrored first, outside of the transaction."""

from datetime import datetime

from leaderboards.models import Period
from leaderboards.services.periods.freeze import copy_period_in_sql, mirror_before_copy


def copy_period(period: Period, label: str, at: datetime) -> Period:
    mirror_before_copy(period)
    return copy_period_in_sql(period, label, at)
