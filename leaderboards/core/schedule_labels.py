"""Labels of windows that start by a schedule."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from leaderboards.core.instants import first_second

_MINUTE = timedelta(minutes=1)
_LAST_MINUTE = 59
_LABEL = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{2})([0-9]{2})?(?:([b-y])([0-9]{2}))?")


def start_label(start: datetime, zone: ZoneInfo) -> str:
    """Return the label of a window that starts at ``start``: ``2026-11-27-1800``, on the zone's clock.

    In a repeated hour the second time is marked by a letter behind the hour after which the clock went back, ``b`` for
    the first hour from there, ``c`` for the next: ``2026-10-25-02b30``. Where it went back within an hour, the letter
    stands behind the minute: ``2025-04-06-0344b00`` on the Chatham Islands. So labels sort as their windows do.
    """
    local = start.astimezone(zone)
    if not local.fold:
        return f"{local:%Y-%m-%d-%H%M}"
    earlier = start - _shift(local)  # the clock showed the same
    turned = first_second(earlier, start, lambda at: at.astimezone(zone).fold == 1)
    hours, minutes = divmod((start - turned) // _MINUTE, 60)
    last = (turned - _MINUTE).astimezone(zone)
    before = f"{last:%Y-%m-%d-%H}" if last.minute == _LAST_MINUTE else f"{last:%Y-%m-%d-%H%M}"
    return f"{before}{chr(ord('b') + hours)}{minutes:02d}"


def _shift(local: datetime) -> timedelta:
    """Return how far the clock went back before this repeated time."""
    earlier, present = local.replace(fold=0).utcoffset(), local.utcoffset()
    return (earlier or timedelta()) - (present or timedelta())


def start_of_label(label: str, zone: ZoneInfo) -> datetime | None:
    """Return the instant with this label; None if no instant has it."""
    match = _LABEL.fullmatch(label)
    if match is None:
        return None
    hour, minute, letter, since = match.groups()
    try:
        wall = datetime.strptime(f"{hour}{'00' if letter else minute}", "%Y-%m-%d-%H%M")  # noqa: DTZ007 - a clock's time, which has no zone
        start = wall.replace(tzinfo=zone).astimezone(UTC)
        if letter:
            hours = ord(letter) - ord("b")
            start = _turn_after(start, zone) + (60 * hours + int(since)) * _MINUTE
        return start if start_label(start, zone) == label else None
    except (ValueError, OverflowError):
        return None


def _turn_after(hour: datetime, zone: ZoneInfo) -> datetime:
    """Return the first repeated minute within the hour that begins at ``hour``, or at its end; else its end."""
    minutes = (hour + nth * _MINUTE for nth in range(1, 61))
    return next((at for at in minutes if at.astimezone(zone).fold), hour + 60 * _MINUTE)
