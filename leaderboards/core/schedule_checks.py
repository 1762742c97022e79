"""Which cron expressions and openings a board may have, and what a refusal of one says."""

from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice, pairwise, takewhile
from typing import NamedTuple

from cronsim import CronSim, CronSimError

from foundation.messages import Message
from leaderboards.errors import BadBoard

FEWEST_MINUTES = 10  # between two starts
MOST_OPEN_MINUTES = 366 * 1440
MOST_CHARACTERS = 100
FIELDS = (Message("minute"), Message("hour"), Message("day of month"), Message("month"), Message("day of week"))
NICKNAMES = {
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}  # fmt: skip  # as a table
# What one number of each field may be.
BOUNDS = (
    Message("0 to 59"),
    Message("0 to 23"),
    Message("1 to 31"),
    Message("1 to 12, or JAN to DEC"),
    Message("0 to 7, or SUN to SAT"),
)

_DAY, _MINUTE = timedelta(days=1), timedelta(minutes=1)
_SAMPLES = 500  # starts from which the longest distance of an expression is taken
_YEARS = 28  # after so many years dates fall on the same days of the week, except across years such as 2100
_SAMPLE_FROM = datetime(2024, 1, 1)  # noqa: DTZ001 - a clock's time, which has no zone
_SAMPLE_UNTIL = _SAMPLE_FROM.replace(year=_SAMPLE_FROM.year + _YEARS)


class Distances(NamedTuple):
    """The shortest and the longest time between two starts, on a clock without zone."""

    shortest: timedelta
    longest: timedelta


def check_schedule(expression: str, open_minutes: int | None) -> Distances:
    """Return the distances between its starts. Raises ``BadBoard`` if these windows cannot be."""
    distances = _distances(expression)
    fewest = int(distances.shortest / _MINUTE)
    if fewest < FEWEST_MINUTES:
        raise BadBoard(
            Message(
                "The schedule starts again after %(found)s min: at least %(least)s min must lie between two starts.",
                found=fewest,
                least=FEWEST_MINUTES,
            ),
            "schedule",
        )
    if open_minutes is not None:
        if isinstance(open_minutes, bool) or not isinstance(open_minutes, int):
            raise BadBoard(Message("`open_minutes` is a whole number of minutes, or empty."), "open_minutes")
        if not 1 <= open_minutes <= MOST_OPEN_MINUTES:
            raise BadBoard(
                Message("`open_minutes` is 1 to %(most)s, or empty.", most=MOST_OPEN_MINUTES), "open_minutes"
            )
        if open_minutes > fewest:
            raise BadBoard(
                Message(
                    "The windows overlap: each is open for %(open)s min, and the next starts after %(between)s min. "
                    "Set `open_minutes` to at most %(most)s, or leave it empty.",
                    open=open_minutes,
                    between=fewest,
                    most=fewest,
                ),
                "open_minutes",
            )
    return distances


@lru_cache(maxsize=256)
def _distances(expression: str) -> Distances:
    fields = expression.split()
    if expression.lstrip().startswith("@"):
        raise BadBoard(_nickname(expression.strip()), "schedule")
    if len(expression) > MOST_CHARACTERS or len(fields) != len(FIELDS) or not expression.isascii():
        raise BadBoard(
            Message(
                "`schedule` has five fields (minute, hour, day of month, month, day of week), such as `0 18 * * 5` for "
                "Fridays at 18:00."
            ),
            "schedule",
        )
    try:
        first = list(islice(CronSim(expression, _SAMPLE_FROM), _SAMPLES))
    except CronSimError:
        raise BadBoard(_unreadable(fields), "schedule") from None
    if len(first) < 2:
        raise BadBoard(_never_starts(), "schedule")
    return Distances(_shortest(expression), max(later - earlier for earlier, later in pairwise(first)))


def _shortest(expression: str) -> timedelta:
    """Return the shortest time between two starts, within a day or from one day with starts to the next.

    The days of ``_YEARS`` suffice: each year of the calendar is one of them, and begins with the same day of the week.
    """
    minute, hour, *days = expression.split()
    clock = CronSim(f"{minute} {hour} * * *", _SAMPLE_FROM)
    times = sorted(timedelta(hours=each, minutes=rest) for each in clock.hours for rest in clock.minutes)
    found = [later - earlier for earlier, later in pairwise(times)]
    starts = takewhile(lambda day: day < _SAMPLE_UNTIL, CronSim(" ".join(["0", "0", *days]), _SAMPLE_FROM))
    fewest_days = None
    for earlier, later in pairwise(starts):
        fewest_days = later - earlier if fewest_days is None else min(fewest_days, later - earlier)
        if fewest_days == _DAY:
            break
    if fewest_days is not None:
        found.append(fewest_days - times[-1] + times[0])
    return min(found, default=_YEARS * 365 * _DAY)


def _nickname(text: str) -> Message:
    """Say what to write in place of ``@daily``, and that intervals such as ``@every 72h`` do not exist."""
    if written := NICKNAMES.get(text.lower()):
        return Message(
            "`schedule`: %(text)s is a short form that is not known here. Write `%(written)s`.",
            text=text,
            written=written,
        )
    return Message(
        "`schedule`: %(text)s is not known here. There are no intervals: a schedule names times of the clock and days, "
        "such as `0 */6 * * *` for every six hours or `0 0 * * MON,THU` for Mondays and Thursdays.",
        text=text[:40],
    )


def _never_starts() -> Message:
    return Message("The schedule never starts: no month has such a day.")


def _unreadable(fields: list[str]) -> Message:
    """Say which of the five fields cannot be read."""
    for nth, text in enumerate(fields):
        alone = ["*"] * len(FIELDS)
        alone[nth] = text
        try:
            CronSim(" ".join(alone), _SAMPLE_FROM)
        except CronSimError:
            return Message(
                "`schedule`: %(text)s is no %(field)s: it takes %(bounds)s, also as 1-5, 1,3 or */2, and *.",
                text=repr(text),
                field=FIELDS[nth],
                bounds=BOUNDS[nth],
            )
    return _never_starts()
