"""The final result on a competition's page: the podium, and the published revisions with their hashes."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from competitions.core.lifecycle import Phase
from competitions.models import Competition, Revision
from competitions.notice_texts import reason_shown
from competitions.phases import phase_word
from competitions.selectors.results.revisions import is_outdated, public_revisions
from competitions.selectors.standings.group_standings import TeamRow
from competitions.views.competition.words import timed
from competitions.views.participants.teams_and_divisions import team_podium, team_result
from leaderboards.selectors import BoardPage
from leaderboards.views.components.table_rows import Line, lines, result

ON_PODIUM = 3
MOST_ON_PODIUM = 6
Podium = list[tuple[Line, str]]


@dataclass(frozen=True, slots=True)
class Published:
    """A revision as text: its number, time, reason and hash."""

    number: int
    made: str
    reason: str
    total: int
    content_hash: str
    rewritten: str


@dataclass(frozen=True, slots=True)
class Result:
    """The best players and teams with their results as text, and the revisions, latest first.

    ``is_outdated`` while a new revision is being made.
    """

    podium: Podium
    team_podium: Podium
    revisions: list[Published]
    is_outdated: bool


def result_of(competition: Competition, page: BoardPage, number: int, at: datetime) -> Result | None:
    """Return the result once it is public; the podium only on the first page."""
    if competition.phase(at) is not Phase.FINAL:
        return None
    podium, teams = (_podium(competition, page), _team_podium(competition, at)) if number == 1 else ([], [])
    revisions = public_revisions(competition, at)
    published = [_published(each, competition.timezone, at) for each in reversed(revisions)]
    return Result(podium, teams, published, bool(revisions) and is_outdated(revisions[-1]))


def stands(phase: Phase, shown: Result | None) -> str:
    """Return the phase as text; for a revised result with the number of its revision."""
    number = shown.revisions[0].number if shown and shown.revisions else 1
    return phase_word(phase, number, is_outdated=shown is not None and shown.is_outdated)


def _published(revision: Revision, zone: str, at: datetime) -> Published:
    rewritten = timed(revision.rewritten_at, zone, at) if revision.rewritten_at else ""
    made = timed(revision.made_at, zone, at)
    return Published(revision.number, made, _reason(revision), revision.total, revision.content_hash, rewritten)


def _reason(revision: Revision) -> str:
    """Return the reason as it was typed; automatic reasons are translated."""
    if revision.number == 1 and not revision.reason:
        return _("The result became final.")
    return reason_shown(revision.reason)


def _team_podium(competition: Competition, at: datetime) -> Podium:
    """Return the best teams, if there are teams."""
    if not competition.has_teams:
        return []
    teams = team_podium(competition, ON_PODIUM, at)[:MOST_ON_PODIUM]
    return [(_line_of(row), team_result(competition, row)) for row in teams]


def _podium(competition: Competition, page: BoardPage) -> Podium:
    """Return the best players."""
    found, board = page.standings, competition.board
    best = [row for row in found.rows if (row.rank or 0) <= ON_PODIUM][:MOST_ON_PODIUM]
    return [(line, result(board, row)) for line, row in zip(lines(found, best, None), best, strict=True)]


def _line_of(row: TeamRow) -> Line:
    """Return a team as a line of the podium; its player id is empty, which no player has."""
    return Line("", row.name, row.rank, (row.tied or 1) > 1, [], None, is_me=False)
