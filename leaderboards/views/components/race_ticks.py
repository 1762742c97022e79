"""The times above a race: days in a time zone, or hours or minutes if it is short."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.dateformat import format as spell
from django.utils.translation import pgettext

from leaderboards.core.race import across
from leaderboards.selectors.history.race import RaceSnapshots
from leaderboards.views.components.race_data import Tick

MOST_TICKS = 8
_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
_STEPS = (
    *(minutes * _MINUTE for minutes in (1, 2, 5, 10, 15, 30)),
    *(hours * _HOUR for hours in (1, 2, 3, 6, 12)),
)


def race_ticks(zone_name: str, snapshots: RaceSnapshots, start: datetime) -> list[Tick]:
    """Return at most ``MOST_TICKS``, in the language of the reader; positions are 0 to ``WIDTH``."""
    zone, span = ZoneInfo(zone_name), snapshots.end - start
    if span <= 1.5 * _DAY:
        step = next((step for step in _STEPS if span / step <= MOST_TICKS - 1), _STEPS[-1])
        at = start.astimezone(zone).replace(minute=0, second=0, microsecond=0)
        while at < start or (at.hour * _HOUR + at.minute * _MINUTE) % step:
            at += min(step, _HOUR)
        pattern = "H:i"
    else:
        step = -(-span // (_DAY * (MOST_TICKS - 1))) * _DAY
        at = start.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
        at += _DAY if start - at.astimezone(start.tzinfo) > 0.5 * _DAY else timedelta()
        pattern = "D" if span <= 8 * _DAY else pgettext("date format", "j M")
    found: list[Tick] = []
    while at < snapshots.end - span / (20 if pattern == "D" else 12):
        found.append(Tick(across(at, start, snapshots.end), spell(at, pattern), at if pattern == "H:i" else None))
        at += step
    return found
