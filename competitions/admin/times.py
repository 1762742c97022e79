"""Times in the competition's own zone: as words, and as form fields that hold what its clocks show.

The trap: Django reads typed times in the site's zone (UTC), so what was typed is moved to the competition's.
"""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.admin.widgets import AdminSplitDateTime
from django.utils.dateformat import format as spell
from django.utils.translation import pgettext

from competitions.models import Competition


class ClockField(forms.SplitDateTimeField):
    """A date and a time of day on the competition's clock; ``in_zone`` makes a moment of it."""

    widget = AdminSplitDateTime


def on_the_clock(at: datetime | None, zone: str, year: bool = False) -> str:
    """Mon 23 Nov 00:00 KST."""
    if at is None:
        return "-"
    local = at.astimezone(ZoneInfo(zone))
    return spell(local, pgettext("date format", "D j M Y H:i T") if year else pgettext("date format", "D j M H:i T"))


def exactly(at: datetime | None, zone: str, year: bool = True) -> str:
    """Mon 23 Nov 2026 00:00:05 KST: of acts and of scores, of which several may fall into a minute."""
    if at is None:
        return "-"
    local = at.astimezone(ZoneInfo(zone))
    with_year, without = pgettext("date format", "D j M Y H:i:s T"), pgettext("date format", "D j M H:i:s T")
    return spell(local, with_year if year else without)


def competition_time(competition: Competition, at: datetime | None, year: bool = False) -> str:
    """A time of a competition on its own clock; with seconds where it takes but minutes."""
    spelt = exactly if competition.timeline.is_short else on_the_clock
    return spelt(at, competition.timezone, year)


def as_typed(at: datetime | None, zone: str) -> datetime | None:
    """What a field of the form shows for ``at``: the clock's face, without a zone."""
    return None if at is None else at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def in_zone(typed: Any, zone: str) -> datetime | None:
    """The moment that was typed. An hour that the clock skips is the one after it; of two alike the first is meant."""
    return typed.replace(tzinfo=ZoneInfo(zone)) if isinstance(typed, datetime) else None
