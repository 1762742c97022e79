"""What a person's own data would tell too early: results that a freeze hides yet, and rewards that a shadow cost."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from competitions.models import Competition, Participant, RewardGrant
from leaderboards.models import Player, RestrictionKind
from leaderboards.selectors.visibility.restrictions import active_restrictions

STANDS: Mapping[str, Any] = {"revoked_at": None, "revoked_reason": "", "revoked_told_at": None}


def has_hidden_results(player: Player, at: datetime) -> bool:
    """Whether the player takes part, or took part, in a competition whose standings are hidden at ``at``."""
    theirs = Competition.objects.filter(participants__player=player, revealed_at=None).distinct()
    return any(competition.is_hidden(at) for competition in theirs.iterator())


def grants_before_shadows(grants: QuerySet[RewardGrant]) -> dict[int, Mapping[str, Any]]:
    """By number those of these grants that were revoked while their player is shadowed there, as if they stood.

    No notice tells the shadowed of it, whatever the reason, so what they were told before stays; and so does what
    staff took back by hand, which is not of the shadow.
    """
    here = Q(board=None) | Q(board=OuterRef("period__board"))
    shadows = active_restrictions().filter(here, kind=RestrictionKind.SHADOWED, player=OuterRef("player"))
    lost = grants.filter(Exists(shadows), revoked_at__isnull=False, revoked_told_at=None, withheld_at=None)
    return dict.fromkeys(lost.values_list("pk", flat=True), STANDS)


def is_disqualified(player: Player) -> bool:
    """Whether the player is disqualified in a competition that is neither final nor cancelled, gone or not."""
    return Participant.objects.filter(
        player=player, disqualified_at__isnull=False, competition__final_at=None, competition__cancelled_at=None
    ).exists()
