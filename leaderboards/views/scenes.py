"""What everybody sees of one page of a board: read about once a second, rendered once, with places for one's own.

The trap: a scene is made without the request, so that nothing of who asks can get into it. Whatever depends on them
stands in the text as ``own.<place>``; ``views/own.py`` says what goes there.
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
from foundation.second import Second
from leaderboards import selectors
from leaderboards.models import Board, State
from leaderboards.selectors import BoardPage, Row
from leaderboards.selectors.names import countries_of
from leaderboards.views.answers import ROWS, etag_of, moving, page_number
from leaderboards.views.crowd import LIVE_EVERY_SECONDS
from leaderboards.views.gains import no_cells
from leaderboards.views.kept import Kept
from leaderboards.views.lead import lead_of
from leaderboards.views.lines import top_words
from leaderboards.views.periods import chips_of, is_running, period_words, running_words, steps
from leaderboards.views.rules_words import rules_sentences
from leaderboards.views.spread import spread
from leaderboards.views.tables import table
from leaderboards.views.viewer import Viewer
from leaderboards.views.won import WINNERS_NAMED, won_words

_REPEATED = ("period", "page", "embed")  # what links on a page repeat of its address; the device remembers the player
_PLACES = ("card", "find", "foot", "around", "summary", "spread", "past", "panels", "race", "etag")
_OWN = {place: mark_safe(f"<!--own {place}-->") for place in _PLACES}  # noqa: S308 (no text of people can look like it)
_PLACE = re.compile("<!--own ([a-z]+)-->")


@dataclass(frozen=True, slots=True)
class Asked:
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


def asked_of(request: HttpRequest, seq: int) -> Asked:
    """What a request asks for. Raises ``Http404`` for a page that cannot be."""
    given = {name: text for name in _REPEATED if (text := request.GET.get(name))}
    return Asked(seq, given.get("period", selectors.CURRENT), page_number(request), urlencode(given), get_language())


class Text:
    """A rendered text, encoded once, with the names of the places in it."""

    def __init__(self, rendered: str) -> None:
        pieces = _PLACE.split(rendered)  # by turns words and names
        self._pieces = [piece if nth % 2 else piece.encode() for nth, piece in enumerate(pieces)]

    def filled(self, own: Callable[[str], str]) -> bytes:
        """The text with what ``own`` says of each place."""
        return b"".join(own(piece).encode() if isinstance(piece, str) else piece for piece in self._pieces)


class Scene:
    """One page of a board as it was at a moment."""

    def __init__(self, asked: Asked, page: BoardPage) -> None:
        found = page.standings
        self.asked, self.page, self.board = asked, page, found.board
        self.rows = {row.player: row for row in found.rows}
        self.chips = chips_of(found.board, found.period, found.as_of)
        self.movement = selectors.movement(found.board, found.period, list(self.rows))
        self.won = [] if found.total or not self.runs else selectors.last_won(found.board, WINNERS_NAMED + 1)
        self.countries = countries_of(self.rows)
        self.etag = etag_of(moving(found), self.chips, self.movement, asked.number, self.won, self.countries)
        self.defaults: dict[str, str] = {}  # what stands in the places for anybody, as far as it was asked for

    @property
    def runs(self) -> bool:
        """Whether the period has not ended."""
        return is_running(self.page.standings.period, self.page.standings.as_of)

    def holds(self, row: Row | None) -> bool:
        """Whether a row in its place would stand on this page."""
        first = (self.asked.number - 1) * ROWS
        return row is not None and row.ahead is not None and first <= row.ahead < first + ROWS

    @cached_property
    def frame(self) -> str:
        """All of the scene that shows in parts of one's own. The trap: what is not here must not show there."""
        board, shown = self.board, self.context
        names = ("columns", "as_words", "has_moves", "has_gaps", "no_gains")
        leader = shown["lines"][0].name if shown["lines"] else ""
        rules = self.page.standings.rules
        settings = (board.name, board.unit, board.format, board.decimals, board.timezone, rules)
        return repr((self.asked, settings, [shown[name] for name in names], leader, self.movement.since))

    @property
    def has_past(self) -> bool:
        """Whether a period of the board is final."""
        return any(chip.is_final for chip in self.chips)

    @property
    def was_looked_at(self) -> bool:
        """Whether ranks within this period may have been kept."""
        return self.page.standings.period.state != State.OPEN or self.movement.since is not None

    @cached_property
    def kept(self) -> Kept | None:
        """What the page shows of the time before; None where no ranks of it can have been kept."""
        is_first = self.asked.number == 1 and "embed" not in QueryDict(self.asked.query)
        found = self.page.standings
        return Kept(found, self.movement.since, self.runs, is_first) if self.was_looked_at else None

    @cached_property
    def context(self) -> dict[str, Any]:
        """What the moving parts show."""
        chips, found = self.chips, self.page.standings
        shown = table(self.page, Viewer(None), self.asked.number, self.movement)
        if self.kept:
            shown["lines"] = self.kept.with_gains(shown["lines"])
        is_followed = found.period.state in (State.OPEN, State.CLOSING)
        before, after = steps(self.board, chips, found.period, found.as_of)
        return {
            "request": Address(QueryDict(self.asked.query)),
            "here": "board",
            "own": _OWN,
            "board": self.board,
            "standings": found,
            "period": period_words(self.board, found.period, found.as_of),
            "chips": chips,
            "before": before,
            "after": after,
            "won": won_words(self.board, self.won, found.as_of),
            **running_words(chips, found.as_of),
            "zone": self.board.timezone,
            "every": LIVE_EVERY_SECONDS if is_followed else 0,
            **shown,
            "no_gains": mark_safe(no_cells(self.kept.told if self.kept else None)),  # noqa: S308 (of numbers alone)
            "has_today": bool(self.kept and self.kept.told and self.kept.told.has_today),
            "lead": lead_of(found, shown["lines"]),
        }

    @cached_property
    def once(self) -> dict[str, Any]:
        """What a whole page shows besides its moving parts: rules, how points are spread, what other sites show."""
        found = self.page.standings
        return {
            "site": settings.SITE_URL.rstrip("/"),
            "top_words": top_words(self.board, found.rows),
            "rules": rules_sentences(self.board, found.rules),
            "spread": spread(found, self.asked.label),
        }

    @cached_property
    def frame_of_neighbours(self) -> tuple[str, str]:
        """The table of a viewer and those around them: what stands before its rows, and what behind them."""
        some = {"around": self.context["lines"][:1], "on_page": False}
        before, _, rest = render_to_string("leaderboards/_around.html", {**self.context, **some}).partition("<tbody>")
        return f"{before}<tbody>", f"</tbody>{rest.partition('</tbody>')[2]}"

    @cached_property
    def parts(self) -> Text:
        """The moving parts."""
        return self._rendered("leaderboards/board_parts.html", {"is_fragment": True})

    @cached_property
    def whole(self) -> Text:
        """The whole page of who is not signed in."""
        return self.whole_for(None)

    def whole_for(self, user: Any) -> Text:
        """The whole page with a signed-in user's own head. Keep it for nobody else."""
        return self._rendered("leaderboards/board.html", self.once | {"user": user})

    def _rendered(self, template: str, more: Mapping[str, Any]) -> Text:
        return Text(render_to_string(template, {**self.context, **more}))


_scenes: Second[Asked, Scene] = Second(128)


def lately(asked: Asked) -> Scene | None:
    """The scene of the last seconds, if there is one."""
    return _scenes.lately(asked)


def of_now(asked: Asked, board: Board) -> Scene:
    """The scene of about now, made by one of those who ask. Raises ``UnknownPeriod``."""
    return _scenes.of(asked, lambda: made(asked, board, None)[0])


def made(asked: Asked, board: Board, player: str | None, *, is_for_all: bool = True) -> tuple[Scene, BoardPage]:
    """A new scene, kept if it ``is_for_all``, and the same reading with ``player`` in it. Raises ``UnknownPeriod``."""
    begun = clock.monotonic()
    page = selectors.board_page(board, asked.label, (asked.number - 1) * ROWS, ROWS, player)
    scene = Scene(asked, replace(page, me=None, neighbours=[]))
    if is_for_all:
        _scenes.keep(asked, scene, begun)
    return scene, page


def forget() -> None:
    """Start anew."""
    _scenes.forget()
