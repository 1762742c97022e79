"""What the export of a player's own data must not reveal: results hidden by a freeze, and rewards lost by a shadow
ban."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from competitions.models import Competition, Participant, RewardGrant
from leaderboards.models import Player, RestrictionKind
from leaderboards.selectors.visibility.restrictions import active_restrictions

NOT_REVOKED: Mapping[str, Any] = {"revoked_at": None, "revoked_reason": "", "revoked_told_at": None}


def has_hidden_results(player: Player, at: datetime) -> bool:
    """Whether the player takes or took part in a competition whose standings are hidden at ``at``."""
    competitions = Competition.objects.filter(participants__player=player, revealed_at=None).distinct()
    return any(competition.is_hidden(at) for competition in competitions.iterator())


def grants_before_shadows(grants: QuerySet[RewardGrant]) -> dict[int, Mapping[str, Any]]:
    """Return number → values of a grant that is not revoked, for grants that were revoked while the player is shadowed.

    Shadowed players get no notice of a revocation, whatever its reason, so their export must not show it. Grants that
    staff revoked are not affected by the shadow ban and are not listed.
    """
    on_board = Q(board=None) | Q(board=OuterRef("period__board"))
    shadows = active_restrictions().filter(on_board, kind=RestrictionKind.SHADOWED, player=OuterRef("player"))
    lost = grants.filter(Exists(shadows), revoked_at__isnull=False, revoked_told_at=None, withheld_at=None)
    return dict.fromkeys(lost.values_list("pk", flat=True), NOT_REVOKED)


def is_disqualified(player: Player) -> bool:
    """Whether the player is disqualified in a competition that is neither final nor cancelled, even if they left it."""
    return Participant.objects.filter(
        player=player, disqualified_at__isnull=False, competition__final_at=None, competition__cancelled_at=None
    ).exists()
