"""Let staff revoke rewards, with a reason and a choice of who gets them instead, and restore them.

Places do not change. Either nobody gets the revoked reward; or its player is passed over for all rewards of the
competition, and the players behind each get the reward of the place ahead, also after later revisions. The action is
one short transaction with its change; the other grants are settled right after it (``settlement.py``), or by the
schedule if that is interrupted.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from competitions.errors import BadCompetition, NotEarned, PassedOver, RewardRevoked
from competitions.models import ChangeKind, RewardGrant, RewardRun
from competitions.selectors.rewards.grant_changes import passed_over_together, preview_restore_by_staff, tier_key_of
from competitions.services.change_log import clean_reason, record_change
from competitions.services.locks import lock_competition
from competitions.services.rewards import grants as granting
from competitions.services.rewards.settlement import settle_rewards
from foundation.audit import record
from foundation.audit.row_values import subjects_of
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.worker.each import for_each
from leaderboards.selectors.visibility.hidden import hidden_now

Grants = Sequence[RewardGrant]


class Reallocation(StrEnum):
    """Who gets a revoked reward."""

    NEXT = "next"
    NOBODY = "nobody"


def revoke_by_staff(
    grants: Grants, instead: Reallocation, reason: str, at: datetime, by: AbstractBaseUser | None = None
) -> list[RewardGrant]:
    """Revoke active grants of one period in one action, all or none. Returns their present rows.

    Raises ``BadCompetition`` without a reason of 1 to 300 characters, or if a calendar board's reward is to go to the
    next player; ``RewardRevoked`` if one is revoked already; ``CompetitionBusy``.
    """
    reason = clean_reason(reason)
    with transaction.atomic():
        run = _lock_run(grants)
        locked = _lock_grants(grants)
        if instead is Reallocation.NEXT and run.competition is None:
            raise BadCompetition(
                Message("Rewards of this board are granted once: take it back so that nobody else gets it."), "instead"
            )
        if any(grant.revoked_at is not None for grant in locked):
            raise RewardRevoked(Message("This reward does not stand any more: there is nothing to take back."))
        granting.revoke_grants(locked, reason, at, withheld=True)
        if instead is Reallocation.NEXT:
            RewardGrant.objects.filter(pk__in=[grant.pk for grant in locked]).update(passed_over_at=at)
            _unsettle(run, at)
        _record(run, locked, ChangeKind.TAKEN_BACK, (at, by, reason), str(instead))
        failpoint("take_back.before_commit")
    failpoint("take_back.committed")
    return _settle_after(run, locked, at)


def restore_by_staff(
    grants: Grants, reason: str, at: datetime, by: AbstractBaseUser | None = None
) -> list[RewardGrant]:
    """Undo revocations in one action: the players get new grants, and players who got the rewards instead lose them.

    A player who was passed over is ranked for rewards again and gets what they earn by the present result, which may be
    another reward. Returns the old rows, which keep their reasons.

    Raises ``BadCompetition`` without a reason, ``RewardRevoked`` if staff did not revoke one, ``NotEarned`` if the
    player does not earn it (or, if passed over, earns no reward) by the present result, ``PassedOver`` if another
    revoked reward prevents it, ``CompetitionBusy``.
    """
    reason = clean_reason(reason)
    with transaction.atomic():
        run = _lock_run(grants)
        locked = _lock_grants(grants)
        if any(grant.withheld_at is None for grant in locked):
            raise RewardRevoked(Message("Nobody has taken this reward back by hand: it follows the result."))
        _refuse_unearned(run, locked)
        together = passed_over_together(locked)
        rows = RewardGrant.objects.filter(pk__in=[grant.pk for grant in together])
        rows.update(withheld_at=None, passed_over_at=None)
        if run.competition is None:
            granting.insert_grants((_copy(grant, at) for grant in locked), at)
        else:
            _unsettle(run, at)
        _record(run, together, ChangeKind.GIVEN_BACK, (at, by, reason))
        failpoint("give_back.before_commit")
    return _settle_after(run, locked, at)


def _lock_run(grants: Grants) -> RewardRun:
    """Lock the run of the grants' period after its competition, the order in which all reward services lock."""
    [period] = {grant.period_id for grant in grants}
    rows = RewardRun.objects.filter(period=period)
    competition = rows.select_related("competition").defer("competition__picture").get().competition
    if competition is not None:
        competition = lock_competition(competition)
    run = rows.select_for_update(of=("self",)).select_related("period__board").get()
    run.competition = competition
    return run


