"""What of a board's page depends on who looks: their card, their row, those around them, their bar, their way so far.

All of it is their reading of now; the rows that everybody sees may be a second older. The trap: where their own row
stands among those, it must be the same in both, so those who have moved since get a scene of their own moment
(``is_in_step``).
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import escape

from foundation.sql import SqlAway, ask
from leaderboards import selectors
from leaderboards.selectors import BoardPage, Row
from leaderboards.selectors.restrictions import NOWHERE, KeptOut, kept_out_here
from leaderboards.views.answers import etag_of
from leaderboards.views.chart import chart
from leaderboards.views.lines import Move
from leaderboards.views.own_move import own_move
from leaderboards.views.panels import Beside, panels
from leaderboards.views.race import race_html
from leaderboards.views.rows import Look, row_html
from leaderboards.views.scenes import Scene, Text
from leaderboards.views.spread import with_own_bar
from leaderboards.views.tables import mine
from leaderboards.views.viewer import Viewer
from leaderboards.views.ways import Way, until_now, way_of

NOBODY = Viewer(None)
MOST_KEPT = 4096  # of some 6 KB each, with what they are found by
_kept: dict[tuple[str, str], dict[str, str]] = {}


def is_in_step(scene: Scene, page: BoardPage, player: str) -> bool:
    """Whether the scene's rows hold the player as they stand now, or do not hold them, as they stand now."""
    here = scene.rows.get(player)
    return here == page.me if here or scene.holds(page.me) else True


