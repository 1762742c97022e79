"""Render a row of standings in Python: a template takes ten times as long, and a page has fifty rows.

The trap: HTML is built by hand here, so texts of users must be escaped; ``tests/data/names.json`` holds hostile names.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from html import escape
from typing import Any
from urllib.parse import quote

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from leaderboards import formats
from leaderboards.views.components.faces import face_html, flag_html
from leaderboards.views.components.table_rows import Line, Move

_SAFE = "!$&'()*+,;=/~:@"  # characters that Django does not quote either
_MARKS = {"up": "▲", "down": "▼", "same": "–"}


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
    cells = [f'<td class="within">{formats.number(line.within) if line.within else ""}</td>'] if style.within else []
    cells.append(_rank(line, style))
    if style.moves:
        cells.append(f'<td class="move">{_move(line.move, get_language())}</td>')
    cells.append(f'<th scope="row" class="player">{_player(line, style)}</th>')
    cells.append(style.gains and (line.gained or style.gains))
    cells += [f'<td class="result">{escape(cell)}</td>' for cell in line.cells]
    if style.gaps:
        cells.append(f'<td class="gap">{escape(line.gap)}</td>')
    return f'<tr data-key="{escape(line.player)}"{_own(line, style)}>{"".join(cells)}</tr>'


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


def _rank(line: Line, style: RowStyle) -> str:
    place = f' id="rank-{line.rank}"' if style.anchors and line.is_first_of_rank else ""
    return f'<td class="rank"{place}>{tile_html(line.rank, tied=line.tied)}</td>'


def tile_html(rank: int | None, *, tied: bool) -> SafeString:
    """Render a rank: 1 to 3 with their medal, shared ranks with a sign."""
    why = escape(_("shared rank"))
    ties = f'<span class="ties" title="{why}">=</span>' if tied else ""
    metal = f" is-{rank}" if rank in (1, 2, 3) else ""
    return mark_safe(f'<span class="rank-tile{metal}">{ties}{rank_text(rank)}</span>')  # noqa: S308 - its parts are escaped above


def _player(line: Line, style: RowStyle) -> str:
    name = escape(line.name)
    text = f'<bdi class="name" title="{name}">{name}</bdi>'
    if not style.request.GET.get("embed"):
        text = f'<a class="player-link" href="{_address(line.player)}">{text}</a>'
    text = f"{face_html(line.player)}{text}{flag_html(line.country)}"
    if line.is_me:
        word = _("You") if style.is_linked else _("highlighted")
        text += f' <span class="tag">{escape(word)}</span>'
    if style.anchors and line.tied_count > 2:
        text += f" {_equals(line, style)}"
    return f'<span class="who">{text}</span>'


def _equals(line: Line, style: RowStyle) -> str:
    """Render how many share the rank, with a link to the first of them if they begin on another page."""
    context = {"line": line, "is_elsewhere": line.first_page != style.number, "request": style.request}
    return render_to_string("leaderboards/_equals.html", context)


@lru_cache(maxsize=4096)
def _move(move: Move | None, _language: str | None) -> str:
    if move is None:
        return ""
    if move.direction == "new":
        new = pgettext("a player who was not ranked in the period before", "new")
        return f'<span class="move-new">{escape(new)}</span>'
    direction = {"up": _("up"), "down": _("down"), "same": _("unchanged")}[move.direction]
    by = "" if move.direction == "same" else f" {formats.number(move.by)}"
    sign = f'<span aria-hidden="true">{_MARKS[move.direction]}</span>'
    mark = f'{sign}<span class="visually-hidden">{escape(direction)}</span>'
    return f'<span class="move-{move.direction}">{mark}{by}</span>'


def _address(player: str) -> str:
    before, after = _player_url_parts()
    return escape(f"{before}{quote(player, safe=_SAFE)}{after}")


@cache
def _player_url_parts() -> tuple[str, str]:
    """Return the address of a player's page before and after the id: ``reverse`` is twenty times slower."""
    before, _, after = reverse("player", args=["-"]).rpartition("-")
    return before, after
