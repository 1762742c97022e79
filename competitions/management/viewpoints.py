"""Report what each party sees of a rehearsed competition: the public, the judges, and the players concerned.

It uses the same queries as pages and the API. The trap: lines must fit a terminal of 100 columns, so the label column
does not fit the longest possible name.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from textwrap import wrap

from competitions.core.lifecycle import Phase
from competitions.models import Competition, Notice
from competitions.notice_texts import sentences
from competitions.selectors.notices.inbox import inbox
from competitions.selectors.notices.preferences import zone_of
from competitions.selectors.results.revisions import latest_revision, public_revisions
from competitions.selectors.rewards.earners import rewards_to_grant
from competitions.selectors.rewards.rewards import grants
from competitions.selectors.standings.standings import own_points, page, standings
from leaderboards.models import Player
from leaderboards.selectors import Row
from leaderboards.stores.base import Page

COLUMNS, INDENT, LABEL = 100, 11, 17
BEST = 3


class ViewpointReport:
    """Reports in a few lines what is visible; ``say`` prints each line."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def look(self, competition: Competition, players: Iterable[Player], at: datetime) -> dict[str, int]:
        """Report what the public, the judges and these players see at ``at``.

        Returns the ranks of the best as the public sees them.
        """
        shown = standings(competition, at, limit=BEST).rows
        self._line("public:", _state(competition, at), _best(shown))
        full = standings(competition, at, limit=BEST, full=True).rows
        self._line("judge:", _judged(competition, at), _best(full))
        for player in players:
            self._line(f"{player.external_id}:", _place(competition, player, at), _latest(competition, player))
        return {row.player: row.rank for row in shown if row.rank is not None}

    def _line(self, who: str, *sentences: str) -> None:
        """Print the first sentence beside the label, each on its own line, and long ones wrapped."""
        label = who.ljust(LABEL - 1) + " "
        for sentence in sentences:
            for text in wrap(sentence, COLUMNS - INDENT - LABEL):
                self._say(" " * INDENT + label + text)
                label = " " * LABEL


def amount(number: int, noun: str) -> str:
    """Format a number with a noun whose plural ends in s: 1 player, 3 players."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _state(competition: Competition, at: datetime) -> str:
    phase, since = competition.phase(at), competition.timeline.frozen_since
    if phase is Phase.FROZEN and since is not None:
        return f"frozen since {since:%a %H:%M}, {_revisions(competition, at)}"
    return f"{phase}, {_revisions(competition, at)}"


def _revisions(competition: Competition, at: datetime) -> str:
    shown = public_revisions(competition, at)
    return f"revision {shown[-1].number}, hash {shown[-1].content_hash[:8]}" if shown else "no result yet"


def _judged(competition: Competition, at: datetime) -> str:
    if competition.closed_at is None:
        return "it still runs"
    if competition.final_at is None:
        return (
            f"provisional, {amount(rewards_to_grant(competition), 'reward')} to grant if it is confirmed as it stands"
        )
    latest = latest_revision(competition)
    number = latest.number if latest else 0
    return f"final, revision {number}, {amount(grants(competition, at).total, 'reward')} in force"


def _best(rows: Iterable[Row]) -> str:
    return ", ".join(f"{row.rank} {row.player} ({row.points})" for row in rows) or "nobody has a score"


def _place(competition: Competition, player: Player, at: datetime) -> str:
    """Return the player's place as their own page shows it: the frozen place, with the present points."""
    found = page(competition, at, Page(0, BEST), player.external_id)
    place = "no place" if found.me is None else f"place {found.me.rank} of {found.standings.total}"
    own = own_points(competition, player.external_id, at)
    return f"{place}, {own.points} points of their own" if own else place


def _latest(competition: Competition, player: Player) -> str:
    told: list[Notice] = [notice for notice in inbox(player) if notice.competition_id == competition.pk]
    return f"“{' '.join(sentences(told[0], zone_of(told[0])))}”" if told else "has been told nothing"
