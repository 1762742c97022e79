"""The parts of a board's page that depend on the viewer: card, row, neighbours, bar in the distribution, rank history.

They show the current data; the shared rows may be a second older. The trap: if the viewer's row is among the shared
rows, both must agree. A viewer whose row has changed since gets a newly built page (``row_is_current``).
"""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import escape

from foundation.db.resilience import SqlAway, ask
from leaderboards.selectors import BoardPage, Row
from leaderboards.selectors.visibility.restrictions import NOT_EXCLUDED, Exclusion, exclusion_on_board
from leaderboards.views.board_pages import viewer_tables
from leaderboards.views.board_pages.page_template import PageTemplate, squeezed
from leaderboards.views.board_pages.panels import PanelContext, panels
from leaderboards.views.board_pages.shared_page import SharedPage, tables_address
from leaderboards.views.components.approximate_share import ApproximateShare, approximate_share
from leaderboards.views.components.distribution_chart import with_own_bar
from leaderboards.views.components.own_move import own_move
from leaderboards.views.components.preview import board_preview
from leaderboards.views.components.race import race_html
from leaderboards.views.components.row_html import RowStyle, row_html, row_mark
from leaderboards.views.components.table_rows import Move
from leaderboards.views.components.tables import viewer_card
from leaderboards.views.http.responses import etag_of
from leaderboards.views.http.viewer import Viewer

ANONYMOUS_VIEWER = Viewer(None)
_ROW_END = re.compile(rb"<tr|</tbody")  # rows have no end tags
MAX_CACHED_PARTS = 4096  # about 6 KB each, with their keys
_cached_parts: dict[tuple[str, str], dict[str, str]] = {}


def row_is_current(shared: SharedPage, page: BoardPage, player: str) -> bool:
    """Whether the shared rows show the player's current row, or rightly do not show it."""
    shared_row = shared.rows.get(player)
    if shared_row or shared.contains_place(page.me):
        return shared_row == page.me
    return True


