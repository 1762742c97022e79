"""What is late, for /readyz and operators: standings that SQL does not have yet, periods that should be closed."""

from datetime import timedelta

from foundation import clock
from foundation.models import Heartbeat
from leaderboards.models import Period, State, Storage

MIRROR = "mirror"  # the sign of life of a mirror run that missed nothing
MIRRORED_EVERY = timedelta(seconds=10)
CLOSED_WITHIN = timedelta(minutes=5)
_LIVING = (State.OPEN, State.CLOSING)


def lag() -> list[str]:
    """One sentence for each thing that is late."""
    return [*_unmirrored(), *_unclosed()]


def _unmirrored() -> list[str]:
    if not Period.objects.filter(board__storage=Storage.REDIS, state__in=_LIVING).exists():
        return []
    silence = Heartbeat.silence(MIRROR, clock.now())
    if silence is None:
        return ["standings that only Redis has were never copied to SQL"]
    if silence > MIRRORED_EVERY:
        return [f"standings that only Redis has were last copied to SQL {silence.total_seconds():.0f} s ago"]
    return []


def _unclosed() -> list[str]:
    at = clock.now()
    ended = Period.objects.filter(state__in=_LIVING, ends_at__lt=at - CLOSED_WITHIN)
    late = [
        ends_at
        for ends_at, grace in ended.values_list("ends_at", "board__grace_seconds")
        if ends_at and ends_at + timedelta(seconds=grace) + CLOSED_WITHIN < at
    ]
    return [f"periods to close: {len(late)}, the first since {min(late):%Y-%m-%d %H:%M} UTC"] if late else []
