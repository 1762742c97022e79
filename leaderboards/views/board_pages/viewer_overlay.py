"""What of a board's page depends on who looks: their card, their row, those around them, their bar, their way so far.

All of it is their reading of now; the rows that everybody sees may be a second older. The trap: where their own row
stands among those, it must be the same in both, so those who have moved since get a scene of their own moment
(``row_is_current``).
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import escape

from foundation.db.resilience import SqlAway, ask
from leaderboards import selectors
from leaderboards.selectors import BoardPage, Row
from leaderboards.selectors.visibility.restrictions import NOT_EXCLUDED, Exclusion, exclusion_on_board
from leaderboards.views.board_pages.panels import PanelContext, panels
from leaderboards.views.board_pages.shared_page import PageTemplate, SharedPage
from leaderboards.views.components.distribution_chart import with_own_bar
from leaderboards.views.components.line_chart import chart
from leaderboards.views.components.own_move import own_move
from leaderboards.views.components.race import race_html
from leaderboards.views.components.rank_chart import RankChart, rank_chart_of, with_current_rank
from leaderboards.views.components.row_html import RowStyle, row_html
from leaderboards.views.components.table_rows import Move
from leaderboards.views.components.tables import viewer_card
from leaderboards.views.http.responses import etag_of
from leaderboards.views.http.viewer import Viewer

ANONYMOUS_VIEWER = Viewer(None)
MOST_KEPT = 4096  # of some 6 KB each, with what they are found by
_kept: dict[tuple[str, str], dict[str, str]] = {}


def row_is_current(shared: SharedPage, page: BoardPage, player: str) -> bool:
    """Whether the scene's rows hold the player as they stand now, or do not hold them, as they stand now."""
    here = shared.rows.get(player)
    return here == page.me if here or shared.contains_place(page.me) else True


@dataclass
class ViewerOverlay:
    """One viewer before one scene; ``page`` is the scene's page with them in it, ``sought`` what they did not find."""

    shared: SharedPage
    viewer: Viewer
    page: BoardPage
    sought: str = ""

    @cached_property
    def etag(self) -> str:
        """Equal while the moving parts are."""
        return self.shared.etag if self.viewer == ANONYMOUS_VIEWER else etag_of(self.shared.etag, self._place)

    @cached_property
    def _place(self) -> str:
        """Who they are, where they stand and among whom."""
        me, total = self.page.me, self.page.standings.total
        return repr((self.viewer, me and (me, total, self.page.neighbours), self.exclusion))

    @cached_property
    def exclusion(self) -> Exclusion | None:
        """What keeps out whoever has signed in as their player; None where nothing does, or SQL cannot say."""
        player, page = self.viewer.player, self.page
        if player is None or not self.viewer.linked or page.me is not None:
            return None
        with suppress(SqlAway):
            found = ask(lambda: exclusion_on_board(player, self.shared.board, page.stored))
            return None if found == NOT_EXCLUDED else found
        return None

    def fill(self, text: PageTemplate) -> bytes:
        """The text with everything in its place."""
        filled = text.filled(self._part)
        return self._with_own_row(filled) if self.is_on_page else filled

    @property
    def is_on_page(self) -> bool:
        """Whether their row is among the scene's."""
        return self.page.me is not None and self.page.me.player in self.shared.rows

    @cached_property
    def viewer_card(self) -> dict[str, Any]:
        """What their card and the tables say of them."""
        return viewer_card(self.page) | {"my_move": self._move}

    @property
    def _move(self) -> Move | None:
        """As their row says it where that is on the page."""
        me, shown = self.page.me, self.shared.context
        if me is None or self.is_on_page:
            return next((line.move for line in shown["lines"] if me and line.player == me.player), None)
        return own_move(self.page.standings, me, self.shared.movement.since)

    @cached_property
    def row_style(self) -> RowStyle:
        """How their own row looks among all."""
        shown = self.shared.context
        return RowStyle(
            zone=shown["zone"],
            request=shown["request"],
            number=self.shared.key.number,
            moves=shown["has_moves"],
            gaps=shown["has_gaps"],
            gains=shown["no_gains"],
            anchors=True,
            own_id="me",
            is_linked=self.viewer.linked,
        )

    def render(self, template: str, **more: object) -> str:
        """A part by its template."""
        own = {"viewer": self.viewer, "sought": self.sought, "standings": self.page.standings, "is_fragment": True}
        own["hidden_on"] = self.exclusion
        return render_to_string(
            f"leaderboards/{template}.html", {**self.shared.context, **own, **self.viewer_card, **more}
        )

    def default(self, place: str) -> str:
        """What stands in a place for anybody."""
        kept = self.shared.defaults
        if place not in kept:
            shown = {"spread": self.shared.static_context["spread"]} if place == "spread" else {}
            nobody = ViewerOverlay(self.shared, ANONYMOUS_VIEWER, self.shared.page)
            kept[place] = nobody.render(_DEFAULTS[place], **shown) if place in _DEFAULTS else ""
            if place == "panels":
                kept[place] = _beside(nobody)
            if place == "race":
                kept[place] = _race_html(self.shared, None)
        return kept[place]

    def _part(self, place: str) -> str:
        """What stands in a place: their own, else what anybody gets."""
        if place == "etag":
            return escape(self.etag)
        if self.viewer == ANONYMOUS_VIEWER and not self.sought:
            return self.default(place)
        own = self._still[place] if place in self._still else _OWN_PARTS[place](self)
        return self.default(place) if own is None else own

    @cached_property
    def _still(self) -> dict[str, str]:
        """What stays as it is while they and those around them do, as for most of a crowd when only the top moves."""
        if self.page.me is None or self.is_on_page:
            return {}
        key = self.shared.viewer_parts_key, self._place
        found = _kept.get(key)
        if found is None:
            if len(_kept) >= MOST_KEPT:
                _kept.clear()
            found = _kept[key] = {place: _OWN_PARTS[place](self) or self.default(place) for place in _STILL}
        return found

    def _with_own_row(self, text: bytes) -> bytes:
        player = self.page.me and self.page.me.player
        line = next(line for line in self.shared.context["lines"] if line.player == player)
        begin = text.index(f'<tr data-key="{escape(player)}"'.encode())
        end = text.index(b"</tr>", begin) + len(b"</tr>")
        return text[:begin] + row_html(replace(line, is_me=True), self.row_style).encode() + text[end:]


