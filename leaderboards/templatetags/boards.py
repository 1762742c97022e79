"""Template tags and filters for times, ranks, rows, faces, flags and links that keep the query."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from leaderboards import formats
from leaderboards.core.hues import hue_of
from leaderboards.core.marks import mark_of
from leaderboards.models import Board, Player
from leaderboards.views.components.countdown_tiles import tiles_html
from leaderboards.views.components.faces import face_html, flag_html, player_face_html, row_face_html
from leaderboards.views.components.row_html import RowStyle, moment_html, rank_text, row_html, tile_html
from leaderboards.views.components.table_rows import Line
from leaderboards.views.http.bundles import SCRIPTS, address_of
from leaderboards.views.http.theme import chosen_theme

register = template.Library()


@register.simple_tag
def moment(at: datetime, zone: str) -> SafeString:
    """Render a date and time in a time zone."""
    return moment_html(at, zone)


@register.simple_tag
def time_of_day(at: datetime, zone: str) -> SafeString:
    """Render hours, minutes and seconds in a time zone."""
    return format_html('<time datetime="{}">{}</time>', formats.iso_utc(at), formats.time_of_day(at, zone))


@register.simple_tag
def since(at: datetime, zone: str, now: datetime) -> SafeString:
    """Render hours and minutes in a time zone, with the date unless it is today."""
    return format_html('<time datetime="{}">{}</time>', formats.iso_utc(at), formats.time_or_date(at, zone, now))


@register.simple_tag
def countdown(ends_at: datetime, seconds: int) -> SafeString:
    """Render the time left; ``countdown.js`` counts it down."""
    return format_html(
        '<time datetime="{}" data-countdown data-units="{}">{}</time>',
        formats.iso_utc(ends_at),
        "|".join(formats.duration_units()),
        formats.time_left(seconds),
    )


@register.filter
def grouped(number: int | None) -> str:
    """Format a rank, such as 12,345; a dash if it is unknown."""
    return rank_text(number)


@register.simple_tag
def stylesheets(names: str) -> str:
    """Return the address of these style sheets in one response."""
    return address_of(names)


@register.simple_tag
def scripts(names: str) -> SafeString:
    """Render the element that loads these scripts in one response. They are needed after the first paint."""
    address = address_of(names, SCRIPTS)
    return format_html('<script type="module" src="{}" fetchpriority="low"></script>', address)


@register.simple_tag
def late_scripts(names: str) -> SafeString:
    """Name these scripts, in one response, for ``later.js``, which loads them when the style sheets are there."""
    return format_html('<meta name="script" content="{}">', address_of(names, SCRIPTS))


@register.filter
def ordinal(number: int | None) -> str:
    """Format an ordinal, such as 4th."""
    return "–" if number is None else formats.ordinal(number)


@register.simple_tag(takes_context=True)
def rows_of(context: dict[str, Any], lines: Sequence[Line]) -> SafeString:
    """Render the rows of a table; their style comes from the context."""
    style = RowStyle(
        zone=context.get("zone", ""),
        request=context["request"],
        number=context.get("number", 1),
        moves=context.get("moves", False),
        gaps=context.get("gaps", False),
        gains=context.get("no_gains", "") if context.get("id") == "top" else "",
        anchors=bool(context.get("anchors")) and not context.get("filter"),
        own_id=context.get("own_id", ""),
        within=bool(context.get("filter")) and context.get("id") == "top",
        is_linked=getattr(context.get("viewer"), "linked", False),
    )
    return mark_safe("".join(row_html(line, style) for line in lines))  # noqa: S308 - ``row_html`` escapes


@register.simple_tag(takes_context=True)
def query(context: dict[str, Any], **changed: object) -> str:
    """Return the query of the page with some parameters changed; empty ones are removed."""
    current = context["request"].GET.copy()
    current.pop("fragment", None)
    for name, value in changed.items():
        current[name] = "" if value is None else str(value)
    for name in [name for name, value in current.items() if value == ""]:
        del current[name]
    return f"?{current.urlencode()}" if current else "?"


@register.filter
def has_long(lines: Sequence[Line]) -> bool:
    """Whether a result is so long that a phone shows it smaller, beside the name."""
    return any(len(cell) > 9 for line in lines for cell in line.cells)


@register.simple_tag
def face(player: Player | str, size: str = "") -> SafeString:
    """Render the face of a player, or of a player id; ``size`` is ``l``, ``xl`` or none."""
    return player_face_html(player, size) if isinstance(player, Player) else face_html(player, size)


@register.simple_tag
def row_face(player: str) -> SafeString:
    """Render the face of a player id in a table whose cells are found by their place."""
    return row_face_html(player)


@register.simple_tag(takes_context=True)
def theme_class(context: dict[str, Any]) -> SafeString:
    """Render the class of the theme that the viewer chose; nothing if they follow their device."""
    theme = chosen_theme(getattr(context.get("request"), "COOKIES", {}))
    return format_html(' class="is-{}"', theme) if theme else SafeString()


@register.simple_tag
def flag(country: str) -> SafeString:
    """Render the flag of a country with its name as alternative text; empty if the code is unknown."""
    return flag_html(country)


@register.filter
def hue(board: Board) -> str:
    """Return the CSS classes for the hue of a board."""
    return f"hue is-{hue_of(board.seq, board.hue)}"


@register.filter
def mark(named: Any) -> str:
    """Return the letter of a board or of another object with a name."""
    return mark_of(named.name)


@register.simple_tag
def countdown_tiles(ends_at: datetime, seconds: int) -> SafeString:
    """Render the time left as tiles, one for each digit of its three largest units; screen readers get words."""
    return tiles_html(ends_at, seconds)


@register.simple_tag
def rank_tile(rank: int | None, tied: bool = False) -> SafeString:
    """Render a rank as in a row: 1 to 3 with their medal, shared ranks with a sign."""
    return tile_html(rank, tied=tied)
