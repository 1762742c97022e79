"""Pages of a competition's teams and divisions, and of a team's members.

They are computed from the public standings, and refresh as the competition's page does.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_safe

from competitions.core.lifecycle import Phase
from competitions.errors import UnknownDivision, UnknownTeam
from competitions.models import Competition, Division, Team
from competitions.phases import phase_word
from competitions.selectors.participants.teams import (
    Member,
    disqualified_teams,
    division_by_id,
    divisions_of,
    members_of,
    team_by_id,
)
from competitions.selectors.results.revisions import is_outdated, latest_revision
from competitions.selectors.standings.group_standings import DivisionRow, TeamRow, division_page, group_standings
from competitions.views.access import as_seen, visible
from competitions.views.competition.words import nobody_of_a_group, without_score
from foundation import clock
from foundation.db.resilience import SqlAway, ask
from foundation.messages import Message
from leaderboards import formats
from leaderboards.choices import Visibility
from leaderboards.selectors import Row, Standings
from leaderboards.stores.base import Page
from leaderboards.views.components.table_rows import Line, columns, in_columns, lines, result
from leaderboards.views.http.micro_cache import expire_cache_at, micro_cached
from leaderboards.views.http.poll_interval import LIVE_EVERY_SECONDS
from leaderboards.views.http.responses import ROWS, etag_of, etag_parts, page_number, page_response, pages_of, private
from leaderboards.views.http.viewer import Viewer, viewer_of

TEAMS_BESIDE_PLAYERS = 5


class TeamLine(NamedTuple):
    """A team with its standing as text; without a standing they are empty and ``without`` says why."""

    row: TeamRow
    words: str
    is_own: bool
    without: str


@require_safe
@micro_cached
def teams(request: HttpRequest, number: int) -> HttpResponse:
    """Show all teams, best first, with the viewer's own highlighted."""
    shown, viewer = _with_teams(visible(request, number)), viewer_of(request)
    with as_seen(shown, viewer):
        return _teams(request, shown, viewer)


def _teams(request: HttpRequest, shown: Competition, viewer: Viewer) -> HttpResponse:
    at, page = _at(request, shown), page_number(request)
    _as_of, groups = group_standings(shown, at)
    rows = groups.teams[(page - 1) * ROWS : page * ROWS]
    own = groups.team_of.get(viewer.player or "")
    listed = team_lines(shown, rows, own, at)
    context = _around_it(shown, at, page, len(groups.teams)) | {
        "viewer": viewer,
        "team_lines": listed,
        "team_points": team_heading(shown),
        "first": (page - 1) * ROWS + 1,
        "last": (page - 1) * ROWS + len(rows),
        "total": len(groups.teams),
        "which": "teams",
    }
    return page_response(
        request, "competitions/group", context, etag_of(context["phase_word"], shown.name, listed, page, viewer)
    )


@require_safe
@micro_cached
def division(request: HttpRequest, number: int, division: int) -> HttpResponse:
    """Show a division with the ranks within it and overall."""
    shown, viewer = visible(request, number), viewer_of(request)
    try:
        wanted = division_by_id(shown, division)
    except UnknownDivision as error:
        raise Http404(error.detail) from error
    with as_seen(shown, viewer):
        return _division(request, shown, wanted, viewer)


def _division(request: HttpRequest, shown: Competition, wanted: Division, viewer: Viewer) -> HttpResponse:
    at, page = _at(request, shown), page_number(request)
    head, rows = division_page(shown, wanted.pk, at, Page((page - 1) * ROWS, ROWS))
    context = _around_it(shown, at, page, head.total) | {
        "viewer": viewer,
        "standings": head,
        "division": wanted,
        "columns": [_("Overall"), *columns(head)],
        "lines": _division_lines(head, rows, viewer),
        "as_words": not head.rules.of_points and not in_columns(head.rules),
        "first": head.total and (page - 1) * ROWS + 1,
        "last": (page - 1) * ROWS + len(rows),
        "which": wanted.pk,
    }
    seen = (context["phase_word"], shown.name, wanted.name, etag_parts(head), rows, page, viewer)
    return page_response(request, "competitions/group", context, etag_of(seen))


@require_safe
@micro_cached
def team(request: HttpRequest, number: int, team: int) -> HttpResponse:
    """Show a team's members: first those with a score, then the others."""
    shown, viewer = _with_teams(visible(request, number)), viewer_of(request)
    try:
        wanted = team_by_id(shown, team)
    except UnknownTeam as error:
        raise Http404(error.detail) from error
    with as_seen(shown, viewer):
        return _team(request, shown, wanted, viewer)


def _team(request: HttpRequest, shown: Competition, wanted: Team, viewer: Viewer) -> HttpResponse:
    at = _at(request, shown)
    _as_of, groups = group_standings(shown, at)
    row = next(
        (each for each in groups.teams if each.team == wanted.pk), TeamRow.without_score(wanted.pk, wanted.name, 0)
    )
    members = members_of(wanted, groups.scored.get(wanted.pk, []), row.counted)
    context = {
        "competition": shown,
        "team": wanted,
        "line": team_lines(shown, [row], None, at)[0],
        "nobody": nobody_of_a_group(shown.phase(at), shown.timeline.shows_nothing(at)),
        "without": without_score(shown.phase(at), shown.timeline.shows_nothing(at)),
        "members": [(member, _member_result(shown, member)) for member in members],
        "is_out": bool(disqualified_teams(shown, [wanted.pk])),
        "some_count": row.counted < len(groups.scored.get(wanted.pk, [])),
        "viewer": viewer,
    }
    return private(render(request, "competitions/team.html", context))


