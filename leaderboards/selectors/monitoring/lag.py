"""Overdue background work, for /readyz and operators: mirroring, closing, resyncing, unrepaired differences."""

from datetime import datetime, timedelta

from django.db.models import Count, F, Min, Q, QuerySet

from foundation import clock
from foundation.models import Heartbeat
from leaderboards.models import ACTIVE_STATES, Difference, Period, Storage
from leaderboards.selectors.monitoring.backfills import without_backfilled

MIRROR = "mirror"  # the heartbeat of a complete mirror run
MIRRORED_EVERY = timedelta(seconds=10)
CLOSED_WITHIN = timedelta(minutes=5)
RESYNCED_WITHIN = timedelta(seconds=30)


def lag() -> list[str]:
    """Return one sentence for each kind of overdue work."""
    return [problem for check in CHECKS for problem in check()]


def mirror_age() -> timedelta | None:
    """Return the time since the last complete mirror run (standings of redis boards to SQL); None if there was none."""
    return Heartbeat.silence(MIRROR, clock.now())


def stale_periods() -> QuerySet[Period]:
    """Query the periods that Redis lacks something of."""
    return Period.objects.filter(state__in=ACTIVE_STATES, stale_since__isnull=False)


def unrepaired() -> QuerySet[Difference]:
    """Query the differences that `verify` found and no repairing run has checked since."""
    since = Q(period__verified_at=None) | Q(found_at__gt=F("period__verified_at"))
    return Difference.objects.filter(since, repaired=False, period__state__in=ACTIVE_STATES)


def describe_mirror() -> list[str]:
    """Say that standings that only Redis has were not copied to SQL in time."""
    if not Period.objects.filter(board__storage=Storage.REDIS, state__in=ACTIVE_STATES).exists():
        return []
    silence = mirror_age()
    if silence is None:
        return ["standings that only Redis has were never copied to SQL"]
    if silence > MIRRORED_EVERY:
        return [f"standings that only Redis has were last copied to SQL {silence.total_seconds():.0f} s ago"]
    return []


def unclosed(at: datetime, within: timedelta = timedelta()) -> list[tuple[datetime, datetime]]:
    """Return (end, end plus grace) of each period that should have been closed more than ``within`` ago.

    Periods that an import into the past is filling are to stay open.
    """
    ended = Period.objects.filter(state__in=ACTIVE_STATES, ends_at__lt=at - within).select_related("board")
    ends = [(each.ends_at, each.board.grace_seconds) for each in without_backfilled(ended, at)]
    return [
        (ends_at, ends_at + timedelta(seconds=grace))
        for ends_at, grace in ends
        if ends_at and ends_at + timedelta(seconds=grace) + within < at
    ]


def describe_unclosed() -> list[str]:
    """Say how many periods should have been closed, after ``CLOSED_WITHIN``."""
    late = unclosed(clock.now(), CLOSED_WITHIN)
    return [f"periods to close: {len(late)}, the first since {min(late)[0]:%Y-%m-%d %H:%M} UTC"] if late else []


def describe_stale() -> list[str]:
    """Say how many periods Redis has lacked something of, after ``RESYNCED_WITHIN``."""
    late = Period.objects.filter(state__in=ACTIVE_STATES, stale_since__lt=clock.now() - RESYNCED_WITHIN)
    stale = late.aggregate(count=Count("pk"), first=Min("stale_since"))
    return [f"stale periods: {stale['count']}, the first since {stale['first']:%F %R} UTC"] if stale["count"] else []


def describe_unrepaired() -> list[str]:
    """Say how many differences nobody has repaired."""
    count = unrepaired().count()
    return [f"unrepaired differences: {count}; `verify --repair` repairs them"] if count else []


CHECKS = (describe_mirror, describe_unclosed, describe_stale, describe_unrepaired)
