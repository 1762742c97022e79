"""Rewards that staff take back, each with a reason, and give back.

What is taken back stays so when tiers are computed anew, and nobody else is granted it: places did not move. What is
given back is granted in a new row, if the player still earns it.
"""

from datetime import datetime

from django.db import transaction

from competitions.errors import NotEarned, RewardRevoked
from competitions.models import RewardGrant, RewardRun
from competitions.services import grants
from competitions.services.changes import reason_given
from competitions.services.locked import locked
from competitions.services.reward import settle_again
from foundation.failpoints import failpoint


@transaction.atomic
def take_back(grant: RewardGrant, reason: str, at: datetime) -> RewardGrant:
    """Revoke a standing grant for good; the admin's log keeps who did it.

    Raises ``BadCompetition`` without a reason of 1 to 300 characters, ``RewardRevoked`` where it does not stand.
    """
    reason = reason_given(reason)
    held = _held(grant)
    if held.revoked_at is not None:
        raise RewardRevoked("This reward does not stand any more: there is nothing to take back.")
    grants.revoke([held], reason, at, withheld=True)
    failpoint("take_back.before_commit")
    return held


@transaction.atomic
def give_back(grant: RewardGrant, reason: str, at: datetime) -> RewardGrant:
    """Undo a taking back: the player is granted it in a new row, which is returned. The old row keeps its reason.

    Raises ``BadCompetition`` without a reason, ``RewardRevoked`` where staff did not take it back, and ``NotEarned``
    where the player does not earn it by the result as it is now.
    """
    reason_given(reason)
    held = _held(grant)
    if held.withheld_at is None:
        raise RewardRevoked("Nobody has taken this reward back by hand: it follows the result.")
    held.withheld_at = None
    held.save(update_fields=["withheld_at"])
    run = RewardRun.objects.select_related("period__board").get(period=held.period_id)
    if run.competition_id is not None:
        settle_again(run, at)
    elif held.player.banned_at is None:
        grants.write([_again(held, at)], at)
    same = RewardGrant.objects.filter(
        RewardGrant.STANDING, period=held.period_id, player=held.player_id, name=held.name, code=held.code
    )
    found = same.order_by("-pk").first()
    if found is None:
        raise NotEarned("The player does not earn this reward by the result as it is now.")
    return found


def _held(grant: RewardGrant) -> RewardGrant:
    """The row as it is now, locked behind its competition and its run, as whoever computes rewards locks them."""
    if grant.competition is not None:
        locked(grant.competition)
    RewardRun.objects.select_for_update(of=("self",)).filter(period=grant.period_id).first()
    rows = RewardGrant.objects.select_for_update(of=("self",)).select_related("period", "player")
    return rows.get(pk=grant.pk)


def _again(grant: RewardGrant, at: datetime) -> RewardGrant:
    """The same reward in a row of its own."""
    return RewardGrant(
        tier_id=grant.tier_id,
        period=grant.period,
        player_id=grant.player_id,
        rank=grant.rank,
        name=grant.name,
        code=grant.code,
        granted_at=at,
    )
