"""A row of standings as HTML. In Python, since a template takes ten times as long, and a page has fifty of them.

The trap: whatever people wrote is escaped here by hand; ``tests/data/names.json`` holds what would break out.
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

_SAFE = "!$&'()*+,;=/~:@"  # as Django leaves them
_MARKS = {"up": "▲", "down": "▼", "same": "–"}


@dataclass(frozen=True, slots=True)
class RowStyle:
    """How all rows of one table look. ``number`` is the page's; ``own_id`` names the viewer's row in addresses.

    ``gains`` are the cells of points by day of who has none.
    """

    zone: str
    request: Any  # or what stands for it: whatever has its GET
    number: int = 1
    moves: bool = False
    gaps: bool = False
    gains: str = ""
    anchors: bool = False
    own_id: str = ""
    is_linked: bool = False


def row_html(line: Line, look: RowStyle) -> str:
    """The row, everything in it escaped."""
    cells = [_rank(line, look)]
    if look.moves:
        cells.append(f'<td class="move">{_move(line.move, get_language())}</td>')
    cells.append(f'<th scope="row" class="player">{_player(line, look)}</th>')
    cells.append(look.gains and (line.gained or look.gains))
    cells += [f'<td class="result">{escape(cell)}</td>' for cell in line.cells]
    if look.gaps:
        cells.append(f'<td class="gap">{escape(line.gap)}</td>')
    return f'<tr data-key="{escape(line.player)}"{_own(line, look)}>{"".join(cells)}</tr>'


def moment_html(at: datetime, zone: str) -> SafeString:
    """A date and time on the zone's clock, for people and machines."""
    text = f'<time datetime="{formats.iso_utc(at)}">{escape(formats.moment(at, zone))}</time>'
    return mark_safe(text)  # noqa: S308 (escaped in it)


def rank_text(rank: int | None) -> str:
    """12,345; a dash for a rank that nobody had time to count."""
    return "–" if rank is None else formats.number(rank)


def _own(line: Line, look: RowStyle) -> str:
    if not line.is_me:
        return ""
    return f' class="is-me" id="{look.own_id}"' if look.own_id else ' class="is-me"'


def _rank(line: Line, look: RowStyle) -> str:
    place = f' id="rank-{line.rank}"' if look.anchors and line.is_first_of_rank else ""
    return f'<td class="rank"{place}>{tile_html(line.rank, tied=line.tied)}</td>'


def tile_html(rank: int | None, *, tied: bool) -> SafeString:
    """A rank with its sign where it is shared; 1 to 3 on the metal of their medal."""
    why = escape(_("shared rank"))
    ties = f'<span class="ties" title="{why}">=</span>' if tied else ""
    metal = f" is-{rank}" if rank in (1, 2, 3) else ""
    return mark_safe(f'<span class="rank-tile{metal}">{ties}{rank_text(rank)}</span>')  # noqa: S308 (escaped in it)


def _player(line: Line, look: RowStyle) -> str:
    name = escape(line.name)
    text = f'<bdi class="name" title="{name}">{name}</bdi>'
    if not look.request.GET.get("embed"):
        text = f'<a class="player-link" href="{_address(line.player)}">{text}</a>'
    text = f"{face_html(line.player)}{text}{flag_html(line.country)}"
    if line.is_me:
        word = _("You") if look.is_linked else _("highlighted")
        text += f' <span class="tag">{escape(word)}</span>'
    if look.anchors and line.tied_count > 2:
        text += f" {_equals(line, look)}"
    return f'<span class="who">{text}</span>'


def _equals(line: Line, look: RowStyle) -> str:
    """How many share the rank; a link to where they begin if that is on another page."""
    elsewhere = {"line": line, "is_elsewhere": line.first_page != look.number, "request": look.request}
    return render_to_string("leaderboards/_equals.html", elsewhere)


@lru_cache(maxsize=4096)
def _move(move: Move | None, _language: str | None) -> str:
    if move is None:
        return ""
    if move.direction == "new":
        new = pgettext("a player who was not ranked in the period before", "new")
        return f'<span class="move-new">{escape(new)}</span>'
    said = {"up": _("up"), "down": _("down"), "same": _("unchanged")}[move.direction]
    by = "" if move.direction == "same" else f" {formats.number(move.by)}"
    mark = (
        f'<span aria-hidden="true">{_MARKS[move.direction]}</span><span class="visually-hidden">{escape(said)}</span>'
    )
    return f'<span class="move-{move.direction}">{mark}{by}</span>'


def _address(player: str) -> str:
    before, after = _around_a_player()
    return escape(f"{before}{quote(player, safe=_SAFE)}{after}")


@cache
def _around_a_player() -> tuple[str, str]:
    """An address without its player: Django works one out twenty times more slowly."""
    before, _, after = reverse("player", args=["-"]).rpartition("-")
    return before, after
