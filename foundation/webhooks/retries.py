"""When a message that did not get through is tried again: ten tries in about 75 hours."""

from datetime import timedelta

DELAYS = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
)
JITTER = 0.1


def delay(tries: int, luck: float) -> timedelta | None:
    """How long to wait after ``tries`` tries, up to a tenth longer by ``luck`` (0 to 1); None to give up."""
    return DELAYS[tries - 1] * (1 + JITTER * luck) if tries <= len(DELAYS) else None
