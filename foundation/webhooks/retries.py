"""The delays between tries of a message: ten tries in about 75 hours."""

from datetime import timedelta

DELAYS = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
)
JITTER = 0.1


def delay(tries: int, luck: float) -> timedelta | None:
    """The wait after ``tries`` tries, up to a tenth longer by the random number ``luck`` (0 to 1); None: give up."""
    return DELAYS[tries - 1] * (1 + JITTER * luck) if tries <= len(DELAYS) else None
