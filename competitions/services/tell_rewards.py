"""Telling players what they won and what was taken back: each grant and each revoking once, in turns.

A chunk is one transaction: the notices, their e-mails, and the mark on the grants. Rewards of calendar boards are
told by webhooks alone, since a notice belongs to a competition. The banned are told nothing: theirs wait, unmarked,
and are told once they are let in again, as far as they still hold.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from competitions.models import Competition, Notice, NoticeKind, RewardGrant
from competitions.selectors.preferences import preference_of
from competitions.services import notices
from foundation import clock
from foundation.failpoints import failpoint

CHUNK = 1000
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
    return _write(grants, list(_notices(stands, NoticeKind.REWARDED, _wants)), at)


@transaction.atomic
def _tell_revoked(whose: Q, at: datetime) -> int | None:
    """The same for what was revoked, which nobody mutes. What its player has won again meanwhile is lost to nobody."""
    grants = _next(whose & Q(revoked_at__isnull=False, revoked_told_at=None))
    again = RewardGrant.objects.filter(
        RewardGrant.STANDING, period=OuterRef("period"), player=OuterRef("player"), name=OuterRef("name"),
        code=OuterRef("code"), pk__gt=OuterRef("pk"),
    )  # fmt: skip  # as a table
    won_again = set(_rows(grants).filter(Exists(again)).values_list("pk", flat=True))
    _rows(grants).update(revoked_told_at=at)
    lost = [grant for grant in grants if grant.pk not in won_again]
    return _write(grants, list(_notices(lost, NoticeKind.REWARD_REVOKED, lambda _grant: True)), at)


def _next(due: Q) -> list[RewardGrant]:
    heard = Q(player__banned_at=None) | Q(competition=None)
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
