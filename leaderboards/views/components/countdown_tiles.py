"""The time left as tiles, one for each digit; ``countdown.js`` counts them down."""

from datetime import datetime

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from leaderboards import formats

_DAY, _HOUR, _MINUTE = 86_400, 3600, 60


def tiles_html(ends_at: datetime, seconds: int) -> SafeString:
    """Render hours, minutes and seconds, or from one day on days, hours and minutes. Screen readers get words."""
    words = format_html(
        '<time class="visually-hidden" datetime="{}" data-countdown data-units="{}">{}</time>',
        formats.iso_utc(ends_at),
        "|".join(formats.duration_units()),
        formats.time_left(seconds),
    )
    groups = format_html_join(
        "", '<span class="tiles-group">{}<span class="tiles-unit">{}</span></span>', _groups(seconds)
    )
    return format_html('{}<span class="tiles" aria-hidden="true" data-tiles>{}</span>', words, groups)


def _groups(seconds: int) -> list[tuple[SafeString, str]]:
    """Return each number as digits, with its unit."""
    days, rest = divmod(max(seconds, 0), _DAY)
    hours, rest = divmod(rest, _HOUR)
    minutes, rest = divmod(rest, _MINUTE)
    day, hour, minute, second = (unit.replace("#", "").strip() for unit in formats.duration_units())
    shown = (
        [(days, day), (hours, hour), (minutes, minute)] if days else [(hours, hour), (minutes, minute), (rest, second)]
    )
    return [(_digits(number), unit) for number, unit in shown]


def _digits(number: int) -> SafeString:
    return format_html_join("", '<span class="tiles-digit">{}</span>', ((digit,) for digit in f"{number:02d}"))
