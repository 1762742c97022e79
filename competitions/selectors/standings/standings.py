"""A competition's standings as the public may see them, or, with ``full``, the live ones for organizers.

Once the frozen copy exists, every public answer comes from it. The trap: the copy may be made while an answer is read
from the live standings, so after every such read its existence is checked again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from itertools import chain, islice
from typing import TypeVar

from competitions.models import Competition
from foundation.db.resilience import SqlAway
from foundation.http.encoding import Encoded
from foundation.messages import Message
from foundation.sync.redis_state import StaleGeneration
from leaderboards import selectors
from leaderboards.errors import NotRanked, UnknownPeriod
from leaderboards.models import OVER_STATES, PeriodState
from leaderboards.selectors import BoardPage, PeriodInfo, PlayerRow, Row, Standings
from leaderboards.selectors.catalog.periods import period_by_label
from leaderboards.selectors.rankings.cursor_pages import CursorPage
from leaderboards.selectors.rankings.encoded_pages import EncodedPage, page_encoded
from leaderboards.stores.base import Around, ForPlayers, Page

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class OwnPoints:
    """A player's points or fields, without their place."""

    points: int | Decimal | None
    fields: dict[str, int] | None


def standings(
    competition: Competition, at: datetime, offset: int = 0, limit: int = 10, full: bool = False
) -> Standings:
    """Return the rows from ``offset``; none before the start."""
    view = _View(competition, at, full)
    try:
        return view.shown(view.ask(lambda label: selectors.standings(competition.board, label, offset, limit)))
    except UnknownPeriod:
        return view.empty()


def encoded(competition: Competition, at: datetime, rows: Page | CursorPage) -> EncodedPage:
    """Return a page of the public rows, encoded for the response. Raises ``BadCursor``."""
    view = _View(competition, at, full=False)
    try:
        encoded_page = view.ask(lambda label: page_encoded(competition.board, label, rows))
    except UnknownPeriod:
        return EncodedPage(competition.board, view.empty().period, 0, at, True, Encoded(b"[]", ""))
    return replace(encoded_page, period=view.period(encoded_page.period), as_of=view.as_of(encoded_page.as_of))


def page(competition: Competition, at: datetime, rows: Page, player: str | None, full: bool = False) -> BoardPage:
    """Return these rows and, if ``player`` is ranked, their row and neighbours, all at one moment."""
    return _page(_View(competition, at, full), rows, selectors.neighbours_query(player))


def page_with_others(
    competition: Competition, at: datetime, rows: Page | CursorPage, beside: Around | None, named: ForPlayers
) -> BoardPage:
    """Return these rows, the neighbours that ``beside`` asks for, and the ranked players of ``named``."""
    return _page(_View(competition, at, full=False), rows, beside, named)


def player_row(competition: Competition, player: str, at: datetime, full: bool = False) -> PlayerRow:
    """Return one player's row. Raises ``NotRanked``, also before the start."""
    view = _View(competition, at, full)
    try:
        row = view.ask(lambda label: selectors.player_row(competition.board, player, label))
    except (UnknownPeriod, NotRanked) as error:
        raise _not_ranked(player) from error
    return replace(row, period=view.period(row.period), as_of=view.as_of(row.as_of))


def around(competition: Competition, player: str, at: datetime, radius: int = 4, full: bool = False) -> Standings:
    """Return the player and up to ``radius`` rows on each side. Raises ``NotRanked``, also before the start."""
    view = _View(competition, at, full)
    try:
        return view.shown(view.ask(lambda label: selectors.around(competition.board, player, radius, label)))
    except (UnknownPeriod, NotRanked) as error:
        raise _not_ranked(player) from error


def export_rows(
    competition: Competition, at: datetime, full: bool = False, metadata: bool = False
) -> tuple[datetime, Iterator[Row]]:
    """Return the time of the data, and all rows, best first. It reads SQL: on a redis board run the mirror first."""
    try:
        return read_visible(competition, at, lambda label: _exported(competition, label, metadata), full)
    except UnknownPeriod:
        return at, iter(())