def _at(request: HttpRequest, shown: Competition) -> datetime:
    """Return the time of the page, and expire its cached answer at the next change of phase."""
    at = clock.now()
    expire_cache_at(request, shown.timeline.phase_changes_at, at)
    return at


def tabs_of(competition: Competition) -> dict[str, Any]:
    """Return the tabs of teams and divisions; none while SQL is unavailable."""
    try:
        return {"divisions": ask(lambda: divisions_of(competition)), "has_teams": competition.has_teams}
    except SqlAway:
        return {"divisions": [], "has_teams": competition.has_teams}


def best_teams(competition: Competition, viewer: Viewer, at: datetime) -> dict[str, Any]:
    """Return the best teams and the viewer's own; nothing while SQL is unavailable."""
    if not competition.has_teams:
        return {}
    try:
        _as_of, groups = ask(lambda: group_standings(competition, at))
        own = groups.team_of.get(viewer.player or "")
        rows = groups.teams[:TEAMS_BESIDE_PLAYERS]
        rows += [each for each in groups.teams[TEAMS_BESIDE_PLAYERS:] if each.team == own]
        listed = ask(lambda: team_lines(competition, rows, own, at))
    except SqlAway:
        return {}
    return {
        "team_lines": listed,
        "team_points": team_heading(competition),
        "team_total": len(groups.teams),
    }


def team_podium(competition: Competition, most_rank: int, at: datetime) -> list[TeamRow]:
    """Return the teams with the first ranks of a final result."""
    _as_of, groups = group_standings(competition, at)
    return [each for each in groups.teams if each.rank is not None and each.rank <= most_rank]


def team_lines(competition: Competition, rows: list[TeamRow], own: int | None, at: datetime) -> list[TeamLine]:
    """Return each team with its standing as text, or why it has none at ``at``."""
    empty = [row.team for row in rows if not row.members]
    out = disqualified_teams(competition, empty) if empty else set()
    without = without_score(competition.phase(at), competition.timeline.shows_nothing(at))
    return [TeamLine(row, team_result(competition, row), row.team == own, _without(row, out, without)) for row in rows]


def _without(row: TeamRow, out: Collection[int], without: str) -> str:
    """Say why a team has no standing (``without`` if no member has scored); empty if it has one."""
    if row.rank is not None:
        return ""
    if row.team in out:
        return pgettext("a team", "disqualified")
    return without if row.members else pgettext("a team", "nobody takes part")


def team_result(competition: Competition, row: TeamRow) -> str:
    """Return a team's score with units; empty without a rank."""
    if row.rank is None:
        return ""
    scored = Row(row.rank, "", row.name, row.points, row.fields, None, None, None)
    return result(competition.board, scored)


def team_heading(competition: Competition) -> str:
    """Return the heading of the column of team scores."""
    return {
        "sum": _("Sum"),
        "average": _("Average"),
        "best": _("Best member"),
    }.get(competition.team_score, "")


def _with_teams(competition: Competition) -> Competition:
    if not competition.has_teams:
        raise Http404(Message("This competition has no teams."))
    return competition


def _stands(competition: Competition, phase: Phase) -> str:
    """Return the phase as text; for a final result with its revision, or that a new one is being made."""
    latest = latest_revision(competition) if phase is Phase.FINAL else None
    return phase_word(phase) if latest is None else phase_word(phase, latest.number, is_outdated=is_outdated(latest))


def _around_it(competition: Competition, at: datetime, page: int, total: int) -> dict[str, Any]:
    phase = competition.phase(at)
    is_over = phase in (Phase.FINAL, Phase.CANCELLED, Phase.DRAFT)
    return {
        "competition": competition,
        "phase": phase,
        "phase_word": _stands(competition, phase),
        "nobody": nobody_of_a_group(phase, competition.timeline.shows_nothing(at)),
        "zone": competition.timezone,
        "number": page,
        "pages": pages_of(total, ROWS),
        "board_is_public": competition.board.visibility == Visibility.PUBLIC,
        "every": 0 if is_over else LIVE_EVERY_SECONDS,
        **tabs_of(competition),
    }


def _division_lines(head: Standings, rows: list[DivisionRow], viewer: Viewer) -> list[Line]:
    """Return rows with the rank within the division, and the overall rank in the first cell."""
    within = [replace(each.row, rank=each.rank, tied=each.tied, ahead=each.ahead) for each in rows]
    shown = lines(head, within, viewer.player)
    return [
        replace(line, cells=[formats.place(each.row.rank or 0, tied=(each.row.tied or 1) > 1), *line.cells])
        for line, each in zip(shown, rows, strict=True)
    ]


def _member_result(competition: Competition, member: Member) -> str:
    return "" if member.row is None else result(competition.board, member.row)