@dataclass
class ViewerOverlay:
    """A viewer of a shared page. ``page`` is its data with the viewer in it, ``sought`` a search without a hit.

    ``filters`` is the HTML of the filters that the viewer can choose.
    """

    shared: SharedPage
    viewer: Viewer
    page: BoardPage
    sought: str = ""
    filters: str = ""

    @cached_property
    def etag(self) -> str:
        """The ETag of the live parts."""
        return self.shared.etag if self.viewer == ANONYMOUS_VIEWER else etag_of(self.shared.etag, self._place)

    @cached_property
    def _place(self) -> str:
        """The viewer, their row and their neighbours as one text."""
        me, total = self.page.me, self.page.standings.total
        return repr((self.viewer, me and (me, total, self.page.neighbours), self.exclusion, self.share))

    @cached_property
    def share(self) -> ApproximateShare | None:
        """Which best part of the players the viewer belongs to, where their rank is not known."""
        standings = self.page.standings
        return approximate_share(standings.board, standings.period.label, self.page.me, standings.as_of)

    @cached_property
    def exclusion(self) -> Exclusion | None:
        """Why the signed-in viewer's player is excluded. None if they are not, or while SQL is unavailable."""
        player, page = self.viewer.player, self.page
        if player is None or not self.viewer.linked or page.me is not None:
            return None
        with suppress(SqlAway):
            exclusion = ask(lambda: exclusion_on_board(player, self.shared.board, page.stored))
            return None if exclusion == NOT_EXCLUDED else exclusion
        return None

    def fill(self, template: PageTemplate, *, has_rows: bool = True) -> bytes:
        """Return the page with the viewer's parts in it, and their row highlighted if the page ``has_rows``."""
        filled = template.filled(self._part)
        return self._with_own_row(filled) if has_rows and self.is_on_page else filled

    @property
    def is_on_page(self) -> bool:
        """Whether the viewer's row is among the shared rows."""
        return self.page.me is not None and self.page.me.player in self.shared.rows

    @cached_property
    def viewer_card(self) -> dict[str, Any]:
        """The template context of the viewer's card and tables."""
        return viewer_card(self.page) | {"my_move": self._move, "my_share": self.share}

    @property
    def _move(self) -> Move | None:
        """The viewer's change of rank, taken from their row if it is on the page."""
        me, shown = self.page.me, self.shared.context
        if me is None or self.is_on_page:
            return next((line.move for line in shown["lines"] if me and line.player == me.player), None)
        return own_move(self.page.standings, me, self.shared.movement.since)

    @cached_property
    def row_style(self) -> RowStyle:
        """How the viewer's row is rendered among the shared rows."""
        shown = self.shared.context
        return RowStyle(
            zone=shown["zone"],
            request=shown["request"],
            number=self.shared.key.number,
            moves=shown["has_moves"],
            gaps=shown["has_gaps"],
            gains=shown["no_gains"],
            anchors=self.shared.filter is None,
            own_id="me",
            is_linked=self.viewer.linked,
            within=self.shared.filter is not None,
        )

    def render(self, template: str, **more: object) -> str:
        """Render a part from its template."""
        own = {"viewer": self.viewer, "sought": self.sought, "standings": self.page.standings, "is_fragment": True}
        own["hidden_on"] = self.exclusion
        shown = {**self.shared.context, **own, **self.viewer_card, **more}
        return squeezed(render_to_string(f"leaderboards/{template}.html", shown))

    def default(self, place: str) -> str:
        """Return the HTML of a place for an anonymous viewer."""
        defaults = self.shared.defaults
        if place not in defaults:
            shown = {"spread": self.shared.spread} if place == "spread" else {}
            anonymous = ViewerOverlay(self.shared, ANONYMOUS_VIEWER, self.shared.page)
            defaults[place] = anonymous.render(_DEFAULTS[place], **shown) if place in _DEFAULTS else ""
            if place == "panels":
                defaults[place] = _render_panels(anonymous)
            if place == "preview":
                defaults[place] = _preview_of(self.shared, None)
            if place == "race":
                defaults[place] = _race_html(self.shared, None)
            if place in _TABLES:
                defaults[place] = _OWN_PARTS[place](anonymous) or ""
        return defaults[place]

    def _part(self, place: str) -> str:
        """Return the HTML of a place: the viewer's own, else the default."""
        if place == "etag":
            return escape(self.etag)
        if place == "filters":
            return self.filters
        if self.viewer == ANONYMOUS_VIEWER and not self.sought:
            return self.default(place)
        own = self._cached[place] if place in self._cached else _OWN_PARTS[place](self)
        return self.default(place) if own is None else own

    @cached_property
    def _cached(self) -> dict[str, str]:
        """The parts that change only with the viewer's row and neighbours, so for most viewers seldom."""
        if self.page.me is None or self.is_on_page:
            return {}
        key = self.shared.viewer_parts_key, self._place
        parts = _cached_parts.get(key)
        if parts is None:
            if len(_cached_parts) >= MAX_CACHED_PARTS:
                _cached_parts.clear()
            parts = {place: _OWN_PARTS[place](self) or self.default(place) for place in _CACHED_PLACES}
            _cached_parts[key] = parts
        return parts

    def _with_own_row(self, html: bytes) -> bytes:
        """Replace the viewer's row by one that is highlighted."""
        player = self.page.me and self.page.me.player
        line = next(line for line in self.shared.context["lines"] if line.player == player)
        mark = row_mark(str(player), self.row_style).encode()
        begin = html.rindex(b"<tr", 0, html.index(mark, html.index(b"<tbody>")) + len(b"<tr"))
        end = next(_ROW_END.finditer(html, begin + 1)).start()
        return html[:begin] + row_html(replace(line, is_me=True), self.row_style).encode() + html[end:]


