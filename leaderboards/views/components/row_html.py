"""Render a row of standings in Python: a template takes ten times as long, and a page has fifty rows.

Every byte here counts fifty times. So cells and rows have no end tags, which HTML leaves out where the next one begins,
attributes of our own words have no quotes, and what style sheets can draw (arrows, dashes, faces) is no text. Cells are
found by their place: the classes of the table (``_table.html``) say which there are.

The trap: HTML is built by hand here, so texts of users must be escaped; ``tests/data/names.json`` holds hostile names.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from html import escape
from typing import Any
from unicodedata import east_asian_width
from urllib.parse import quote

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from leaderboards import formats
from leaderboards.views.components.faces import attribute, flag_html, row_face_html
from leaderboards.views.components.table_rows import Line, Move

_SAFE = "!$&'()*+,;=/~:@"  # characters that Django does not quote either
_METALS = (1, 2, 3)
_SHORT_NAME = 14  # as wide as so many letters, a name fits every column; a longer one is told whole in a title


@dataclass(frozen=True, slots=True)
class RowStyle:
    """The options of all rows of a table. ``number`` is the page number, ``own_id`` the element id of the viewer's row.

    ``gains`` holds the HTML of the cells of points by day for rows without known gains. ``within`` adds the place among
    the rows of a filter.
    """

    zone: str
    request: Any  # anything with a ``GET``
    number: int = 1
    moves: bool = False
    gaps: bool = False
    gains: str = ""
    anchors: bool = False
    own_id: str = ""
    is_linked: bool = False
    within: bool = False


def row_html(line: Line, style: RowStyle) -> str:
    """Render the row, with all texts escaped."""
    cells = [f"<td class=within>{formats.number(line.within) if line.within else ''}"] if style.within else []
    cells.append(_rank(line, style))
    if style.moves:
        cells.append(_move(line.move, get_language()))
    cells.append(f"<th>{_player(line, style)}")
    cells.append(style.gains and (line.gained or style.gains))
    result = "<td>" if len(line.cells) == 1 else "<td class=result>"
    cells += [f"{result}{escape(cell)}" for cell in line.cells]
    if style.gaps:
        cells.append(f"<td>{escape(line.gap)}")
    key = "" if _has_link(style) else f" data-key={attribute(escape(line.player))}"
    return f"<tr{key}{_own(line, style)}>{''.join(cells)}"


def row_mark(player: str, style: RowStyle) -> str:
    """Return what stands in the row of a player and in no other one: the start of its link, else its key.

    Scripts take the key of a row from its link (``row-keys.js``).
    """
    return f"<a href={player_address(player)}>" if _has_link(style) else f"<tr data-key={attribute(escape(player))}>"


def _has_link(style: RowStyle) -> bool:
    return not style.request.GET.get("embed")


def moment_html(at: datetime, zone: str) -> SafeString:
    """Render a date and time in a time zone as a ``<time>`` element."""
    text = f'<time datetime="{formats.iso_utc(at)}">{escape(formats.moment(at, zone))}</time>'
    return mark_safe(text)  # noqa: S308 - its parts are escaped above


def rank_text(rank: int | None) -> str:
    """Format a rank, such as 12,345; a dash if it is unknown."""
    return "–" if rank is None else formats.number(rank)


def _own(line: Line, style: RowStyle) -> str:
    if not line.is_me:
        return ""
    return f' class="is-me" id="{style.own_id}"' if style.own_id else ' class="is-me"'


def _anchor(line: Line) -> str:
    """Return where search leads to: a rank is its first row, and the equals behind it are named by their place."""
    return f"r{line.rank}" if line.is_first_of_rank else f"n{line.nth}"


def _rank(line: Line, style: RowStyle) -> str:
    place = f" id={_anchor(line)}" if style.anchors and (line.is_first_of_rank or (line.tied and line.nth)) else ""
    has_tile = line.is_me or line.rank in _METALS
    text = tile_html(line.rank, tied=line.tied) if has_tile else f"{_ties(line.tied)}{rank_text(line.rank)}"
    name = " class=rank" if style.within else ""  # it is not the first one then
    return f"<td{name}{place}>{text}"


def tile_html(rank: int | None, *, tied: bool) -> SafeString:
    """Render a rank: 1 to 3 with their medal, shared ranks with a sign."""
    metal = f" is-{rank}" if rank in _METALS else ""
    return mark_safe(f'<span class="rank-tile{metal}">{_ties(tied)}{rank_text(rank)}</span>')  # noqa: S308 - its parts are escaped


def _ties(tied: bool) -> str:
    if not tied:
        return ""
    title = escape(_("shared rank"))
    return f'<span class="ties" title="{title}">=</span>'


def _player(line: Line, style: RowStyle) -> str:
    name = escape(line.name)
    whole = f" title={attribute(name)}" if _width(line.name) > _SHORT_NAME else ""
    text = f"<bdi{whole}>{name}</bdi>"
    if _has_link(style):
        text = f"<a href={player_address(line.player)}>{text}</a>"
    text = f"{row_face_html(line.player)}{text}{flag_html(line.country, in_row=True)}"
    if line.is_me:
        word = _("You") if style.is_linked else _("highlighted")
        text += f' <span class="tag">{escape(word)}</span>'
    if style.anchors and line.tied_count > 2:
        text += f" {_equals(line, style)}"
    return f"<p>{text}"


def _width(name: str) -> int:
    """Return how wide a name is, in letters; signs of East Asia and emoji are twice as wide as others."""
    return len(name) if name.isascii() else sum(2 if east_asian_width(each) in "WFA" else 1 for each in name)


def _equals(line: Line, style: RowStyle) -> str:
    """Render how many share the rank, with a link to the first of them if they begin on another page."""
    context = {"line": line, "is_elsewhere": line.first_page != style.number, "request": style.request}
    return render_to_string("leaderboards/_equals.html", context)


@lru_cache(maxsize=4096)
def _move(move: Move | None, _language: str | None) -> str:
    """Render the cell: the style sheet draws the arrow, and the word is there to be read aloud."""
    if move is None:
        return "<td class=move>"
    if move.direction == "new":
        new = pgettext("a player who was not ranked in the period before", "new")
        return f"<td class=new>{escape(new)}"
    direction = {"up": _("up"), "down": _("down"), "same": _("unchanged")}[move.direction]
    by = "" if move.direction == "same" else f" {formats.number(move.by)}"
    return f"<td class={move.direction}><i>{escape(direction)}</i>{by}"


def player_address(player: str) -> SafeString:
    """Return the address of a player's page as the value of an attribute."""
    before, after = _player_url_parts()
    return mark_safe(attribute(escape(f"{before}{quote(player, safe=_SAFE)}{after}")))  # noqa: S308 - it is escaped


@cache
def _player_url_parts() -> tuple[str, str]:
    """Return the address of a player's page before and after the id: ``reverse`` is twenty times slower."""
    before, _, after = reverse("player", args=["-"]).rpartition("-")
    return before, after
