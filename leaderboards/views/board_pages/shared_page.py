"""The part of a board's page that is the same for all viewers: read about once a second and rendered once.

The trap: a shared page is built without the request, so that nothing of one viewer can reach another. Templates mark
the parts that depend on the viewer as ``own.<place>``; ``views/board_pages/viewer_overlay.py`` fills these places.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import get_language

from foundation import clock
from foundation.caching.micro_cache import MicroCache
from leaderboards import selectors
from leaderboards.models import Board, PeriodState
from leaderboards.selectors import BoardPage, Row
from leaderboards.selectors.player_data.names import countries_of, picture_generation, picture_of
from leaderboards.views.board_pages.filters import PARAMETER, Filter, filter_context
from leaderboards.views.board_pages.page_template import PageTemplate
from leaderboards.views.board_pages.period_history import PeriodHistory
from leaderboards.views.components.distribution_chart import distribution_chart
from leaderboards.views.components.gains import empty_cells
from leaderboards.views.components.last_winners import WINNERS_NAMED, last_winners_text
from leaderboards.views.components.lead import lead_of
from leaderboards.views.components.period_labels import (
    chips_of,
    coming_dates,
    is_running,
    period_words,
    running_words,
    steps,
)
from leaderboards.views.components.rules_text import rules_sentences
from leaderboards.views.components.tables import table
from leaderboards.views.http.poll_interval import LIVE_EVERY_SECONDS
from leaderboards.views.http.responses import ROWS, etag_of, etag_parts, page_number
from leaderboards.views.http.viewer import Viewer

TABLES = "tables"  # the query parameter of the page of tables
LONGEST_WAIT_SECONDS = 60.0  # for pages of a board between two windows
_REPEATED = ("period", "page", "embed")  # query parameters that links repeat; the player is in a cookie
_PLACES = (
    *("preview", "filters", "card", "find", "foot", "around"),
    *("summary", "spread", "past", "panels", "race", "etag"),
    *("race_table", "spread_table", "days_table", "past_tables"),
)
_PLACE_MARKERS = {place: mark_safe(f"<!--own {place}-->") for place in _PLACES}  # noqa: S308 - text of users is escaped, so it cannot contain a marker


@dataclass(frozen=True, slots=True)
class PageKey:
    """Everything that a shared page depends on. ``query`` holds the parameters that links repeat.

    ``of`` is the filter of a page that is made for one viewer (``filters.py``). ``may_lag`` is of pages for nobody in
    particular, which a replica may have answered: viewers with a player never get them.
    """

    seq: int
    label: str
    number: int
    query: str
    language: str | None
    of: str = ""
    may_lag: bool = False


@dataclass(frozen=True, slots=True)
class Address:
    """Stands in for the request in templates: only its query."""

    GET: QueryDict


def page_key_of(request: HttpRequest, seq: int) -> PageKey:
    """Read the key from a request. Raises ``Http404`` for an impossible page number."""
    given = {name: text for name in _REPEATED if (text := request.GET.get(name))}
    return PageKey(seq, given.get("period", selectors.CURRENT), page_number(request), urlencode(given), get_language())


def filtered_key(key: PageKey, of: str) -> PageKey:
    """Return the key of the same page with a filter, which links repeat."""
    return replace(key, of=of, query=urlencode({**QueryDict(key.query).dict(), PARAMETER: of}))


def everybody(key: PageKey) -> PageKey:
    """Return the key of the first page of everybody in the same period."""
    given = QueryDict(key.query).dict()
    given.pop("page", None)
    return replace(key, of="", number=1, query=urlencode(given))


def tables_address(shared: "SharedPage") -> str:
    """Return the address of the tables of a page, relative to it."""
    query = QueryDict(shared.key.query).dict() | {TABLES: "1"}
    return f"?{urlencode(query)}"


class SharedPage:
    """One page of a board at one moment."""

    def __init__(self, key: PageKey, page: BoardPage, shown: Filter | None = None) -> None:
        standings = page.standings
        self.filter = shown
        self.key, self.page, self.board = key, page, standings.board
        self.rows = {row.player: row for row in standings.rows}
        self.chips = chips_of(standings.board, standings.period, standings.as_of)
        self.movement = selectors.movement(standings.board, standings.period, list(self.rows))
        self.won = (
            []
            if standings.total or not self.is_running_now
            else selectors.last_winners(standings.board, WINNERS_NAMED + 1)
        )
        self.countries = countries_of(self.rows)
        self.spread = None if "embed" in QueryDict(key.query) else distribution_chart(standings, key.label)
        self.opens_at = selectors.opening(standings.board, standings.period, standings.as_of)
        self.etag = etag_of(
            etag_parts(standings),
            self.opens_at,
            self.chips,
            self.movement,
            key.number,
            self.won,
            self.countries,
            [picture_of(player) for player in self.rows],
            shown,
            self.spread and self.spread.seen,
        )
        self.defaults: dict[str, str] = {}  # place → its HTML for anonymous viewers, filled on demand

    @property
    def is_running_now(self) -> bool:
        """Whether the period has not ended."""
        return is_running(self.page.standings.period, self.page.standings.as_of)

    def contains_place(self, row: Row | None) -> bool:
        """Whether the rank of ``row`` belongs on this page."""
        first = (self.key.number - 1) * ROWS
        return row is not None and row.ahead is not None and first <= row.ahead < first + ROWS

    @cached_property
    def viewer_parts_key(self) -> str:
        """Everything of this page that the viewer's cached parts show. The trap: they must show nothing else."""
        board, shown = self.board, self.context
        names = ("columns", "as_words", "has_moves", "has_gaps", "no_gains")
        leader = shown["lines"][0].name if shown["lines"] else ""
        rules = self.page.standings.rules
        settings = (board.name, board.unit, board.format, board.decimals, board.timezone, board.grace_seconds, rules)
        shown_names = [shown[name] for name in names]
        return repr((self.key, settings, shown_names, leader, self.movement.since, picture_generation()))

    @property
    def look_again_after(self) -> float | None:
        """While no window is open: the seconds after which pages look again, with the opening or a minute at most."""
        if self.opens_at is None:
            return None
        left = (self.opens_at - clock.now()).total_seconds()
        return min(max(left, LIVE_EVERY_SECONDS), LONGEST_WAIT_SECONDS)

    @property
    def has_past(self) -> bool:
        """Whether a period of the board is final."""
        return any(chip.is_final for chip in self.chips)

    @property
    def has_rank_history(self) -> bool:
        """Whether ranks within this period may have been recorded."""
        return self.page.standings.period.state != PeriodState.OPEN or self.movement.since is not None

    @cached_property
    def history(self) -> PeriodHistory | None:
        """The history of the period; None if no ranks can have been recorded."""
        if not self.has_rank_history:
            return None
        is_first = self.key.number == 1 and "embed" not in QueryDict(self.key.query) and self.filter is None
        return PeriodHistory(self.page.standings, self.movement.since, self.is_running_now, is_first)

    @cached_property
    def context(self) -> dict[str, Any]:
        """The template context of the live parts."""
        chips, standings = self.chips, self.page.standings
        shown = table(self.page, Viewer(None), self.key.number, self.movement)
        if self.history:
            shown["lines"] = self.history.with_gains(shown["lines"])
        if self.filter:
            shown |= filter_context(self.filter, shown["lines"], standings.total)
        is_live = standings.period.state in (PeriodState.OPEN, PeriodState.CLOSING) or self.opens_at is not None
        before, after = steps(self.board, chips, standings.period, standings.as_of)
        return {
            "request": Address(QueryDict(self.key.query)),
            "here": "board",
            "own": _PLACE_MARKERS,
            "board": self.board,
            "standings": standings,
            "period": period_words(self.board, standings.period, standings.as_of),
            "chips": chips,
            "before": before,
            "after": after,
            "won": last_winners_text(self.board, self.won, standings.as_of),
            **running_words(chips, standings.as_of),
            "zone": self.board.timezone,
            "share_path": reverse("board-share", args=[self.board.seq]),
            "every": LIVE_EVERY_SECONDS if is_live else 0,
            **shown,
            "no_gains": mark_safe(empty_cells(self.history.gains if self.history else None)),  # noqa: S308 - it is made of numbers only
            "has_today": bool(self.history and self.history.gains and self.history.gains.has_today),
            "has_days": bool(self.history and self.history.gains),
            "lead": self.filter.lead if self.filter else lead_of(standings, shown["lines"]),
        }

    @cached_property
    def static_context(self) -> dict[str, Any]:
        """The template context of the rest of the page: rules, distribution, metadata for other sites."""
        standings = self.page.standings
        return {
            "coming": coming_dates(self.board, standings.as_of),
            "rules": rules_sentences(self.board, standings.rules),
        }

    @cached_property
    def neighbours_table_shell(self) -> tuple[str, str]:
        """The HTML before and after the rows of the table of the viewer's neighbours."""
        one_row = {"around": self.context["lines"][:1], "on_page": False}
        before, _, rest = render_to_string("leaderboards/_around.html", {**self.context, **one_row}).partition(
            "<tbody>"
        )
        return f"{before}<tbody>", f"</tbody>{rest.partition('</tbody>')[2]}"

    @cached_property
    def fragment(self) -> PageTemplate:
        """The live parts."""
        return self._rendered("leaderboards/board_parts.html", {"is_fragment": True})

    @cached_property
    def tables(self) -> PageTemplate:
        """The page that says in tables what is drawn."""
        return self._rendered("leaderboards/tables.html", {})

    @cached_property
    def full_page(self) -> PageTemplate:
        """The whole page for viewers who are not signed in."""
        return self.full_page_for(None)

    def full_page_for(self, user: Any) -> PageTemplate:
        """Render the whole page with the header of a signed-in user. Never cache it."""
        return self._rendered("leaderboards/board.html", self.static_context | {"user": user})

    def _rendered(self, template: str, more: Mapping[str, Any]) -> PageTemplate:
        return PageTemplate(render_to_string(template, {**self.context, **more}))


_pages: MicroCache[PageKey, SharedPage] = MicroCache(128)


def peek_page(key: PageKey) -> SharedPage | None:
    """Return the cached page, even if it is some seconds old; None if there is none."""
    return _pages.get_stale(key)


def get_page(key: PageKey, board: Board) -> SharedPage:
    """Return the current page. One of several simultaneous requests builds it. Raises ``UnknownPeriod``."""
    return _pages.get_or_compute(key, lambda: build_page(key, board, None)[0])


def build_page(
    key: PageKey, board: Board, player: str | None, *, is_for_all: bool = True
) -> tuple[SharedPage, BoardPage]:
    """Build a page, and its data with ``player`` in it. Cache it if ``is_for_all``. Raises ``UnknownPeriod``."""
    started_at = clock.monotonic()
    page = selectors.board_page(board, key.label, (key.number - 1) * ROWS, ROWS, player)
    shared = SharedPage(key, replace(page, me=None, neighbours=[]))
    if is_for_all:
        _pages.put(key, shared, started_at)
    return shared, page


def forget() -> None:
    """Empty the cache."""
    _pages.forget()
