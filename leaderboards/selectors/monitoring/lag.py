"""What is late, for /readyz and operators: mirroring, closing, settling, and differences that nobody has repaired."""

from datetime import datetime, timedelta

from django.db.models import Count, F, Min, Q, QuerySet

from foundation import clock
from foundation.models import Heartbeat
from leaderboards.models import Difference, Period, PeriodState, Storage

MIRROR = "mirror"  # the sign of life of a mirror run that missed nothing
MIRRORED_EVERY = timedelta(seconds=10)
CLOSED_WITHIN = timedelta(minutes=5)
RESYNCED_WITHIN = timedelta(seconds=30)
_LIVING = (PeriodState.OPEN, PeriodState.CLOSING)


def lag() -> list[str]:
    """One sentence for each thing that is late."""
    return [*_unmirrored(), *_unclosed(), *_unsettled(), *_unrepaired()]


def mirror_age() -> timedelta | None:
    """How long ago everything that only Redis had was copied to SQL; None for never."""
    return Heartbeat.silence(MIRROR, clock.now())


def unrepaired() -> QuerySet[Difference]:
    """Differences that somebody saw by `verify` alone, and that no repairing run has passed since."""
    since = Q(period__verified_at=None) | Q(found_at__gt=F("period__verified_at"))
    return Difference.objects.filter(since, repaired=False, period__state__in=_LIVING)


def _unmirrored() -> list[str]:
    if not Period.objects.filter(board__storage=Storage.REDIS, state__in=_LIVING).exists():
        return []
    silence = mirror_age()
    if silence is None:
        return ["standings that only Redis has were never copied to SQL"]
    if silence > MIRRORED_EVERY:
        return [f"standings that only Redis has were last copied to SQL {silence.total_seconds():.0f} s ago"]
    return []


def unclosed(at: datetime, within: timedelta = timedelta()) -> list[tuple[datetime, datetime]]:
    """Of each period that should have been closed for longer than ``within``: when it ended, and was to be closed."""
    ended = Period.objects.filter(state__in=_LIVING, ends_at__lt=at - within)
    return [
        (ends_at, ends_at + timedelta(seconds=grace))
        for ends_at, grace in ended.values_list("ends_at", "board__grace_seconds")
        if ends_at and ends_at + timedelta(seconds=grace) + within < at
    ]


def _unclosed() -> list[str]:
    late = unclosed(clock.now(), CLOSED_WITHIN)
    return [f"periods to close: {len(late)}, the first since {min(late)[0]:%Y-%m-%d %H:%M} UTC"] if late else []


def _unsettled() -> list[str]:
    late = Period.objects.filter(state__in=_LIVING, stale_since__lt=clock.now() - RESYNCED_WITHIN)
    found = late.aggregate(count=Count("pk"), first=Min("stale_since"))
    return [f"stale periods: {found['count']}, the first since {found['first']:%F %R} UTC"] if found["count"] else []


def _unrepaired() -> list[str]:
    count = unrepaired().count()
    return [f"unrepaired differences: {count}; `verify --repair` repairs them"] if count else []
