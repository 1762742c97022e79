"""A competition's standings, as the public may see them; as they are with ``full``, for those who run it.

Once the frozen copy exists, it alone answers the public. The trap: it may be made while a question is being
answered from the live standings, so the copy is looked for again behind every such answer.
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
from foundation.sync.redis_state import StaleGeneration
from leaderboards import selectors
from leaderboards.errors import NotRanked, UnknownPeriod
from leaderboards.models import PeriodState
from leaderboards.selectors import BoardPage, PeriodInfo, PlayerRow, Row, Standings
from leaderboards.selectors.catalog.periods import period_by_label
from leaderboards.selectors.rankings.encoded_pages import EncodedPage, page_encoded
from leaderboards.stores.base import Around, ForPlayers, Page

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class OwnPoints:
    """What a player has, without their place."""

    points: int | Decimal | None
    fields: dict[str, int] | None


def standings(
    competition: Competition, at: datetime, offset: int = 0, limit: int = 10, full: bool = False
) -> Standings:
    """The rows from ``offset``; none before the start."""
    view = _View(competition, at, full)
    try:
        return view.shown(view.ask(lambda label: selectors.standings(competition.board, label, offset, limit)))
    except UnknownPeriod:
        return view.empty()


def encoded(competition: Competition, at: datetime, offset: int, limit: int) -> EncodedPage:
    """The same, with the rows as they are sent."""
    view = _View(competition, at, full=False)
    try:
        found = view.ask(lambda label: page_encoded(competition.board, label, offset, limit))
    except UnknownPeriod:
        return EncodedPage(competition.board, view.empty().period, 0, at, True, Encoded(b"[]", ""))
    return replace(found, period=view.period(found.period), as_of=view.as_of(found.as_of))


def page(competition: Competition, at: datetime, rows: Page, player: str | None, full: bool = False) -> BoardPage:
    """These rows and, if ``player`` is ranked, their row and neighbours: of one moment."""
    return _page(_View(competition, at, full), rows, selectors.neighbours_query(player))


def page_with_others(
    competition: Competition, at: datetime, rows: Page, beside: Around | None, named: ForPlayers
) -> BoardPage:
    """The same with neighbours as far as ``beside`` says, and others by name, as far as they are ranked."""
    return _page(_View(competition, at, full=False), rows, beside, named)


def player_row(competition: Competition, player: str, at: datetime, full: bool = False) -> PlayerRow:
    """One player's row. Raises ``NotRanked``, also before the start."""
    view = _View(competition, at, full)
    try:
        found = view.ask(lambda label: selectors.player_row(competition.board, player, label))
    except (UnknownPeriod, NotRanked) as error:
        raise _not_ranked(player) from error
    return replace(found, period=view.period(found.period), as_of=view.as_of(found.as_of))


def around(competition: Competition, player: str, at: datetime, radius: int = 4, full: bool = False) -> Standings:
    """The player and up to ``radius`` rows on each side. Raises ``NotRanked``, also before the start."""
    view = _View(competition, at, full)
    try:
        return view.shown(view.ask(lambda label: selectors.around(competition.board, player, radius, label)))
    except (UnknownPeriod, NotRanked) as error:
        raise _not_ranked(player) from error


def export_rows(competition: Competition, at: datetime, full: bool = False) -> tuple[datetime, Iterator[Row]]:
    """When it was so, and every row, best first. Reads SQL: on a redis board run the mirror first."""
    try:
        return read_visible(competition, at, lambda label: _exported(competition, label), full)
    except UnknownPeriod:
        return at, iter(())


def read_visible(
    competition: Competition, at: datetime, question: Callable[[str], tuple[datetime, Answer]], full: bool = False
) -> tuple[datetime, Answer]:
    """What ``question`` answers for the label that may be shown, and when it was so. Raises ``UnknownPeriod``."""
    view = _View(competition, at, full)
    as_of, answer = view.ask(question)
    return view.as_of(as_of), answer


def own_points(competition: Competition, player: str, at: datetime) -> OwnPoints | None:
    """What players may always know of themselves: their points as they are now; None without any."""
    try:
        row = player_row(competition, player, at, full=True).row
    except NotRanked:
        return None
    return OwnPoints(row.points, row.fields)


class _View:
    """What one asker may see of a competition at a moment."""

    def __init__(self, competition: Competition, at: datetime, full: bool) -> None:
        self._competition = competition
        self._at = at
        self._may_hide = competition.timeline.may_become_hidden and not full
        self._hidden = competition.is_hidden(at) and not full
        self.board = competition.board

    def ask(self, question: Callable[[str], Answer]) -> Answer:
        """The answer for the label that may be shown, also if the freeze comes while it is found.

        Of a competition that is remembered Redis compares the edition, which goes with a freeze; or raises
        ``StaleGeneration``.
        """
        if self.board.cached_since is not None:
            return self._vouched_for(question)
        if not self._is_copied():
            answer = question(self._competition.label)
            if not self._is_copied():
                return answer
        return question(self._competition.frozen_label)

    def _vouched_for(self, question: Callable[[str], Answer]) -> Answer:
        try:
            return question(self._competition.label)
        except UnknownPeriod as error:
            raise StaleGeneration("This period must be asked for.") from error

    def shown(self, found: Standings) -> Standings:
        """The same with the competition's own window, and nothing that tells of a hidden end."""
        return replace(found, period=self.period(found.period), as_of=self.as_of(found.as_of))

    def empty(self) -> Standings:
        """Nobody stands yet."""
        competition = self._competition
        nothing = PeriodInfo(competition.label, competition.starts_at, competition.ends_at, PeriodState.OPEN)
        return Standings(competition.board, self.period(nothing), 0, self._at, True, [], competition.board.rules)

    def period(self, found: PeriodInfo) -> PeriodInfo:
        """The period for people: a hidden one is open until its end, and being closed then and until it is final."""
        competition = self._competition
        hidden = PeriodState.OPEN if self._at < competition.ends_at else PeriodState.CLOSING
        state = hidden if self._hidden else found.state
        if (
            state in (PeriodState.FINAL, PeriodState.EXPIRED)
            and competition.final_at is None
            and competition.cancelled_at is None
        ):
            state = PeriodState.CLOSING  # the jury may still change it
        return PeriodInfo(competition.label, competition.starts_at, competition.ends_at, state)

    def as_of(self, found: datetime) -> datetime:
        """When it was so."""
        return self._competition.timeline.frozen_since or found if self._hidden else found

    def _is_copied(self) -> bool:
        if not self._may_hide:
            return False
        try:
            copied = period_by_label(self._competition.board, self._competition.frozen_label) is not None
        except SqlAway:
            if self._hidden:  # it may be there, and nothing else may be shown
                raise
            return False
        self._hidden = self._hidden or copied
        return copied


def _page(view: _View, rows: Page, beside: Around | None, named: ForPlayers = selectors.NO_PLAYERS) -> BoardPage:
    try:
        found = view.ask(lambda label: selectors.read_page(view.board, label, rows, beside, named))
    except UnknownPeriod:
        return BoardPage(view.empty(), None, [])
    return replace(found, standings=view.shown(found.standings))


def _exported(competition: Competition, label: str) -> tuple[datetime, Iterator[Row]]:
    """The first row is read at once, so that the statement that finds them all is of this moment."""
    as_of, rows = selectors.export_rows(competition.board, label)
    return as_of, chain(list(islice(rows, 1)), rows)


def _not_ranked(player: str) -> NotRanked:
    return NotRanked(f"{player} has no standing in this competition.")
