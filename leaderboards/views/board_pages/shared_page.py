"""What everybody sees of one page of a board: read about once a second, rendered once, with places for one's own.

The trap: a scene is made without the request, so that nothing of who asks can get into it. Whatever depends on them
stands in the text as ``own.<place>``; ``views/board_pages/viewer_overlay.py`` says what goes there.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from django.utils.translation import get_language

from foundation import clock
from foundation.caching.micro_cache import MicroCache
from leaderboards import selectors
from leaderboards.models import Board, PeriodState
from leaderboards.selectors import BoardPage, Row
from leaderboards.selectors.player_data.names import countries_of
from leaderboards.views.board_pages.period_history import PeriodHistory
from leaderboards.views.components.distribution_chart import distribution_chart
from leaderboards.views.components.gains import empty_cells
from leaderboards.views.components.last_winners import WINNERS_NAMED, last_winners_text
from leaderboards.views.components.lead import lead_of
from leaderboards.views.components.period_labels import (
    chips_of,
    is_running,
    period_words,
    running_words,
    steps,
)
from leaderboards.views.components.rules_text import rules_sentences
from leaderboards.views.components.table_rows import top_words
from leaderboards.views.components.tables import table
from leaderboards.views.http.poll_interval import LIVE_EVERY_SECONDS
from leaderboards.views.http.responses import ROWS, etag_of, etag_parts, page_number
from leaderboards.views.http.viewer import Viewer

_REPEATED = ("period", "page", "embed")  # what links on a page repeat of its address; the device remembers the player
_PLACES = ("card", "find", "foot", "around", "summary", "spread", "past", "panels", "race", "etag")
_OWN = {place: mark_safe(f"<!--own {place}-->") for place in _PLACES}  # noqa: S308 (no text of people can look like it)
_PLACE = re.compile("<!--own ([a-z]+)-->")


@dataclass(frozen=True, slots=True)
class PageKey:
    """Which page of which board, in which language: all that a scene depends on. ``query`` is what links repeat."""

    seq: int
    label: str
    number: int
    query: str
    language: str | None


@dataclass(frozen=True, slots=True)
class Address:
    """What templates know of the request."""

    GET: QueryDict


def page_key_of(request: HttpRequest, seq: int) -> PageKey:
    """What a request asks for. Raises ``Http404`` for a page that cannot be."""
    given = {name: text for name in _REPEATED if (text := request.GET.get(name))}
    return PageKey(seq, given.get("period", selectors.CURRENT), page_number(request), urlencode(given), get_language())


class PageTemplate:
    """A rendered text, encoded once, with the names of the places in it."""

    def __init__(self, rendered: str) -> None:
        pieces = _PLACE.split(rendered)  # by turns words and names
        self._pieces = [piece if nth % 2 else piece.encode() for nth, piece in enumerate(pieces)]

    def filled(self, own: Callable[[str], str]) -> bytes:
        """The text with what ``own`` says of each place."""
        return b"".join(own(piece).encode() if isinstance(piece, str) else piece for piece in self._pieces)


class SharedPage:
    """One page of a board as it was at a moment."""

    def __init__(self, key: PageKey, page: BoardPage) -> None:
        found = page.standings
        self.key, self.page, self.board = key, page, found.board
        self.rows = {row.player: row for row in found.rows}
        self.chips = chips_of(found.board, found.period, found.as_of)
        self.movement = selectors.movement(found.board, found.period, list(self.rows))
        self.won = (
            [] if found.total or not self.is_running_now else selectors.last_winners(found.board, WINNERS_NAMED + 1)
        )
        self.countries = countries_of(self.rows)
        self.etag = etag_of(etag_parts(found), self.chips, self.movement, key.number, self.won, self.countries)
        self.defaults: dict[str, str] = {}  # what stands in the places for anybody, as far as it was asked for

    @property
    def is_running_now(self) -> bool:
        """Whether the period has not ended."""
        return is_running(self.page.standings.period, self.page.standings.as_of)

    def contains_place(self, row: Row | None) -> bool:
        """Whether a row in its place would stand on this page."""
        first = (self.key.number - 1) * ROWS
        return row is not None and row.ahead is not None and first <= row.ahead < first + ROWS

    @cached_property
    def viewer_parts_key(self) -> str:
        """All of the scene that shows in parts of one's own. The trap: what is not here must not show there."""
        board, shown = self.board, self.context
        names = ("columns", "as_words", "has_moves", "has_gaps", "no_gains")
        leader = shown["lines"][0].name if shown["lines"] else ""
        rules = self.page.standings.rules
        settings = (board.name, board.unit, board.format, board.decimals, board.timezone, rules)
        return repr((self.key, settings, [shown[name] for name in names], leader, self.movement.since))

    @property
    def has_past(self) -> bool:
        """Whether a period of the board is final."""
        return any(chip.is_final for chip in self.chips)

    @property
    def has_rank_history(self) -> bool:
        """Whether ranks within this period may have been kept."""
        return self.page.standings.period.state != PeriodState.OPEN or self.movement.since is not None

    @cached_property
    def history(self) -> PeriodHistory | None:
        """The period's past as the page shows it. None if no ranks of it can have been recorded."""
        if not self.has_rank_history:
            return None
        is_first = self.key.number == 1 and "embed" not in QueryDict(self.key.query)
        return PeriodHistory(self.page.standings, self.movement.since, self.is_running_now, is_first)

    @cached_property
    def context(self) -> dict[str, Any]:
        """What the moving parts show."""
        chips, found = self.chips, self.page.standings
        shown = table(self.page, Viewer(None), self.key.number, self.movement)
        if self.history:
            shown["lines"] = self.history.with_gains(shown["lines"])
        is_followed = found.period.state in (PeriodState.OPEN, PeriodState.CLOSING)
        before, after = steps(self.board, chips, found.period, found.as_of)
        return {
            "request": Address(QueryDict(self.key.query)),
            "here": "board",
            "own": _OWN,
            "board": self.board,
            "standings": found,
            "period": period_words(self.board, found.period, found.as_of),
            "chips": chips,
            "before": before,
            "after": after,
            "won": last_winners_text(self.board, self.won, found.as_of),
            **running_words(chips, found.as_of),
            "zone": self.board.timezone,
            "every": LIVE_EVERY_SECONDS if is_followed else 0,
            **shown,
            "no_gains": mark_safe(empty_cells(self.history.gains if self.history else None)),  # noqa: S308 (of numbers alone)
            "has_today": bool(self.history and self.history.gains and self.history.gains.has_today),
            "lead": lead_of(found, shown["lines"]),
        }

    @cached_property
    def static_context(self) -> dict[str, Any]:
        """What a whole page shows besides its moving parts: rules, how points are spread, what other sites show."""
        found = self.page.standings
        return {
            "site": settings.SITE_URL.rstrip("/"),
            "top_words": top_words(self.board, found.rows),
            "rules": rules_sentences(self.board, found.rules),
            "spread": distribution_chart(found, self.key.label),
        }

    @cached_property
    def neighbours_table_shell(self) -> tuple[str, str]:
        """The table of a viewer and those around them: what stands before its rows, and what behind them."""
        some = {"around": self.context["lines"][:1], "on_page": False}
        before, _, rest = render_to_string("leaderboards/_around.html", {**self.context, **some}).partition("<tbody>")
        return f"{before}<tbody>", f"</tbody>{rest.partition('</tbody>')[2]}"

    @cached_property
    def fragment(self) -> PageTemplate:
        """The moving parts."""
        return self._rendered("leaderboards/board_parts.html", {"is_fragment": True})

    @cached_property
    def full_page(self) -> PageTemplate:
        """The whole page of who is not signed in."""
        return self.full_page_for(None)

    def full_page_for(self, user: Any) -> PageTemplate:
        """The whole page with a signed-in user's own head. Keep it for nobody else."""
        return self._rendered("leaderboards/board.html", self.static_context | {"user": user})

    def _rendered(self, template: str, more: Mapping[str, Any]) -> PageTemplate:
        return PageTemplate(render_to_string(template, {**self.context, **more}))


_scenes: MicroCache[PageKey, SharedPage] = MicroCache(128)


def peek_page(key: PageKey) -> SharedPage | None:
    """The scene of the last seconds, if there is one."""
    return _scenes.get_stale(key)


def get_page(key: PageKey, board: Board) -> SharedPage:
    """The scene of about now, made by one of those who ask. Raises ``UnknownPeriod``."""
    return _scenes.get_or_compute(key, lambda: build_page(key, board, None)[0])


def build_page(
    key: PageKey, board: Board, player: str | None, *, is_for_all: bool = True
) -> tuple[SharedPage, BoardPage]:
    """A new scene, kept if it ``is_for_all``, and the same reading with ``player`` in it. Raises ``UnknownPeriod``."""
    begun = clock.monotonic()
    page = selectors.board_page(board, key.label, (key.number - 1) * ROWS, ROWS, player)
    shared = SharedPage(key, replace(page, me=None, neighbours=[]))
    if is_for_all:
        _scenes.put(key, shared, begun)
    return shared, page


def forget() -> None:
    """Start anew."""
    _scenes.forget()
