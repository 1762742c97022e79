"""Telling players what they won and what was taken back: each grant and each revoking once, in turns.

A chunk is one transaction: the notices, their e-mails, and the mark on the grants. Rewards of calendar boards are
told by webhooks alone, since a notice belongs to a competition. The banned are told nothing: theirs wait, unmarked,
and are told once they are let in again, as far as they still hold. Anybody who is granted again what they lost without
hearing of it is told nothing: a short ban says nothing twice. So a loss waits until rewards have followed everybody who
was let in again.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from competitions.models import Competition, Notice, NoticeKind, RewardGrant
from competitions.selectors.preferences import preference_of
from competitions.selectors.unfollowed import unfollowed
from competitions.services import notices
from foundation import clock
from foundation.failpoints import failpoint
from leaderboards.selectors.restrictions import shown

CHUNK = 1000
_REWARD = ("period_id", "player_id", "name", "code")  # what a player knows a reward by
BUDGET_SECONDS = 2.0


def tell_rewards(at: datetime, of: Competition | None = None) -> int:
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
    news = [grant for grant in stands if grant.pk not in known]
    return _write(grants, list(_notices(news, NoticeKind.REWARDED, _wants)), at)


@transaction.atomic
def _tell_revoked(whose: Q, at: datetime) -> int | None:
    """The same for what was revoked, which nobody mutes. What its player has won again meanwhile is lost to nobody."""
    due = whose & Q(revoked_at__isnull=False, revoked_told_at=None)
    if not RewardGrant.objects.filter(due).exists():
        return None
    grants = _next(due & ~Q(competition__in=unfollowed(at)))
    again = RewardGrant.objects.filter(
        RewardGrant.STANDING, period=OuterRef("period"), player=OuterRef("player"), name=OuterRef("name"),
        code=OuterRef("code"), pk__gt=OuterRef("pk"),
    )  # fmt: skip  # as a table
    won_again = set(_rows(grants).filter(Exists(again)).values_list("pk", flat=True))
    _rows(grants).update(revoked_told_at=at)
    lost = [grant for grant in grants if grant.pk not in won_again]
    return _write(grants, list(_notices(lost, NoticeKind.REWARD_REVOKED, lambda _grant: True)), at)


def _known(grants: Sequence[RewardGrant]) -> set[int]:
    """Those (numbers) whose players were told that they won them before, and nothing else since."""
    those = {"period__in": {grant.period_id for grant in grants}, "player__in": {grant.player_id for grant in grants}}
    of_those = RewardGrant.objects.filter(**those)
    told = Notice.objects.filter(
        kind__in=(NoticeKind.REWARDED, NoticeKind.REWARD_REVOKED), grant__in=of_those.values("pk")
    )
    believed: Counter[tuple[object, ...]] = Counter()
    for kind, *reward in told.values_list("kind", *(f"grant__{name}" for name in _REWARD)):
        believed[tuple(reward)] += 1 if kind == NoticeKind.REWARDED else -1
    others = of_those.filter(RewardGrant.STANDING).exclude(pk__in=[grant.pk for grant in grants])
    believed.subtract(others.values_list(*_REWARD))
    known = set()
    for grant in grants:
        reward = (grant.period_id, grant.player_id, grant.name, grant.code)
        if believed[reward] > 0:
            believed[reward] -= 1
            known.add(grant.pk)
    return known


def _next(due: Q) -> list[RewardGrant]:
    heard = shown("competition__board") | Q(competition=None)
    rows = RewardGrant.objects.select_for_update(skip_locked=True, of=("self",)).filter(due & heard)
    joined = rows.select_related("competition", "player__user", "player__preference").defer("competition__picture")
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
    notices.write(told, at)
    failpoint("tell_rewards.before_commit")
    return len(told)
