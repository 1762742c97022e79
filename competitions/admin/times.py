"""Times in the competition's time zone, as text and as form fields.

The trap: Django reads entered times in the site's zone (UTC); ``in_zone`` moves them to the competition's.
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
    """A date and a time of day in the competition's time zone; convert its value with ``in_zone``."""

    widget = AdminSplitDateTime


def on_the_clock(at: datetime | None, zone: str, year: bool = False) -> str:
    """Format a time without seconds: Mon 23 Nov 00:00 KST."""
    if at is None:
        return "-"
    local = at.astimezone(ZoneInfo(zone))
    return spell(local, pgettext("date format", "D j M Y H:i T") if year else pgettext("date format", "D j M H:i T"))


def exactly(at: datetime | None, zone: str, year: bool = True) -> str:
    """Format a time with seconds, for changes and scores: Mon 23 Nov 2026 00:00:05 KST."""
    if at is None:
        return "-"
    local = at.astimezone(ZoneInfo(zone))
    with_year, without = pgettext("date format", "D j M Y H:i:s T"), pgettext("date format", "D j M H:i:s T")
    return spell(local, with_year if year else without)


def competition_time(competition: Competition, at: datetime | None, year: bool = False) -> str:
    """Format a time in the competition's time zone, with seconds if the competition is short."""
    formatted = exactly if competition.timeline.is_short else on_the_clock
    return formatted(at, competition.timezone, year)


def as_typed(at: datetime | None, zone: str) -> datetime | None:
    """Return the naive local time that a form field shows for ``at``."""
    return None if at is None else at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def in_zone(typed: Any, zone: str) -> datetime | None:
    """Convert an entered local time: an hour left out moves forward, of an hour repeated the first is meant."""
    return typed.replace(tzinfo=ZoneInfo(zone)) if isinstance(typed, datetime) else None
