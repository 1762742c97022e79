"""Bans and restrictions in the list of players: a filter and a column.

The trap: a ban from everything is no row of ``Restriction``, and a player is banned while they are being erased.
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
_PREFETCHED = "running_restrictions"


class ExclusionFilter(admin.SimpleListFilter):
    """Filter players by their active bans and restrictions, of any board."""

    title = _lazy("kept out")
    parameter_name = "kept_out"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer any exclusion, the ban from everything, and each kind of restriction."""
        return [
            (_ANY, _lazy("in any way")),
            (_BANNED, _lazy("banned from everything")),
            (RestrictionKind.BANNED, _lazy("banned from a board")),
            (RestrictionKind.HIDDEN, pgettext_lazy("a player", "hidden")),
            (RestrictionKind.SHADOWED, pgettext_lazy("a player", "shadowed")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Player]) -> QuerySet[Player]:
        """Filter through the restrictions, which are few, however many players there are."""
        chosen = self.value()
        if not chosen:
            return queryset
        banned = can_be_unbanned().order_by().values("pk")
        if chosen == _BANNED:
            return queryset.filter(pk__in=banned)
        if chosen == _ANY:
            return queryset.filter(pk__in=banned.union(active_restrictions().values("player")))
        return queryset.filter(pk__in=active_restrictions().filter(kind=chosen).values("player"))


def prefetch_restrictions(players: QuerySet[Player]) -> QuerySet[Player]:
    """Prefetch what ``exclusion_lines`` needs, with one SQL statement for a page."""
    rows = active_restrictions().select_related("board", "period").order_by("kind", "board", "period")
    return players.prefetch_related(Prefetch("restrictions", rows, to_attr=_PREFETCHED))


def exclusion_lines(player: Player) -> list[str]:
    """Describe the ban and the restrictions of a player from ``prefetch_restrictions``, the ban first."""
    restrictions = [describe_restriction(scope_of(row)) for row in getattr(player, _PREFETCHED)]
    return [*_describe_ban(player), *restrictions]


def _describe_ban(player: Player) -> list[str]:
    if player.banned_at is None:
        return []
    if player.banned_at == player.erasing_since:
        return [_("being erased")]
    return [_("banned from everything since %(when)s") % {"when": in_utc(player.banned_at)}]
