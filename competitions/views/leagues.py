"""The league on a board's page: the viewer's group and what each place comes to, else how the league goes."""

from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from competitions.core.leagues import Outcome
from competitions.errors import NotInLeague
from competitions.models import LeagueSeason
from competitions.selectors.leagues import GroupRow, InLeague, in_league, season_by_label
from leaderboards.models import Board
from leaderboards.views.lines import result
from leaderboards.views.panels import Beside

_MARKS = {Outcome.PROMOTED: "▲", Outcome.STAYED: "–", Outcome.DEMOTED: "▼"}


def panel(beside: Beside) -> str:
    """The league of the shown period as HTML; nothing where the board has none."""
    season = season_by_label(beside.board, beside.period.label)
    if season is None:
        return ""
    player = beside.viewer.player
    found = _found(beside.board, season, player) if player else None
    shown = {"season": season, "board": beside.board, "rules": _rules(season, found.tier if found else None)}
    if found is None:
        return render_to_string("competitions/_league.html", shown)
    rows = [_line(beside.board, each, player) for each in found.rows]
    more = {"found": found, "said": _said(found), "rows": rows, "linked": beside.viewer.linked}
    return render_to_string("competitions/_league_group.html", {**shown, **more})


def _found(board: Board, season: LeagueSeason, player: str) -> InLeague | None:
    try:
        return in_league(board, season, player)
    except NotInLeague:
        return None


def _line(board: Board, found: GroupRow, viewer: str | None) -> dict[str, object]:
    return {
        "player": found.row.player,
        "name": found.row.name,
        "place": found.place,
        "tied": found.tied > 1,
        "result": result(board, found.row),
        "outcome": found.outcome.value,
        "mark": _MARKS[found.outcome],
        "word": _words()[found.outcome],
        "is_me": found.row.player == viewer,
    }


def _words() -> dict[Outcome, str]:
    return {Outcome.PROMOTED: _("moves up"), Outcome.STAYED: _("stays"), Outcome.DEMOTED: _("moves down")}


def _said(found: InLeague) -> str:
    """What the viewer's place comes to: as things stand, or what it came to."""
    if found.me is None:
        return _("The first score of this period leads into a group.")
    names = {"tier": found.name_after(found.me.outcome)}
    if found.season.turned_at:
        return {
            Outcome.PROMOTED: _("Moved up to %(tier)s."),
            Outcome.STAYED: _("Stayed in %(tier)s."),
            Outcome.DEMOTED: _("Moved down to %(tier)s."),
        }[found.me.outcome] % names
    return {
        Outcome.PROMOTED: _("As things stand: up to %(tier)s."),
        Outcome.STAYED: _("As things stand: stays in %(tier)s."),
        Outcome.DEMOTED: _("As things stand: down to %(tier)s."),
    }[found.me.outcome] % names


def _rules(season: LeagueSeason, tier: int | None) -> list[str]:
    """How many move, in words; at the ends of the ladder only those who can."""
    said = []
    up, down = season.promoted, season.demoted
    if tier != len(season.tiers):
        said.append(_("The first %(number)s move up.") % {"number": up} if up > 1 else _("The first moves up."))
    if tier != 1 and down:
        said.append(_("The last %(number)s move down.") % {"number": down} if down > 1 else _("The last moves down."))
    return said