def _lock_grants(grants: Grants) -> list[RewardGrant]:
    """Lock the grants and return them as they are now."""
    rows = RewardGrant.objects.select_for_update(of=("self",)).select_related("period", "player")
    return list(rows.filter(pk__in=[grant.pk for grant in grants]).order_by("pk"))


def _unsettle(run: RewardRun, at: datetime) -> None:
    """Mark the run as unsettled, and invalidate plans that were computed before."""
    run.unsettled_at, run.version = at, run.version + 1
    run.save(update_fields=["unsettled_at", "version"])


def _refuse_unearned(run: RewardRun, locked: Grants) -> None:
    """Raise ``NotEarned`` or ``PassedOver`` if a player would not earn the reward, or, if passed over, any reward."""
    if run.competition is None:
        hidden = hidden_now(run.period)
        unearned = [grant for grant in locked if grant.player_id in hidden]
    else:
        unearned = _unearned(run, locked, ())
        _refuse_passed_over(run, locked, unearned)
    if unearned:
        raise NotEarned(Message("The player does not earn this reward by the result as it is now."))


def _unearned(run: RewardRun, locked: Grants, others: Grants) -> list[RewardGrant]:
    """Return the grants that would not be earned if they and ``others`` were restored."""
    new = {(grant.player_id, tier_key_of(grant)) for grant in preview_restore_by_staff(run, [*locked, *others]).new}
    winners = {player for player, _tier_key in new}

    def is_earned(grant: RewardGrant) -> bool:
        wins_another = grant.passed_over_at is not None and grant.player_id in winners
        return wins_another or (grant.player_id, tier_key_of(grant)) in new

    return [grant for grant in locked if not is_earned(grant)]


def _refuse_passed_over(run: RewardRun, locked: Grants, unearned: Grants) -> None:
    """Raise ``PassedOver`` if they are unearned only because other rewards were revoked."""
    rows = RewardGrant.objects.filter(period=run.period_id, player__in={grant.player_id for grant in unearned})
    others = list(rows.filter(passed_over_at__isnull=False).select_related("period", "player").order_by("pk"))
    if not others or _unearned(run, locked, others):
        return
    player = others[0].player
    names = ", ".join(f"“{grant.name}”" for grant in others if grant.player_id == player.pk)
    raise PassedOver(
        Message(
            "%(player)s is passed over for all rewards, since this was taken back: %(rewards)s. Give that "
            "back first, or together with this one.",
            player=player.external_id,
            rewards=names,
        )
    )


def _record(
    run: RewardRun,
    grants: Grants,
    kind: ChangeKind,
    action: tuple[datetime, AbstractBaseUser | None, str],
    instead: str = "",
) -> None:
    """Record a change for each grant; calendar boards have only the audit log."""
    at, by, reason = action
    if run.competition is None:
        for grant in grants:
            subjects = [*subjects_of(grant), ("board", run.period.board_id)]
            record(f"reward.{kind}", at=at, by=by, reason=reason, subjects=subjects, note={"reward": grant.name})
        return
    for grant in grants:
        details = {"player": grant.player.external_id, "reward": grant.name, "grant": grant.pk}
        record_change(run.competition, kind, at, by, reason, **details, **({"instead": instead} if instead else {}))


def _settle_after(run: RewardRun, locked: Grants, at: datetime) -> list[RewardGrant]:
    """Settle the run after the action, which is committed; if that is interrupted, the schedule continues."""
    for_each([run] if run.competition is not None else [], lambda each: settle_rewards(each.pk, at))
    rows = RewardGrant.objects.filter(pk__in=[grant.pk for grant in locked])
    return list(rows.select_related("period", "player").order_by("pk"))


def _copy(grant: RewardGrant, at: datetime) -> RewardGrant:
    """Return an unsaved grant of the same reward."""
    return RewardGrant(
        tier_id=grant.tier_id,
        period=grant.period,
        player_id=grant.player_id,
        rank=grant.rank,
        name=grant.name,
        code=grant.code,
        granted_at=at,
    )
