"""Rewards that staff take back, with a reason and a choice of who gets them instead, and give back.

Places do not move. Either nobody else is granted what was taken back; or its player is passed over for all rewards of
the competition, and each prize behind them goes to the next in line, also after later revisions. The act is one short
transaction with its row in the record; who wins and loses by it follows at once, in turns (``settle_rewards.py``), and
by the schedule where that was cut off.
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
from foundation.worker.each import for_each
from leaderboards.selectors.visibility.hidden import hidden_now

Grants = Sequence[RewardGrant]


class Reallocation(StrEnum):
    """Who gets what was taken back."""

    NEXT = "next"
    NOBODY = "nobody"


def revoke_by_staff(
    grants: Grants, instead: Reallocation, reason: str, at: datetime, by: AbstractBaseUser | None = None
) -> list[RewardGrant]:
    """Revoke standing grants of one period as one act: all of them or, where it raises, none. Returns them as they are.

    Raises ``BadCompetition`` without a reason of 1 to 300 characters, or where a calendar board's reward is to go to
    the next in line; ``RewardRevoked`` where one does not stand; ``CompetitionBusy``.
    """
    reason = clean_reason(reason)
    with transaction.atomic():
        run = _held_run(grants)
        locked = _held(grants)
        if instead is Reallocation.NEXT and run.competition is None:
            raise BadCompetition(
                "Rewards of this board are granted once: take it back so that nobody else gets it.", "instead"
            )
        if any(grant.revoked_at is not None for grant in locked):
            raise RewardRevoked("This reward does not stand any more: there is nothing to take back.")
        granting.revoke_grants(locked, reason, at, withheld=True)
        if instead is Reallocation.NEXT:
            RewardGrant.objects.filter(pk__in=[grant.pk for grant in locked]).update(passed_over_at=at)
            _unsettle(run, at)
        _record(run, locked, ChangeKind.TAKEN_BACK, (at, by, reason), str(instead))
        failpoint("take_back.before_commit")
    failpoint("take_back.committed")
    return _followed(run, locked, at)


def restore_by_staff(
    grants: Grants, reason: str, at: datetime, by: AbstractBaseUser | None = None
) -> list[RewardGrant]:
    """Undo taking back, as one act: the players are granted these rewards anew, in rows of their own, and those who won
    them instead loses them. Who was passed over is in the line again, and is granted what they earn there by the result
    as it is now, which may be another reward than before. Returns the rows of before, which keep their reasons.

    Raises ``BadCompetition`` without a reason, ``RewardRevoked`` where staff did not take one back, ``NotEarned`` where
    the player does not earn it, or, passed over, earns nothing by the result as it is now, ``PassedOver`` where another
    one that was taken back stands in the way, ``CompetitionBusy``.
    """
    reason = clean_reason(reason)
    with transaction.atomic():
        run = _held_run(grants)
        locked = _held(grants)
        if any(grant.withheld_at is None for grant in locked):
            raise RewardRevoked("Nobody has taken this reward back by hand: it follows the result.")
        _refuse_unearned(run, locked)
        together = passed_over_together(locked)
        rows = RewardGrant.objects.filter(pk__in=[grant.pk for grant in together])
        rows.update(withheld_at=None, passed_over_at=None)
        if run.competition is None:
            granting.insert_grants((_again(grant, at) for grant in locked), at)
        else:
            _unsettle(run, at)
        _record(run, together, ChangeKind.GIVEN_BACK, (at, by, reason))
        failpoint("give_back.before_commit")
    return _followed(run, locked, at)


def _held_run(grants: Grants) -> RewardRun:
    """The run of their one period, locked behind its competition, as all that compute rewards lock them."""
    [period] = {grant.period_id for grant in grants}
    rows = RewardRun.objects.filter(period=period)
    competition = rows.select_related("competition").defer("competition__picture").get().competition
    if competition is not None:
        competition = lock_competition(competition)
    run = rows.select_for_update(of=("self",)).select_related("period__board").get()
    run.competition = competition
    return run


def _held(grants: Grants) -> list[RewardGrant]:
    """The rows as they are now, held until this transaction ends."""
    rows = RewardGrant.objects.select_for_update(of=("self",)).select_related("period", "player")
    return list(rows.filter(pk__in=[grant.pk for grant in grants]).order_by("pk"))


def _unsettle(run: RewardRun, at: datetime) -> None:
    """Who wins and loses is to be computed; what was computed before does not hold any more."""
    run.unsettled_at, run.version = at, run.version + 1
    run.save(update_fields=["unsettled_at", "version"])


def _refuse_unearned(run: RewardRun, locked: Grants) -> None:
    """Who was passed over is in the line again, for whatever they earn there by now; the others earn what they had."""
    if run.competition is None:
        out = hidden_now(run.period)
        unearned = [grant for grant in locked if grant.player_id in out]
    else:
        unearned = _unearned(run, locked, ())
        _refuse_passed_over(run, locked, unearned)
    if unearned:
        raise NotEarned("The player does not earn this reward by the result as it is now.")


def _unearned(run: RewardRun, locked: Grants, others: Grants) -> list[RewardGrant]:
    """Those that their players would not earn if they were given back, together with the others."""
    new = {(grant.player_id, tier_key_of(grant)) for grant in preview_restore_by_staff(run, [*locked, *others]).new}
    winners = {player for player, _mark in new}

    def is_earned(grant: RewardGrant) -> bool:
        in_line_again = grant.passed_over_at is not None and grant.player_id in winners
        return in_line_again or (grant.player_id, tier_key_of(grant)) in new

    return [grant for grant in locked if not is_earned(grant)]


def _refuse_passed_over(run: RewardRun, locked: Grants, unearned: Grants) -> None:
    """Raise ``PassedOver`` where they are unearned only because of other rewards that were taken back."""
    rows = RewardGrant.objects.filter(period=run.period_id, player__in={grant.player_id for grant in unearned})
    others = list(rows.filter(passed_over_at__isnull=False).select_related("period", "player").order_by("pk"))
    if not others or _unearned(run, locked, others):
        return
    player = others[0].player
    names = ", ".join(f"“{grant.name}”" for grant in others if grant.player_id == player.pk)
    raise PassedOver(
        f"{player.external_id} is passed over for all rewards, since this was taken back: {names}. Give that back "
        "first, or together with this one."
    )


def _record(
    run: RewardRun,
    grants: Grants,
    kind: ChangeKind,
    act: tuple[datetime, AbstractBaseUser | None, str],
    instead: str = "",
) -> None:
    """A row for each in the competition's record; calendar boards have none but the audit log."""
    at, by, reason = act
    if run.competition is None:
        for grant in grants:
            subjects = [*subjects_of(grant), ("board", run.period.board_id)]
            record(f"reward.{kind}", at=at, by=by, reason=reason, subjects=subjects, note={"reward": grant.name})
        return
    for grant in grants:
        said = {"player": grant.player.external_id, "reward": grant.name, "grant": grant.pk}
        record_change(run.competition, kind, at, by, reason, **said, **({"instead": instead} if instead else {}))


def _followed(run: RewardRun, locked: Grants, at: datetime) -> list[RewardGrant]:
    """Settle what follows from the act, which is done: where that has to wait, the schedule goes on."""
    for_each([run] if run.competition is not None else [], lambda each: settle_rewards(each.pk, at))
    rows = RewardGrant.objects.filter(pk__in=[grant.pk for grant in locked])
    return list(rows.select_related("period", "player").order_by("pk"))


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
