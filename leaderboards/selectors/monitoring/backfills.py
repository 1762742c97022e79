"""Imports into past periods: which periods stay open for one that is running."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from foundation.models import Heartbeat
from leaderboards.models import Period, PeriodState

BACKFILL_TIMEOUT = timedelta(hours=1)
_BACKFILL = "backfill of board "


def backfill_heartbeat_name(board: int) -> str:
    """Return the heartbeat name of an import into past periods of a board."""
    return f"{_BACKFILL}{board}"


def without_backfilled(periods: Iterable[Period], at: datetime) -> list[Period]:
    """Return those of the periods that no import into the past is filling, in their order."""
    heartbeats = dict(Heartbeat.objects.filter(name__startswith=_BACKFILL).values_list("name", "beat_at"))
    return [period for period in periods if not _is_backfilled(period, heartbeats, at)]


def _is_backfilled(period: Period, heartbeats: Mapping[str, datetime], at: datetime) -> bool:
    """Whether an import into this past period is running: opened after its end, with a recent heartbeat."""
    if period.state != PeriodState.OPEN or period.ends_at is None or period.created_at <= period.ends_at:
        return False
    last = max(period.created_at, heartbeats.get(backfill_heartbeat_name(period.board_id), period.created_at))
    return last > at - BACKFILL_TIMEOUT
