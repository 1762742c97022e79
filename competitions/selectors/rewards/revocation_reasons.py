"""Why rewards are lost: which act took each of them away, where several came before one settling.

A player is told the reason of the act that cost them their reward, and nobody else's. Acts whose effects cannot be told
apart give none of their reasons, but a sentence.
"""

from collections.abc import Iterator, Sequence, Set

from competitions.models import ChangeKind, Revision, RewardGrant, RewardRun
from competitions.selectors.rewards.earners import result_of
from competitions.selectors.rewards.grant_changes import grant_changes_for
from competitions.sentences import OTHER_REWARD_MOVED, SEVERAL_CHANGES

# A number is that of a revision's row, whose reason it is; anything else is the reason itself.
ReasonSource = int | str

# Revisions between two settlings that are told apart; a schedule that stood still for long may find more.
MOST = 10
_HIDING = (ChangeKind.DISQUALIFIED, ChangeKind.REINSTATED)


def revocation_reasons(
    run: RewardRun, lost: Sequence[RewardGrant], last: int | None, passed_over: Set[int]
) -> dict[int, ReasonSource]:
    """Number of a grant → why it is lost by the revision numbered ``last``; each grant has its player.

    ``passed_over`` are internal numbers of players.
    """
    if not lost or run.competition is None:
        return {}
    since = run.competition.revisions.filter(number__gte=run.revision or 1, number__lte=last or 0)
    revisions = list(since.select_related("change").order_by("number"))
    newer = [each for each in revisions if each.number > (run.revision or 0)]
    has_moved = run.unsettled_at is not None and run.revision is not None
    if not newer:
        return {grant.pk: OTHER_REWARD_MOVED for grant in lost}
    if len({each.reason for each in newer}) == 1 and not has_moved:
        return {grant.pk: newer[-1].pk for grant in lost}
    own = {grant.pk: _about(grant, revisions) for grant in lost}
    others = [grant for grant in lost if own[grant.pk] is None]
    by_others = _by_others(run, others, revisions, passed_over, _together(newer, has_moved=has_moved))
    return {number: revision.pk for number, revision in own.items() if revision is not None} | by_others


def _about(grant: RewardGrant, revisions: Sequence[Revision]) -> Revision | None:
    """The act about the player of the grant: since which they are left out, or the latest that judged their scores."""
    _before, *newer = revisions
    out_since = None
    for earlier, revision in zip(revisions, newer, strict=False):
        if grant.player_id not in revision.excluded_players:
            out_since = None
        elif grant.player_id not in earlier.excluded_players:
            out_since = revision
    if out_since is not None:
        return out_since
    name = grant.player.external_id
    judged = [each for each in newer if each.change is not None and each.change.details.get("player") == name]
    return judged[-1] if judged else None


def _by_others(
    run: RewardRun,
    lost: Sequence[RewardGrant],
    revisions: Sequence[Revision],
    passed_over: Set[int],
    together: ReasonSource,
) -> dict[int, ReasonSource]:
    """By the first revision since which the grant is not earned, as far as that hides or shows somebody; ``together``
    where scores or other rewards have changed: that shows in no revision's list of those who are left out."""
    found: dict[int, ReasonSource] = {grant.pk: together for grant in lost}
    if not lost:
        return found
    if len(revisions) > MOST:
        return dict.fromkeys(found, SEVERAL_CHANGES)
    earlier: set[int] = set(found)
    for nth, (revision, missing) in enumerate(_missing(run, revisions, passed_over)):
        for number in found:
            if nth and number in missing and number not in earlier:
                found[number] = revision.pk
        earlier = missing
    return found


def _missing(
    run: RewardRun, revisions: Sequence[Revision], passed_over: Set[int]
) -> Iterator[tuple[Revision, set[int]]]:
    """Each revision with the grants (numbers) that it does not earn."""
    for revision in revisions:
        yield (
            revision,
            {grant.pk for grant in grant_changes_for(result_of(run.period, revision), run, passed_over).lost},
        )


def _together(newer: Sequence[Revision], *, has_moved: bool) -> ReasonSource:
    """What is said of changes of scores and of other rewards, which are seen together alone."""
    judging = [each for each in newer if each.change is not None and each.change.kind not in _HIDING]
    if has_moved:
        return SEVERAL_CHANGES if judging else OTHER_REWARD_MOVED
    return judging[-1].pk if len({each.reason for each in judging}) == 1 else SEVERAL_CHANGES
