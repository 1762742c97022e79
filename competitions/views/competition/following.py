"""Whom a signed-in person follows, among the standings of a competition (``?of=following``).

They have their ranks among all, and beside them their place among each other. A freeze hides the same of them as of
everybody, because their rows come from the public standings. Such a page is made for who asks and never shared.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from competitions.models import Competition
from competitions.selectors.standings.standings import page_with_others
from leaderboards.selectors import BoardPage, Row
from leaderboards.selectors.player_data.follows import followed_ids
from leaderboards.selectors.rankings.filtered import places_among
from leaderboards.stores.base import ForPlayers, Page
from leaderboards.views.board_pages.filters import FOLLOWING, PARAMETER, Filter, filter_context
from leaderboards.views.components.tables import table
from leaderboards.views.http.responses import ROWS
from leaderboards.views.http.viewer import Viewer, may_be_signed_in


@dataclass(frozen=True, slots=True)
class Followed:
    """The rows, best first, of whom the account follows and of themselves; ``account`` is None for who is a guest."""

    account: int | None
    rows: tuple[Row, ...]
    has_any: bool


def is_of_followed(request: HttpRequest) -> bool:
    """Whether the address asks for whom one follows. Raises ``Http404`` for another filter: there is no other."""
    of = request.GET.get(PARAMETER, "")
    if of in ("", FOLLOWING):
        return of == FOLLOWING
    raise Http404("The standings of a competition are filtered by `following` alone.")


def followed_rows(request: HttpRequest, competition: Competition, viewer: Viewer, at: datetime) -> Followed:
    """Read them as the public may see them now. Raises ``SqlAway`` if only SQL can say whom one follows."""
    if not (may_be_signed_in(request) and request.user.is_authenticated):
        return Followed(None, (), has_any=False)
    account = request.user.pk
    players = followed_ids(account)
    me = [viewer.player] if viewer.player is not None and viewer.linked else []
    named = ForPlayers(tuple(dict.fromkeys([*players, *me])))
    found = page_with_others(competition, at, Page(0, 1), None, named)
    return Followed(account, tuple(sorted(found.named, key=_by_rank)), has_any=bool(players))


def following_context(found: Followed, page: BoardPage, viewer: Viewer, number: int) -> dict[str, Any]:
    """Return what of the template context of the competition's page is other under the filter."""
    rows, first = list(found.rows), (number - 1) * ROWS
    shown = replace(page, standings=replace(page.standings, rows=rows[first : first + ROWS]))
    words = Filter(
        FOLLOWING,
        len(rows),
        places_among(rows),
        _("Following"),
        _empty(found),
        hint=_hint(found),
        offers_sign_in=found.account is None,
    )
    context = table(shown, viewer, number)
    return context | filter_context(words, context["lines"], page.standings.total)


def _by_rank(row: Row) -> tuple[int, str]:
    return (row.rank or 0, row.player)


def _empty(found: Followed) -> str:
    if found.account is None:
        return _("Sign in to see whom you follow.")
    return _("Nobody whom you follow stands in this competition.") if found.has_any else _("You follow nobody yet.")


def _hint(found: Followed) -> str:
    if found.account is None or found.has_any:
        return ""
    return _("Every player's page has a button to follow them, and so has each row's menu on a board.")
