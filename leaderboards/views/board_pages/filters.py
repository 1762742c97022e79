"""Filters of a board's page (``?of=``): whom one follows, one's country, one's group of another app such as a league.

A filtered page shows ranks of the whole board, and beside them the place among those that are shown. It is made for
who asks and never shared; only the rows of a country are kept for a second, since they are the same for all.
Another app registers its groups (``register_groups``); leaderboards do not know what they are.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from django.http import Http404, HttpRequest, QueryDict
from django.template.loader import render_to_string
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from foundation.caching.micro_cache import MicroCache
from foundation.db.resilience import SqlAway, ask
from foundation.users import UserKey
from leaderboards import formats, selectors
from leaderboards.countries import country_name
from leaderboards.models import Board
from leaderboards.selectors import BoardPage
from leaderboards.selectors.player_data.follows import followed_ids
from leaderboards.selectors.player_data.names import cached_names, countries_of
from leaderboards.selectors.rankings.filtered import FilteredPage, page_of_country, page_of_players, places_among
from leaderboards.selectors.rankings.standings import row_of
from leaderboards.selectors.visibility.restrictions import current_viewer
from leaderboards.views.components.table_rows import Line
from leaderboards.views.http.responses import ROWS, pages_of
from leaderboards.views.http.viewer import Viewer

PARAMETER, FOLLOWING, GROUP = "of", "following", "group"
_COUNTRY = re.compile("[A-Z]{2}")


@dataclass(frozen=True, slots=True)
class Group:
    """A group of players (ids, a few hundred at most) that the viewer is in, and its name."""

    name: str
    players: Sequence[str]


FindGroup = Callable[[Board, str, str], Group | None]
_find_group: list[FindGroup] = []


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of a page: ``of`` whom it shows, how many it found, their places among each other, and words.

    ``empty`` is said where nobody is found, ``hint`` below it or below the few that are. ``lead`` is of the board.
    """

    of: str
    total: int
    places: Mapping[str, int]
    caption: str
    empty: str
    hint: str = ""
    offers_sign_in: bool = False
    lead: Any = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks: the viewer, and the primary key of the account of who is signed in.

    ``may_have_group`` is False where it is known that the board has no groups, which spares a statement.
    """

    viewer: Viewer
    user_id: UserKey | None
    may_have_group: bool = True


def register_groups(find: FindGroup) -> None:
    """Have ``find(board, label, player)`` name the group of a player in a period. Registering twice has no effect."""
    if find not in _find_group:
        _find_group.append(find)


def filter_asked(request: HttpRequest) -> str:
    """Return the filter that the address asks for, "" for everybody. Raises ``Http404`` for one that there is not."""
    of = request.GET.get(PARAMETER, "")
    if of in ("", FOLLOWING, GROUP) or (_COUNTRY.fullmatch(of) and country_name(of, "en")):
        return of
    raise Http404("Boards are filtered by `following`, `group` or a country in two capital letters (ISO 3166).")


def filtered(board: Board, label: str, of: str, number: int, asker: Asker) -> tuple[BoardPage, Filter]:
    """Return page ``number`` of who is shown, with the viewer in it. Raises ``UnknownPeriod`` and ``SqlAway``."""
    found, words = _find(board, label, of, asker)
    standings = found.page.standings
    total, places = len(standings.rows), places_among(standings.rows)
    first = (number - 1) * ROWS
    page = replace(found.page, standings=replace(standings, rows=standings.rows[first : first + ROWS]))
    return page, replace(words, total=total, places=places)


def caption_of(shown: Filter, total: int) -> str:
    """Return what the table of a filtered page is headed with, such as "Following: 3 of 120 players"."""
    words = ngettext("%(of)s: %(found)s of %(total)s player", "%(of)s: %(found)s of %(total)s players", total)
    return words % {"of": shown.caption, "found": formats.number(shown.total), "total": formats.number(total)}


def filter_context(shown: Filter, lines: Sequence[Line], total: int) -> dict[str, Any]:
    """Return what of the template context of a page is other under the filter."""
    return {
        "filter": shown,
        "filter_caption": caption_of(shown, total),
        "lines": [replace(line, within=shown.places.get(line.player, 0)) for line in lines],
        "pages": pages_of(shown.total, ROWS),
    }


def chips_html(query: QueryDict, of: str, board: Board, label: str, asker: Asker) -> str:
    """Render the filters that the viewer can choose; empty if there is none."""
    player = asker.viewer.player
    chips = [(FOLLOWING, _("Following"), "")] if asker.user_id is not None or of == FOLLOWING else []
    own = _country_of(player) if player else ""
    countries = [code for code in dict.fromkeys((own, of)) if _COUNTRY.fullmatch(code)]
    chips += [(code, country_name(code, get_language() or "en"), code) for code in countries]
    if of == GROUP or (asker.may_have_group and player and _group_of(board, label, player)):
        chips.append((GROUP, _("My group"), ""))
    if not chips:
        return ""
    return render_to_string("leaderboards/_filters.html", {"request": _Address(query), "chips": chips, "of": of})


@dataclass(frozen=True, slots=True)
class _Address:
    """Stands in for the request in the template: only its query."""

    GET: QueryDict


def _find(board: Board, label: str, of: str, asker: Asker) -> tuple[FilteredPage, Filter]:
    player = asker.viewer.player
    if of == FOLLOWING:
        return _find_followed(board, label, asker)
    if of == GROUP:
        group = _group_of(board, label, player) if player else None
        found = page_of_players(board, label, group.players if group else (), player)
        return found, _words(of, group.name if group else _("My group"), _("You are in no group in this period."))
    found = _of_country(board, label, of, player)
    name = country_name(of, get_language() or "en")
    if found.searched is None:
        return found, _words(of, name, _("Nobody of this country is ranked in this period."))
    most = formats.number(found.searched)
    caption = _("%(country)s, among the first %(most)s") % {"country": name, "most": most}
    return found, _words(of, caption, _("Nobody of this country is among the first %(most)s.") % {"most": most})


def _find_followed(board: Board, label: str, asker: Asker) -> tuple[FilteredPage, Filter]:
    player = asker.viewer.player
    if asker.user_id is None:
        words = _words(FOLLOWING, _("Following"), _("Sign in to see whom you follow."))
        return page_of_players(board, label, (), player), replace(words, offers_sign_in=True)
    followed = followed_ids(asker.user_id)
    # Oneself stands among them, to compare; alone only if nobody is followed.
    me = [player] if player is not None and asker.viewer.linked else []
    found = page_of_players(board, label, [*followed, *me], player)
    if followed:
        return found, _words(FOLLOWING, _("Following"), _("Nobody whom you follow is ranked in this period."))
    hint = _("Every player's page has a button to follow them, and so has each row's menu on a board.")
    return found, replace(_words(FOLLOWING, _("Following"), _("You follow nobody yet.")), hint=hint)


def _words(of: str, caption: str, empty: str) -> Filter:
    return Filter(of, 0, {}, caption, empty)


_countries: MicroCache[tuple[int, str, str], FilteredPage] = MicroCache(64)


def _of_country(board: Board, label: str, country: str, player: str | None) -> FilteredPage:
    """Return the rows of the country, at most about a second old, with the viewer as they stand now."""
    if current_viewer() is not None:  # a shadowed viewer, whose page is theirs alone
        return page_of_country(board, label, country, player)
    found = _countries.get_or_compute((board.seq, label, country), lambda: page_of_country(board, label, country, None))
    if player is None:
        return found
    page = selectors.page_with_viewer(found.page, player)
    if row_of(player, page.standings.rows) in (None, page.me):
        return replace(found, page=page)
    return page_of_country(board, label, country, player)  # their row here would not be the one that they see above


def _country_of(player: str) -> str:
    cached_names([player])
    return countries_of([player]).get(player, "")


def _group_of(board: Board, label: str, player: str) -> Group | None:
    with suppress(SqlAway):
        return ask(lambda: next(filter(None, (find(board, label, player) for find in _find_group)), None))
    return None


def forget() -> None:
    """Empty the cache."""
    _countries.forget()
