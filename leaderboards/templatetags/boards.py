"""Times as machines and people read them, and addresses that keep the rest of the query."""

from datetime import datetime
from functools import lru_cache
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from leaderboards import formats
from leaderboards.views.lines import Line
from leaderboards.views.styles import address_of

register = template.Library()


@register.simple_tag
def moment(at: datetime, zone: str) -> SafeString:
    """A date and time on the zone's clock."""
    return _spelt(at, zone, get_language())


@lru_cache(maxsize=8192)
def _spelt(at: datetime, zone: str, _language: str | None) -> SafeString:
    """Kept, since the same fifty moments stand in every answer of a board: to spell them was a fifth of its cost."""
    return format_html('<time datetime="{}">{}</time>', formats.machine(at), formats.moment(at, zone))


@register.simple_tag
def time_of_day(at: datetime, zone: str) -> SafeString:
    """Hours, minutes and seconds on the zone's clock."""
    return format_html('<time datetime="{}">{}</time>', formats.machine(at), formats.time_of_day(at, zone))


@register.simple_tag
def since(at: datetime, zone: str, now: datetime) -> SafeString:
    """Hours and minutes on the zone's clock, with the day unless it is today's."""
    return format_html('<time datetime="{}">{}</time>', formats.machine(at), formats.lately(at, zone, now))


@register.simple_tag
def countdown(ends_at: datetime, seconds: int) -> SafeString:
    """The time left; a script counts on where there is one."""
    return format_html(
        '<time datetime="{}" data-countdown data-units="{}">{}</time>',
        formats.machine(ends_at),
        "|".join(formats.duration_units()),
        formats.time_left(seconds),
    )


@register.filter
def grouped(number: int | None) -> str:
    """12,345; a dash for a rank that nobody had time to count."""
    return "–" if number is None else formats.number(number)


@register.simple_tag
def stylesheets(names: str) -> str:
    """The address of these style sheets in one."""
    return address_of(names)


@register.filter
def ordinal(number: int | None) -> str:
    """4th."""
    return "–" if number is None else formats.ordinal(number)


@register.inclusion_tag("leaderboards/_equals.html", takes_context=True)
def equals_note(context: dict[str, Any], line: Line, number: int) -> dict[str, Any]:
    """How many share a rank; a link to where they begin if that is on another page than ``number``."""
    return {"line": line, "is_elsewhere": line.begins_on != number, "request": context["request"]}


@register.simple_tag(takes_context=True)
def query(context: dict[str, Any], **changed: object) -> str:
    """The page's own query with some names changed; empty ones are left out."""
    current = context["request"].GET.copy()
    current.pop("fragment", None)
    for name, value in changed.items():
        current[name] = "" if value is None else str(value)
    for name in [name for name, value in current.items() if value == ""]:
        del current[name]
    return f"?{current.urlencode()}" if current else "?"