def read_visible(
    competition: Competition, at: datetime, question: Callable[[str], tuple[datetime, Answer]], full: bool = False
) -> tuple[datetime, Answer]:
    """Return the time of the data and the answer of ``question`` for the label that may be shown.

    Raises ``UnknownPeriod``.
    """
    view = _View(competition, at, full)
    as_of, answer = view.ask(question)
    return view.as_of(as_of), answer


def own_points(competition: Competition, player: str, at: datetime) -> OwnPoints | None:
    """Return the player's present points, which they may always see themselves; None without any."""
    try:
        row = player_row(competition, player, at, full=True).row
    except NotRanked:
        return None
    return OwnPoints(row.points, row.fields)


class _View:
    """What a viewer may see of a competition at a moment."""

    def __init__(self, competition: Competition, at: datetime, full: bool) -> None:
        self._competition = competition
        self._at = at
        self._may_hide = competition.timeline.may_become_hidden and not full
        self._hidden = competition.is_hidden(at) and not full
        self.board = competition.board

    def ask(self, question: Callable[[str], Answer]) -> Answer:
        """Return the answer for the label that may be shown, even if the freeze comes during the read.

        For a cached competition, Redis compares the cache version, which a freeze changes; if it differs, this raises
        ``StaleGeneration``.
        """
        if self.board.cached_since is not None:
            return self._ask_cached(question)
        if not self._is_copied():
            answer = question(self._competition.label)
            if not self._is_copied():
                return answer
        return question(self._competition.frozen_label)

    def _ask_cached(self, question: Callable[[str], Answer]) -> Answer:
        try:
            return question(self._competition.label)
        except UnknownPeriod as error:
            raise StaleGeneration("This period must be asked for.") from error

    def shown(self, found: Standings) -> Standings:
        """Return the standings with the competition's window, without a state that would reveal a hidden end."""
        return replace(found, period=self.period(found.period), as_of=self.as_of(found.as_of))

    def empty(self) -> Standings:
        """Return standings without rows."""
        competition = self._competition
        nothing = PeriodInfo(competition.label, competition.starts_at, competition.ends_at, PeriodState.OPEN)
        return Standings(competition.board, self.period(nothing), 0, self._at, True, [], competition.board.rules)

    def period(self, found: PeriodInfo) -> PeriodInfo:
        """Return the period as shown: a frozen one is open until its end, and closing from then until it is final."""
        competition = self._competition
        frozen_state = PeriodState.OPEN if self._at < competition.ends_at else PeriodState.CLOSING
        state = frozen_state if self._hidden else found.state
        if state in OVER_STATES and competition.final_at is None and competition.cancelled_at is None:
            state = PeriodState.CLOSING  # the jury may still change it
        return PeriodInfo(competition.label, competition.starts_at, competition.ends_at, state)

    def as_of(self, found: datetime) -> datetime:
        """Return the time of the shown data."""
        return self._competition.timeline.frozen_since or found if self._hidden else found

    def _is_copied(self) -> bool:
        if not self._may_hide:
            return False
        try:
            copied = period_by_label(self._competition.board, self._competition.frozen_label) is not None
        except SqlAway:
            if self._hidden:  # the copy may exist, and then nothing else may be shown
                raise
            return False
        self._hidden = self._hidden or copied
        return copied


def _page(
    view: _View, rows: Page | CursorPage, beside: Around | None, named: ForPlayers = selectors.NO_PLAYERS
) -> BoardPage:
    try:
        board_page = view.ask(lambda label: selectors.read_page(view.board, label, rows, beside, named))
    except UnknownPeriod:
        return BoardPage(view.empty(), None, [])
    return replace(board_page, standings=view.shown(board_page.standings))


def _exported(competition: Competition, label: str, metadata: bool) -> tuple[datetime, Iterator[Row]]:
    """Read the first row at once, so that the statement begins at this moment."""
    as_of, rows = selectors.export_rows(competition.board, label, metadata)
    return as_of, chain(list(islice(rows, 1)), rows)


def _not_ranked(player: str) -> NotRanked:
    return NotRanked(Message("%(player)s has no standing in this competition.", player=player))
