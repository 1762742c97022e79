"""Telling players what they won and what was taken back: each grant and each revoking once, in turns.

Whose reward took the place of another of its kind (Gold for Silver) reads one thing, not of a loss and a gain.

A chunk is one transaction: the notices, their e-mails, and the mark on the grants. Rewards of calendar boards are
told by webhooks alone, since a notice belongs to a competition. The banned are told nothing: theirs wait, unmarked,
and are told once they are let in again, as far as they still hold. Anybody who is granted again what they lost without
hearing of it is told nothing: a short ban says nothing twice. So a loss waits until rewards have followed everybody who
was let in again.
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
_REWARD = ("period_id", "player_id", "name", "code")  # what a player knows a reward by
BUDGET_SECONDS = 2.0


def notify_rewards(at: datetime, of: Competition | None = None) -> int:
    """Tell what was granted and what was revoked, for a few seconds; returns how many notices were written.

    Of all competitions, or of one.
    """
    until, told = clock.monotonic() + BUDGET_SECONDS, 0
    whose = Q() if of is None else Q(competition=of)
    for step in (_tell_granted, _tell_revoked):
        while clock.monotonic() < until and (written := step(whose, at)) is not None:
            told += written
    return told


@transaction.atomic
def _tell_granted(whose: Q, at: datetime) -> int | None:
    """The next thousand; returns how many notices that made, None where nothing is left."""
    grants = _next(whose & Q(told_at=None))
    stands = [grant for grant in grants if grant.revoked_at is None]
    # Of what was taken back before its player heard of it, they hear nothing at all.
    _rows([grant for grant in grants if grant.revoked_at is not None]).update(revoked_told_at=at)
    _rows(grants).update(told_at=at)
    known = _known(stands)
    swapped = _swapped([grant for grant in stands if grant.pk not in known])
    _rows(list(swapped.values())).update(revoked_told_at=at)
    news = [grant for grant in stands if grant.pk not in known and grant.pk not in swapped]
    changed = _notices([grant for grant in stands if grant.pk in swapped], NoticeKind.REWARD_CHANGED, lambda _g: True)
    told = [*changed, *_notices(news, NoticeKind.REWARDED, _wants)]
    for notice in told:
        notice.grant_before = swapped.get(notice.grant_id or 0)
    return _write(grants, told, at)


def _swapped(news: Sequence[RewardGrant]) -> dict[int, RewardGrant]:
    """Number of a grant → the one of its player that it took the place of: lost to a result, untold, and of a tier of
    the same kind. What staff took back is told by itself, with their reason; what was won again is lost to nobody."""
    those = {"period__in": {grant.period_id for grant in news}, "player__in": {grant.player_id for grant in news}}
    lost = RewardGrant.objects.select_for_update(of=("self",)).filter(
        ~Exists(_again()), revoked_at__isnull=False, revoked_told_at=None, told_at__isnull=False, withheld_at=None,
        competition__isnull=False, tier__isnull=False, **those,
    )  # fmt: skip  # as a table
    waiting: dict[tuple[object, ...], list[RewardGrant]] = defaultdict(list)
    for grant in lost.select_related("tier").order_by("pk"):
        waiting[_of_kind(grant)].append(grant)
    found = {}
    for grant in news:
        if before := waiting.get(_of_kind(grant)):
            found[grant.pk] = before.pop(0)
    return found


def _of_kind(grant: RewardGrant) -> tuple[object, ...]:
    return (grant.period_id, grant.player_id, grant.tier.kind if grant.tier else None)


def _again() -> QuerySet[RewardGrant]:
    """Of a grant: the same that its player was granted anew."""
    return RewardGrant.objects.filter(
        RewardGrant.ACTIVE, period=OuterRef("period"), player=OuterRef("player"), name=OuterRef("name"),
        code=OuterRef("code"), pk__gt=OuterRef("pk"),
    )  # fmt: skip  # as a table


@transaction.atomic
def _tell_revoked(whose: Q, at: datetime) -> int | None:
    """The same for what was revoked, which nobody mutes. What its player has won again meanwhile is lost to nobody."""
    due = whose & Q(revoked_at__isnull=False, revoked_told_at=None)
    if not RewardGrant.objects.filter(due).exists():
        return None
    grants = _next(due & ~Q(competition__in=unsettled_competitions(at)))
    won_again = set(_rows(grants).filter(Exists(_again())).values_list("pk", flat=True))
    _rows(grants).update(revoked_told_at=at)
    lost = [grant for grant in grants if grant.pk not in won_again]
    return _write(grants, list(_notices(lost, NoticeKind.REWARD_REVOKED, lambda _grant: True)), at)


def _known(grants: Sequence[RewardGrant]) -> set[int]:
    """Those (numbers) whose players were told that they won them before, and nothing else since."""
    those = {"period__in": {grant.period_id for grant in grants}, "player__in": {grant.player_id for grant in grants}}
    of_those = RewardGrant.objects.filter(**those)
    told = Notice.objects.filter(grant__in=of_those.values("pk"))
    believed: Counter[tuple[object, ...]] = Counter()
    for kind, *reward in told.values_list("kind", *(f"grant__{name}" for name in _REWARD)):
        believed[tuple(reward)] += -1 if kind == NoticeKind.REWARD_REVOKED else 1
    swapped = Notice.objects.filter(grant_before__in=of_those.values("pk"))
    believed.subtract(swapped.values_list(*(f"grant_before__{name}" for name in _REWARD)))
    others = of_those.filter(RewardGrant.ACTIVE).exclude(pk__in=[grant.pk for grant in grants])
    believed.subtract(others.values_list(*_REWARD))
    known = set()
    for grant in grants:
        reward = (grant.period_id, grant.player_id, grant.name, grant.code)
        if believed[reward] > 0:
            believed[reward] -= 1
            known.add(grant.pk)
    return known


def _next(due: Q) -> list[RewardGrant]:
    heard = visible_q("competition__board") | Q(competition=None)
    rows = RewardGrant.objects.select_for_update(skip_locked=True, of=("self",)).filter(due & heard)
    joined = rows.select_related("competition", "tier", "player__user", "player__preference")
    joined = joined.defer("competition__picture")
    return list(joined.order_by("pk")[:CHUNK])


def _rows(grants: Sequence[RewardGrant]) -> QuerySet[RewardGrant]:
    return RewardGrant.objects.filter(pk__in=[grant.pk for grant in grants])


def _wants(grant: RewardGrant) -> bool:
    return NoticeKind.REWARDED not in preference_of(grant.player).muted


def _notices(grants: Sequence[RewardGrant], kind: NoticeKind, wants: Callable[[RewardGrant], bool]) -> Iterator[Notice]:
    for grant in grants:
        if grant.competition is not None and wants(grant):
            yield Notice(competition=grant.competition, player=grant.player, kind=kind, grant=grant, rank=grant.rank)


def _write(grants: Sequence[RewardGrant], told: list[Notice], at: datetime) -> int | None:
    if not grants:
        return None
    notices.write_notices(told, at)
    failpoint("tell_rewards.before_commit")
    return len(told)
