"""Times as machines and people read them, and addresses that keep the rest of the query."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from leaderboards import formats
from leaderboards.views.lines import Line
from leaderboards.views.rows import Look, moment_html, rank_text, row_html
from leaderboards.views.styles import address_of

register = template.Library()


@register.simple_tag
def moment(at: datetime, zone: str) -> SafeString:
    """A date and time on the zone's clock."""
    return moment_html(at, zone)


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
    return rank_text(number)


@register.simple_tag
def stylesheets(names: str) -> str:
    """The address of these style sheets in one."""
    return address_of(names)


@register.filter
def ordinal(number: int | None) -> str:
    """4th."""
    return "–" if number is None else formats.ordinal(number)


@register.simple_tag(takes_context=True)
def rows_of(context: dict[str, Any], lines: Sequence[Line]) -> SafeString:
    """The rows of a table; the context says how they look."""
    look = Look(
        zone=context.get("zone", ""),
        request=context["request"],
        number=context.get("number", 1),
        moves=context.get("moves", False),
        gaps=context.get("gaps", False),
        gains=context.get("no_gains", "") if context.get("id") == "top" else "",
        anchors=context.get("anchors", False),
        own_id=context.get("own_id", ""),
        is_linked=getattr(context.get("viewer"), "linked", False),
    )
    return mark_safe("\n".join(row_html(line, look) for line in lines))  # noqa: S308 (``row_html`` escapes)


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