def _card(own: ViewerOverlay) -> str:
    return own.render("_own_row")


def _find(own: ViewerOverlay) -> str:
    """The form: what it says of the viewer is the same for all viewers of a kind, as long as they sought nothing."""
    kind, kept = f"find {own.viewer.linked} {own.viewer.refused} {own.viewer.player is None}", own.shared.defaults
    if own.sought or kind not in kept:
        form = own.render("_jump")
        return form if own.sought else kept.setdefault(kind, form)
    return kept[kind]


def _foot(own: ViewerOverlay) -> str | None:
    """The viewer's row at the foot of a table that it is not in."""
    if not own.viewer_card["me"] or own.viewer_card["on_page"]:
        return None
    history, me = own.shared.history, own.page.me
    line = replace(own.viewer_card["my_line"], gained=history.cells_of(me) if history and me else "")
    return f"<tfoot>{row_html(line, replace(own.row_style, anchors=False, own_id=''))}</tfoot>"


def _around(own: ViewerOverlay) -> str | None:
    """Those around them, in a table whose head was written once."""
    if not own.viewer_card["around"] or own.viewer_card["on_page"]:
        return None
    before, after = own.shared.neighbours_table_shell
    row_style = replace(own.row_style, moves=False, gaps=False, gains="", anchors=False)
    return before + "\n".join(row_html(line, row_style) for line in own.viewer_card["around"]) + after


def _summary(own: ViewerOverlay) -> str | None:
    return own.render("_summary") if own.viewer_card["me"] else None


def _spread(own: ViewerOverlay) -> str | None:
    found, me = own.shared.static_context["spread"], own.page.me
    return with_own_bar(own.default("spread"), found, own.page.standings.rules, me) if found and me else None


def _past(own: ViewerOverlay) -> str | None:
    """Their way through this period, and their final ranks in those before; asked for only where there can be any."""
    shared, me, player = own.shared, own.page.me, own.viewer.player
    past = selectors.past_ranks(shared.board, player) if player and shared.has_past else []
    way = _way(own.page) if me and shared.has_rank_history else None
    return own.render("_past", way=way, past=past[::-1], chart=chart(past)) if past or way else None


def _race(own: ViewerOverlay) -> str | None:
    return _race_html(own.shared, own.page.me) if own.page.me else None


def _race_html(shared: SharedPage, me: Row | None) -> str:
    return shared.history.race_for(me) if shared.history else race_html(None)


def _panels(own: ViewerOverlay) -> str | None:
    """Asked for only where there is something for everybody: a viewer of a kept scene costs no statement."""
    return _beside(own) if own.viewer.player and own.default("panels") else None


def _beside(own: ViewerOverlay) -> str:
    """What apps above show beside this period."""
    return panels(PanelContext(own.shared.board, own.page.standings.period, own.viewer))


def _way(page: BoardPage) -> RankChart | None:
    found, me = page.standings, page.me
    if me is None:
        return None
    kept = selectors.rank_history(me.player, [(found.board, found.period.label, found.rules)])
    return rank_chart_of(found.board, with_current_rank(kept[found.board.seq], me, found))


_STILL = ("card", "foot", "around", "summary")
_DEFAULTS = {
    "card": "_own_row",
    "find": "_jump",
    "around": "_around",
    "summary": "_summary",
    "spread": "_spread",
}
_OWN_PARTS: dict[str, Callable[[ViewerOverlay], str | None]] = {
    "card": _card,
    "find": _find,
    "foot": _foot,
    "around": _around,
    "summary": _summary,
    "spread": _spread,
    "past": _past,
    "panels": _panels,
    "race": _race,
}