def _card(own: ViewerOverlay) -> str:
    return own.render("_own_row")


def _find(own: ViewerOverlay) -> str:
    """Return the search form. Without a search it is the same for all viewers of a kind, so it is cached by kind."""
    if own.sought:
        return own.render("_jump")
    forms, kind = own.shared.defaults, f"find {own.viewer.linked} {own.viewer.refused} {own.viewer.player is None}"
    if kind not in forms:
        forms[kind] = own.render("_jump")
    return forms[kind]


def _foot(own: ViewerOverlay) -> str | None:
    """Return the viewer's row as the foot of a table that does not contain it."""
    if not own.viewer_card["me"] or own.viewer_card["on_page"]:
        return None
    history, me = own.shared.history, own.page.me
    line = replace(own.viewer_card["my_line"], gained=history.cells_of(me) if history and me else "")
    return f"<tfoot>{row_html(line, replace(own.row_style, anchors=False, own_id=''))}</tfoot>"


def _around(own: ViewerOverlay) -> str | None:
    """Return the table of the viewer's neighbours; its head is rendered once for all viewers."""
    if not own.viewer_card["around"] or own.viewer_card["on_page"]:
        return None
    before, after = own.shared.neighbours_table_shell
    row_style = replace(own.row_style, moves=False, gaps=False, gains="", anchors=False, within=False)
    return before + "".join(row_html(line, row_style) for line in own.viewer_card["around"]) + after


def _summary(own: ViewerOverlay) -> str | None:
    return own.render("_summary") if own.viewer_card["me"] else None


def _spread(own: ViewerOverlay) -> str | None:
    drawing, me = own.shared.spread, own.page.me
    return with_own_bar(own.default("spread"), drawing, own.page.standings.rules, me) if drawing and me else None


def _race(own: ViewerOverlay) -> str | None:
    """Return the race with the viewer's line. Without a history it is the same for all viewers."""
    return _race_html(own.shared, own.page.me) if own.page.me and own.shared.history else None


def _race_html(shared: SharedPage, me: Row | None) -> str:
    return shared.history.race_for(me, tables_address(shared)) if shared.history else race_html(None)


def _preview(own: ViewerOverlay) -> str | None:
    """Return the preview of the viewer's row, for links that name a player.

    Other sites read it, and they have no cookie of a viewer: who has signed in with a player gets none.
    """
    if own.viewer.linked:
        return ""
    return _preview_of(own.shared, own.page.me) if own.page.me and own.viewer.is_in_address else None


def _preview_of(shared: SharedPage, me: Row | None) -> str:
    standings = shared.page.standings
    return board_preview(shared.board, shared.key.label, standings.rows, me, standings.total)


def _panels(own: ViewerOverlay) -> str | None:
    """Return the viewer's panels. If the default has none, SQL is not queried (see ``panels``)."""
    return _render_panels(own) if own.viewer.player and own.default("panels") else None


def _render_panels(own: ViewerOverlay) -> str:
    return squeezed(panels(PanelContext(own.shared.board, own.page.standings.period, own.viewer)))


_TABLES = ("race_table", "spread_table", "days_table", "past_tables")
_CACHED_PLACES = ("card", "foot", "around", "summary")
_DEFAULTS = {
    "card": "_own_row",
    "find": "_jump",
    "around": "_around",
    "summary": "_summary",
    "spread": "_spread",
}
_OWN_PARTS: dict[str, Callable[[ViewerOverlay], str | None]] = {
    "preview": _preview,
    "card": _card,
    "find": _find,
    "foot": _foot,
    "around": _around,
    "summary": _summary,
    "spread": _spread,
    "past": viewer_tables.past,
    "panels": _panels,
    "race": _race,
    "race_table": viewer_tables.race_table,
    "spread_table": viewer_tables.spread_table,
    "days_table": viewer_tables.days_table,
    "past_tables": viewer_tables.past_tables,
}
