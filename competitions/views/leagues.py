"""The league panel on a board's page: the viewer's group with promotions, or a description of the league."""

from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from competitions.core.leagues import Outcome
from competitions.errors import NotInLeague
from competitions.models import LeagueSeason
from competitions.selectors.leagues import GroupRow, LeagueStanding, group_members, league_standing_of, season_by_label
from leaderboards import formats
from leaderboards.models import Board
from leaderboards.views.board_pages.filters import Group
from leaderboards.views.board_pages.panels import PanelContext
from leaderboards.views.components.row_html import player_address
from leaderboards.views.components.table_rows import cells, columns, in_columns, result


def panel(beside: PanelContext) -> str:
    """Render the league of the shown period; empty if the board has none."""
    season = season_by_label(beside.board, beside.period.label)
    if season is None:
        return ""
    player = beside.viewer.player
    standing = _standing_of(beside.board, season, player) if player else None
    shown: dict[str, Any] = {
        "season": season,
        "board": beside.board,
        "rules": _rules(season, standing),
    }
    if standing is None:
        return render_to_string("competitions/_league.html", shown)
    headings, rules = columns(standing.standings), standing.standings.rules
    if standing.with_more:
        shown["rules"].append(
            _("The group is not full: what its places come to is decided among the group before it too.")
        )
    more = {
        "found": standing,
        "said": _outcome_text(standing),
        "heading": headings[0] if len(headings) == 1 else _("Result"),
        "as_words": len(headings) > 1 or not (rules.of_points or in_columns(rules)),
        "rows": [_line(standing, each, player) for each in standing.rows],
        "linked": beside.viewer.linked,
    }
    return render_to_string("competitions/_league_group.html", {**shown, **more})


def group_filter(board: Board, label: str, player: str) -> Group | None:
    """Return the player's group in a period, for the board's page to be filtered by it."""
    found = group_members(board, label, player)
    if found is None:
        return None
    group, players = found
    names = {"tier": group.season.name_of(group.tier), "number": formats.number(group.number)}
    return Group(_("%(tier)s league · group %(number)s") % names, players)


def _standing_of(board: Board, season: LeagueSeason, player: str) -> LeagueStanding | None:
    try:
        return league_standing_of(board, season, player)
    except NotInLeague:
        return None


def _line(standing: LeagueStanding, each: GroupRow, viewer: str | None) -> dict[str, object]:
    """Return a row of the group's table; scores are in one cell, because the panel is narrow."""
    in_cells = cells(standing.standings, each.row)
    return {
        "player": each.row.player,
        "name": each.row.name,
        "address": player_address(each.row.player),
        "place": each.place,
        "tied": each.tied > 1,
        "result": in_cells[0] if len(in_cells) == 1 else result(standing.standings.board, each.row),
        "outcome": each.outcome.value,
        "word": _words()[each.outcome],
        "is_me": each.row.player == viewer,
    }


def _words() -> dict[Outcome, str]:
    return {
        Outcome.PROMOTED: pgettext("a place in a league", "up"),
        Outcome.STAYED: pgettext("a place in a league", "stays"),
        Outcome.DEMOTED: pgettext("a place in a league", "down"),
    }


def _outcome_text(standing: LeagueStanding) -> str:
    """Say what the viewer's place leads to, or led to if the season is over."""
    if standing.me is None:
        return _("The first score of this period leads into a group.")
    names = {"tier": standing.name_after(standing.me.outcome)}
    if standing.season.turned_at:
        return {
            Outcome.PROMOTED: _("Moved up to %(tier)s."),
            Outcome.STAYED: _("Stayed in %(tier)s."),
            Outcome.DEMOTED: _("Moved down to %(tier)s."),
        }[standing.me.outcome] % names
    return {
        Outcome.PROMOTED: _("As things stand: up to %(tier)s."),
        Outcome.STAYED: _("As things stand: stays in %(tier)s."),
        Outcome.DEMOTED: _("As things stand: down to %(tier)s."),
    }[standing.me.outcome] % names


def _rules(season: LeagueSeason, standing: LeagueStanding | None) -> list[str]:
    """Describe how many players move in the viewer's group, or in a full one.

    The lowest and highest tiers have one direction only.
    """
    sentences = []
    up, tier = season.promoted, standing.tier if standing else None
    if tier != len(season.tiers):
        sentences.append(_("The first %(number)s move up.") % {"number": up} if up > 1 else _("The first moves up."))
    if tier == 1 or not season.demoted:
        return sentences
    members = standing.deciding if standing and standing.group else season.group_size
    down = season.rules.demoted_among(tier or len(season.tiers), members)
    if down > 1:
        sentences.append(_("The last %(number)s move down.") % {"number": down})
    else:
        sentences.append(_("The last moves down.") if down else _("Nobody moves down in a group this small."))
    return sentences
