"""Times as machines and people read them, and addresses that keep the rest of the query."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from leaderboards import formats
from leaderboards.core.hues import hue_of
from leaderboards.core.marks import mark_of
from leaderboards.models import Board
from leaderboards.views.components.countdown_tiles import tiles_html
from leaderboards.views.components.faces import face_html, flag_html
from leaderboards.views.components.row_html import RowStyle, moment_html, rank_text, row_html, tile_html
from leaderboards.views.components.table_rows import Line
from leaderboards.views.http.stylesheets import address_of

register = template.Library()


@register.simple_tag
def moment(at: datetime, zone: str) -> SafeString:
    """A date and time on the zone's clock."""
    return moment_html(at, zone)


@register.simple_tag
def time_of_day(at: datetime, zone: str) -> SafeString:
    """Hours, minutes and seconds on the zone's clock."""
    return format_html('<time datetime="{}">{}</time>', formats.iso_utc(at), formats.time_of_day(at, zone))


@register.simple_tag
def since(at: datetime, zone: str, now: datetime) -> SafeString:
    """Hours and minutes on the zone's clock, with the day unless it is today's."""
    return format_html('<time datetime="{}">{}</time>', formats.iso_utc(at), formats.time_or_date(at, zone, now))


@register.simple_tag
def countdown(ends_at: datetime, seconds: int) -> SafeString:
    """The time left; a script counts on where there is one."""
    return format_html(
        '<time datetime="{}" data-countdown data-units="{}">{}</time>',
        formats.iso_utc(ends_at),
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
    look = RowStyle(
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


@register.simple_tag
def face(player: str, size: str = "") -> SafeString:
    """The generated face of whoever has this id; ``size`` is ``l``, ``xl`` or none."""
    return face_html(player, size)


@register.simple_tag
def flag(country: str) -> SafeString:
    """The flag of a country, with its name for who listens; nothing where none is known."""
    return flag_html(country)


@register.filter
def hue(board: Board) -> str:
    """The classes that give a part of a page the hue of this board."""
    return f"hue is-{hue_of(board.seq)}"


@register.filter
def mark(named: Any) -> str:
    """The letter that stands for a board, or whatever else has a name."""
    return mark_of(named.name)


@register.simple_tag
def countdown_tiles(ends_at: datetime, seconds: int) -> SafeString:
    """The time left, a tile for each digit of its three greatest units; who listens hears it in words."""
    return tiles_html(ends_at, seconds)


@register.simple_tag
def rank_tile(rank: int | None, tied: bool = False) -> SafeString:
    """A rank as it stands in a row: 1 to 3 on their metal, with its sign where it is shared."""
    return tile_html(rank, tied=tied)