@dataclass
class Own:
    """One viewer before one scene; ``page`` is the scene's page with them in it, ``sought`` what they did not find."""

    scene: Scene
    viewer: Viewer
    page: BoardPage
    sought: str = ""

    @cached_property
    def etag(self) -> str:
        """Equal while the moving parts are."""
        return self.scene.etag if self.viewer == NOBODY else etag_of(self.scene.etag, self._place)

    @cached_property
    def _place(self) -> str:
        """Who they are, where they stand and among whom."""
        me, total = self.page.me, self.page.standings.total
        return repr((self.viewer, me and (me, total, self.page.neighbours), self.kept_out))

    @cached_property
    def kept_out(self) -> KeptOut | None:
        """What keeps out whoever has signed in as their player; None where nothing does, or SQL cannot say."""
        player, page = self.viewer.player, self.page
        if player is None or not self.viewer.linked or page.me is not None:
            return None
        with suppress(SqlAway):
            found = ask(lambda: kept_out_here(player, self.scene.board, page.stored))
            return None if found == NOWHERE else found
        return None

    def fill(self, text: Text) -> bytes:
        """The text with everything in its place."""
        filled = text.filled(self._part)
        return self._with_own_row(filled) if self.is_on_page else filled

    @property
    def is_on_page(self) -> bool:
        """Whether their row is among the scene's."""
        return self.page.me is not None and self.page.me.player in self.scene.rows

    @cached_property
    def mine(self) -> dict[str, Any]:
        """What their card and the tables say of them."""
        return mine(self.page) | {"my_move": self._move}

    @property
    def _move(self) -> Move | None:
        """As their row says it where that is on the page."""
        me, shown = self.page.me, self.scene.context
        if me is None or self.is_on_page:
            return next((line.move for line in shown["lines"] if me and line.player == me.player), None)
        return own_move(self.page.standings, me, self.scene.movement.since)

    @cached_property
    def look(self) -> Look:
        """How their own row looks among all."""
        shown = self.scene.context
        return Look(
            zone=shown["zone"],
            request=shown["request"],
            number=self.scene.asked.number,
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
        own["hidden_on"] = self.kept_out
        return render_to_string(f"leaderboards/{template}.html", {**self.scene.context, **own, **self.mine, **more})

    def default(self, place: str) -> str:
        """What stands in a place for anybody."""
        kept = self.scene.defaults
        if place not in kept:
            shown = {"spread": self.scene.once["spread"]} if place == "spread" else {}
            nobody = Own(self.scene, NOBODY, self.scene.page)
            kept[place] = nobody.render(_DEFAULTS[place], **shown) if place in _DEFAULTS else ""
            if place == "panels":
                kept[place] = _beside(nobody)
            if place == "race":
                kept[place] = _race_of(self.scene, None)
        return kept[place]

    def _part(self, place: str) -> str:
        """What stands in a place: their own, else what anybody gets."""
        if place == "etag":
            return escape(self.etag)
        if self.viewer == NOBODY and not self.sought:
            return self.default(place)
        own = self._still[place] if place in self._still else _OWN_PARTS[place](self)
        return self.default(place) if own is None else own

    @cached_property
    def _still(self) -> dict[str, str]:
        """What stays as it is while they and those around them do, as for most of a crowd when only the top moves."""
        if self.page.me is None or self.is_on_page:
            return {}
        key = self.scene.frame, self._place
        found = _kept.get(key)
        if found is None:
            if len(_kept) >= MOST_KEPT:
                _kept.clear()
            found = _kept[key] = {place: _OWN_PARTS[place](self) or self.default(place) for place in _STILL}
        return found

    def _with_own_row(self, text: bytes) -> bytes:
        player = self.page.me and self.page.me.player
        line = next(line for line in self.scene.context["lines"] if line.player == player)
        begin = text.index(f'<tr data-key="{escape(player)}"'.encode())
        end = text.index(b"</tr>", begin) + len(b"</tr>")
        return text[:begin] + row_html(replace(line, is_me=True), self.look).encode() + text[end:]


def _card(own: Own) -> str:
    return own.render("_own_row")


def _find(own: Own) -> str:
    """The form: what it says of the viewer is the same for all viewers of a kind, as long as they sought nothing."""
    kind, kept = f"find {own.viewer.linked} {own.viewer.refused} {own.viewer.player is None}", own.scene.defaults
    if own.sought or kind not in kept:
        form = own.render("_jump")
        return form if own.sought else kept.setdefault(kind, form)
    return kept[kind]


def _foot(own: Own) -> str | None:
    """The viewer's row at the foot of a table that it is not in."""
    if not own.mine["me"] or own.mine["on_page"]:
        return None
    kept, me = own.scene.kept, own.page.me
    line = replace(own.mine["my_line"], gained=kept.cells_of(me) if kept and me else "")
    return f"<tfoot>{row_html(line, replace(own.look, anchors=False, own_id=''))}</tfoot>"


def _around(own: Own) -> str | None:
    """Those around them, in a table whose head was written once."""
    if not own.mine["around"] or own.mine["on_page"]:
        return None
    before, after = own.scene.frame_of_neighbours
    look = replace(own.look, moves=False, gaps=False, gains="", anchors=False)
    return before + "\n".join(row_html(line, look) for line in own.mine["around"]) + after


def _summary(own: Own) -> str | None:
    return own.render("_summary") if own.mine["me"] else None


def _spread(own: Own) -> str | None:
    found, me = own.scene.once["spread"], own.page.me
    return with_own_bar(own.default("spread"), found, own.page.standings.rules, me) if found and me else None


def _past(own: Own) -> str | None:
    """Their way through this period, and their final ranks in those before; asked for only where there can be any."""
    scene, me, player = own.scene, own.page.me, own.viewer.player
    past = selectors.past_ranks(scene.board, player) if player and scene.has_past else []
    way = _way(own.page) if me and scene.was_looked_at else None
    return own.render("_past", way=way, past=past[::-1], chart=chart(past)) if past or way else None


def _race(own: Own) -> str | None:
    return _race_of(own.scene, own.page.me) if own.page.me else None


def _race_of(scene: Scene, me: Row | None) -> str:
    return scene.kept.race_for(me) if scene.kept else race_html(None)


def _panels(own: Own) -> str | None:
    """Asked for only where there is something for everybody: a viewer of a kept scene costs no statement."""
    return _beside(own) if own.viewer.player and own.default("panels") else None


def _beside(own: Own) -> str:
    """What apps above show beside this period."""
    return panels(Beside(own.scene.board, own.page.standings.period, own.viewer))


def _way(page: BoardPage) -> Way | None:
    found, me = page.standings, page.me
    if me is None:
        return None
    kept = selectors.ways(me.player, [(found.board, found.period.label, found.rules)])
    return way_of(found.board, until_now(kept[found.board.seq], me, found))


_STILL = ("card", "foot", "around", "summary")
_DEFAULTS = {
    "card": "_own_row",
    "find": "_jump",
    "around": "_around",
    "summary": "_summary",
    "spread": "_spread",
}
_OWN_PARTS: dict[str, Callable[[Own], str | None]] = {
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
