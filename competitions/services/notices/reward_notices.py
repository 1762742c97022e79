"""Notify players of granted and revoked rewards: each grant and each revocation once.

If a reward replaces another of the same kind (Gold for Silver), the player gets one notice, not a loss and a gain.

A chunk is one transaction: the notices, their e-mails, and the marks on the grants. Rewards of calendar boards are
announced only by webhooks, because a notice belongs to a competition. Notices for banned players wait, unmarked, and
are written after the ban if they still hold. A player who regains a lost reward before the loss was notified gets no
notice, so a short ban causes none. Therefore a loss is notified only once the rewards are settled.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from competitions.models import Competition, Notice, NoticeKind, RewardGrant
from competitions.selectors.notices.preferences import preference_of
from competitions.selectors.rewards.unsettled import unsettled_competitions
from competitions.services.notices import notices
from foundation import clock
from foundation.failpoints import failpoint
from leaderboards.selectors.visibility.restrictions import visible_q

CHUNK = 1000
_REWARD = ("period_id", "player_id", "name", "code")  # what identifies a reward to its player
BUDGET_SECONDS = 2.0


def notify_rewards(at: datetime, of: Competition | None = None) -> int:
    """Write notices of granted and revoked rewards, for a few seconds; returns how many were written.

    ``of`` limits it to one competition.
    """
    until, total = clock.monotonic() + BUDGET_SECONDS, 0
    scope = Q() if of is None else Q(competition=of)
    for step in (_notify_granted, _notify_revoked):
        while clock.monotonic() < until and (written := step(scope, at)) is not None:
            total += written
    return total


@transaction.atomic
def _notify_granted(scope: Q, at: datetime) -> int | None:
    """Notify the next thousand grants; returns how many notices were written, None if no grant is left."""
    grants = _lock_next(scope & Q(told_at=None))
    active = [grant for grant in grants if grant.revoked_at is None]
    # A grant that was revoked before its notice was written gets no notice at all.
    _rows([grant for grant in grants if grant.revoked_at is not None]).update(revoked_told_at=at)
    _rows(grants).update(told_at=at)
    known = _already_notified(active)
    replaced = _replaced_grants([grant for grant in active if grant.pk not in known])
    _rows(list(replaced.values())).update(revoked_told_at=at)
    new = [grant for grant in active if grant.pk not in known and grant.pk not in replaced]
    changed = _notices([grant for grant in active if grant.pk in replaced], NoticeKind.REWARD_CHANGED, lambda _g: True)
    written = [*changed, *_notices(new, NoticeKind.REWARDED, _is_wanted)]
    for notice in written:
        notice.grant_before = replaced.get(notice.grant_id or 0)
    return _write(grants, written, at)


def _replaced_grants(new: Sequence[RewardGrant]) -> dict[int, RewardGrant]:
    """Return the number of a new grant → the player's lost grant that it replaces.

    A lost grant is replaced if a result revoked it, its loss was not notified, and its tier is of the same kind. Not if
    staff revoked it, which has its own notice with a reason, nor if the same reward was won again.
    """
    same = {"period__in": {grant.period_id for grant in new}, "player__in": {grant.player_id for grant in new}}
    lost = RewardGrant.objects.select_for_update(of=("self",)).filter(
        ~Exists(_granted_again()), revoked_at__isnull=False, revoked_told_at=None, told_at__isnull=False,
        withheld_at=None, competition__isnull=False, tier__isnull=False, **same,
    )  # fmt: skip  # as a table
    lost_by_key: dict[tuple[object, ...], list[RewardGrant]] = defaultdict(list)
    for grant in lost.select_related("tier").order_by("pk"):
        lost_by_key[_kind_key(grant)].append(grant)
    replaced = {}
    for grant in new:
        if candidates := lost_by_key.get(_kind_key(grant)):
            replaced[grant.pk] = candidates.pop(0)
    return replaced


def _kind_key(grant: RewardGrant) -> tuple[object, ...]:
    return (grant.period_id, grant.player_id, grant.tier.kind if grant.tier else None)


def _granted_again() -> QuerySet[RewardGrant]:
    """A subquery: later active grants of the same reward to the same player."""
    return RewardGrant.objects.filter(
        RewardGrant.ACTIVE, period=OuterRef("period"), player=OuterRef("player"), name=OuterRef("name"),
        code=OuterRef("code"), pk__gt=OuterRef("pk"),
    )  # fmt: skip  # as a table


@transaction.atomic
def _notify_revoked(scope: Q, at: datetime) -> int | None:
    """Notify the next thousand revocations, which cannot be muted. A reward that was won again gets no notice."""
    due = scope & Q(revoked_at__isnull=False, revoked_told_at=None)
    if not RewardGrant.objects.filter(due).exists():
        return None
    grants = _lock_next(due & ~Q(competition__in=unsettled_competitions(at)))
    won_again = set(_rows(grants).filter(Exists(_granted_again())).values_list("pk", flat=True))
    _rows(grants).update(revoked_told_at=at)
    lost = [grant for grant in grants if grant.pk not in won_again]
    return _write(grants, list(_notices(lost, NoticeKind.REWARD_REVOKED, lambda _grant: True)), at)


def _already_notified(grants: Sequence[RewardGrant]) -> set[int]:
    """Return the numbers of the grants that their players, by the notices so far, believe to have."""
    same = {"period__in": {grant.period_id for grant in grants}, "player__in": {grant.player_id for grant in grants}}
    same_grants = RewardGrant.objects.filter(**same)
    earlier = Notice.objects.filter(grant__in=same_grants.values("pk"))
    believed: Counter[tuple[object, ...]] = Counter()
    for kind, *reward in earlier.values_list("kind", *(f"grant__{name}" for name in _REWARD)):
        believed[tuple(reward)] += -1 if kind == NoticeKind.REWARD_REVOKED else 1
    replaced = Notice.objects.filter(grant_before__in=same_grants.values("pk"))
    believed.subtract(replaced.values_list(*(f"grant_before__{name}" for name in _REWARD)))
    others = same_grants.filter(RewardGrant.ACTIVE).exclude(pk__in=[grant.pk for grant in grants])
    believed.subtract(others.values_list(*_REWARD))
    notified = set()
    for grant in grants:
        reward = (grant.period_id, grant.player_id, grant.name, grant.code)
        if believed[reward] > 0:
            believed[reward] -= 1
            notified.add(grant.pk)
    return notified


def _lock_next(due: Q) -> list[RewardGrant]:
    """Lock and return the next thousand due grants of players who are not banned."""
    notifiable = visible_q("competition__board") | Q(competition=None)
    rows = RewardGrant.objects.select_for_update(skip_locked=True, of=("self",)).filter(due & notifiable)
    joined = rows.select_related("competition", "tier", "player__user", "player__preference")
    joined = joined.defer("competition__picture")
    return list(joined.order_by("pk")[:CHUNK])


def _rows(grants: Sequence[RewardGrant]) -> QuerySet[RewardGrant]:
    return RewardGrant.objects.filter(pk__in=[grant.pk for grant in grants])


def _is_wanted(grant: RewardGrant) -> bool:
    return NoticeKind.REWARDED not in preference_of(grant.player).muted


def _notices(
    grants: Sequence[RewardGrant], kind: NoticeKind, is_wanted: Callable[[RewardGrant], bool]
) -> Iterator[Notice]:
    for grant in grants:
        if grant.competition is not None and is_wanted(grant):
            yield Notice(competition=grant.competition, player=grant.player, kind=kind, grant=grant, rank=grant.rank)


def _write(grants: Sequence[RewardGrant], written: list[Notice], at: datetime) -> int | None:
    if not grants:
        return None
    notices.write_notices(written, at)
    failpoint("tell_rewards.before_commit")
    return len(written)
