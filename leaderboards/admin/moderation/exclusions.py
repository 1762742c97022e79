"""Who is banned, hidden or shadowed, in the list of players: a filter, and a column that says it of each row.

The trap: a ban from everything is no row of ``Restriction``, and an erasure bans for as long as it runs.
"""

from typing import Any

from django.contrib import admin
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import pgettext_lazy

from leaderboards.admin.moderation.restriction_forms import describe_restriction
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.models import Player, RestrictionKind
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.services.moderation.ban import can_be_unbanned
from leaderboards.services.moderation.restrict import scope_of

_ANY, _BANNED = "any", "everything"
_SHOWN = "running_restrictions"


class ExclusionFilter(admin.SimpleListFilter):
    """By what moderators keep from players now, on whichever board."""

    title = _lazy("kept out")
    parameter_name = "kept_out"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Anything, then the ban from everything, then each kind of restriction."""
        return [
            (_ANY, _lazy("in any way")),
            (_BANNED, _lazy("banned from everything")),
            (RestrictionKind.BANNED, _lazy("banned from a board")),
            (RestrictionKind.HIDDEN, pgettext_lazy("a player", "hidden")),
            (RestrictionKind.SHADOWED, pgettext_lazy("a player", "shadowed")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Player]) -> QuerySet[Player]:
        """The chosen ones: found among the few who are kept out, however many players there are."""
        asked = self.value()
        if not asked:
            return queryset
        banned = can_be_unbanned().order_by().values("pk")
        if asked == _BANNED:
            return queryset.filter(pk__in=banned)
        if asked == _ANY:
            return queryset.filter(pk__in=banned.union(active_restrictions().values("player")))
        return queryset.filter(pk__in=active_restrictions().filter(kind=asked).values("player"))


def prefetch_restrictions(players: QuerySet[Player]) -> QuerySet[Player]:
    """The players with what ``exclusion_lines`` asks of them: one question for all of a page."""
    rows = active_restrictions().select_related("board", "period").order_by("kind", "board", "period")
    return players.prefetch_related(Prefetch("restrictions", rows, to_attr=_SHOWN))


def exclusion_lines(player: Player) -> list[str]:
    """What is kept from a player of ``prefetch_restrictions``, the ban from everything first; nothing for most."""
    restrictions = [describe_restriction(scope_of(row)) for row in getattr(player, _SHOWN)]
    return [*_ban_in_words(player), *restrictions]


def _ban_in_words(player: Player) -> list[str]:
    if player.banned_at is None:
        return []
    if player.banned_at == player.erasing_since:
        return [_("being erased")]
    return [_("banned from everything since %(when)s") % {"when": in_utc(player.banned_at)}]
