"""Find the reason why each reward is lost, if several revisions come before one settlement.

A player gets the reason of the change that cost them the reward, and no other. If the effects of several changes cannot
be separated, a general sentence replaces their reasons.
"""

from collections.abc import Iterator, Sequence, Set

from competitions.models import ChangeKind, Revision, RewardGrant, RewardRun
from competitions.notice_texts import OTHER_REWARD_MOVED, SEVERAL_CHANGES
from competitions.selectors.rewards.earners import result_of
from competitions.selectors.rewards.grant_changes import grant_changes_for

# The primary key of a revision, whose reason it is, or the reason itself.
ReasonSource = int | str

# The most revisions between two settlements that are distinguished; after a long outage there may be more.
MOST = 10
_HIDING = (ChangeKind.DISQUALIFIED, ChangeKind.REINSTATED)


def revocation_reasons(
    run: RewardRun, lost: Sequence[RewardGrant], last: int | None, passed_over: Set[int]
) -> dict[int, ReasonSource]:
    """Return number of a grant → why it is lost by the revision numbered ``last``.

    The grants need their players loaded. ``passed_over`` are internal numbers of players.
    """
    if not lost or run.competition is None:
        return {}
    since = run.competition.revisions.filter(number__gte=run.revision or 1, number__lte=last or 0)
    revisions = list(since.select_related("change").order_by("number"))
    newer = [each for each in revisions if each.number > (run.revision or 0)]
    has_staff_actions = run.unsettled_at is not None and run.revision is not None
    if not newer:
        return {grant.pk: OTHER_REWARD_MOVED for grant in lost}
    if len({each.reason for each in newer}) == 1 and not has_staff_actions:
        return {grant.pk: newer[-1].pk for grant in lost}
    own = {grant.pk: _own_revision(grant, revisions) for grant in lost}
    others = [grant for grant in lost if own[grant.pk] is None]
    by_others = _by_others(
        run, others, revisions, passed_over, _common_reason(newer, has_staff_actions=has_staff_actions)
    )
    return {number: revision.pk for number, revision in own.items() if revision is not None} | by_others


def _own_revision(grant: RewardGrant, revisions: Sequence[Revision]) -> Revision | None:
    """Return the revision about the grant's player: the one that excluded them, or the latest that judged a score."""
    _before, *newer = revisions
    excluded_since = None
    for earlier, revision in zip(revisions, newer, strict=False):
        if grant.player_id not in revision.excluded_players:
            excluded_since = None
        elif grant.player_id not in earlier.excluded_players:
            excluded_since = revision
    if excluded_since is not None:
        return excluded_since
    name = grant.player.external_id
    judged = [each for each in newer if each.change is not None and each.change.details.get("player") == name]
    return judged[-1] if judged else None


def _by_others(
    run: RewardRun,
    lost: Sequence[RewardGrant],
    revisions: Sequence[Revision],
    passed_over: Set[int],
    common_reason: ReasonSource,
) -> dict[int, ReasonSource]:
    """Return the first revision by which a grant is not earned any more because players were excluded or shown again.

    ``common_reason`` is used if scores or other rewards have changed, which no list of excluded players shows.
    """
    reasons: dict[int, ReasonSource] = {grant.pk: common_reason for grant in lost}
    if not lost:
        return reasons
    if len(revisions) > MOST:
        return dict.fromkeys(reasons, SEVERAL_CHANGES)
    lost_before: set[int] = set(reasons)
    for nth, (revision, lost_here) in enumerate(_lost_by_revision(run, revisions, passed_over)):
        for number in reasons:
            if nth and number in lost_here and number not in lost_before:
                reasons[number] = revision.pk
        lost_before = lost_here
    return reasons


def _lost_by_revision(
    run: RewardRun, revisions: Sequence[Revision], passed_over: Set[int]
) -> Iterator[tuple[Revision, set[int]]]:
    """Yield each revision with the numbers of the grants that are not earned by it."""
    for revision in revisions:
        changes = grant_changes_for(result_of(run.period, revision), run, passed_over)
        yield revision, {grant.pk for grant in changes.lost}


def _common_reason(newer: Sequence[Revision], *, has_staff_actions: bool) -> ReasonSource:
    """Return the reason for changes of scores and of other rewards, which cannot be separated."""
    judging = [each for each in newer if each.change is not None and each.change.kind not in _HIDING]
    if has_staff_actions:
        return SEVERAL_CHANGES if judging else OTHER_REWARD_MOVED
    return judging[-1].pk if len({each.reason for each in judging}) == 1 else SEVERAL_CHANGES
