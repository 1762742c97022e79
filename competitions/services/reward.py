"""Rewards: each final period is looked at once, and whoever earns a tier then is granted it.

The period's run is the row that proves it was looked at, tiers or none: a tier made later does not reach back.
An event board's period waits until its competition is final and shown, and a cancelled one earns nothing.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import islice

from django.db import transaction
from django.db.models import Q, QuerySet

from competitions.core.rewards import By, Field, Ranked, Tier
from competitions.models import Competition, RewardGrant, RewardRun, RewardTier
from competitions.models.competitions import FROZEN_SUFFIX
from foundation.each import for_each
from foundation.failpoints import failpoint
from foundation.webhooks.outbox import enqueue_all
from leaderboards.models import Period, Player, State
from leaderboards.selectors.export import ranking_of
from leaderboards.selectors.hidden import hidden_in

CHUNK = 1000


def grant_due(at: datetime) -> int:
    """Grant what final periods earn, oldest first; returns how many rewards that were."""
    final = Period.objects.filter(state__in=(State.FINAL, State.EXPIRED), reward_run=None)
    due = final.exclude(label__endswith=FROZEN_SUFFIX).select_related("board").order_by("closed_at", "pk")
    return sum(for_each(due, lambda period: grant_of(period, at)))


def mark_delivered(grants: QuerySet[RewardGrant], at: datetime) -> int:
    """The game has handed them out; returns how many were not marked before."""
    return grants.filter(delivered_at=None).update(delivered_at=at)


def grant_of(period: Period, at: datetime) -> int:
    """Grant what one final period earns, if everybody may know its result; returns how many rewards that were."""
    competition = _competition_of(period)
    if period.board.is_event and (competition is None or not _is_settled(competition, at)):
        return 0
    return _grant(period, competition, at)


def _competition_of(period: Period) -> Competition | None:
    if not period.board.is_event:
        return None
    rows = Competition.objects.filter(board=period.board, pk=int(period.label.removeprefix("c")))
    return rows.defer("picture").first()


def _is_settled(competition: Competition, at: datetime) -> bool:
    """Whether everybody may know what it came to."""
    over = competition.cancelled_at is not None or competition.final_at is not None
    return over and not competition.is_hidden(at)


@transaction.atomic
def _grant(period: Period, competition: Competition | None, at: datetime) -> int:
    run, made = RewardRun.objects.get_or_create(period=period, defaults={"granted_at": at})
    if not made:
        return 0  # another run was here
    failpoint("reward.after_run")
    if competition is None or competition.cancelled_at is None:
        for tier in RewardTier.objects.filter(_tiers_of(period, competition)):
            run.grants += _grant_tier(tier, period, competition, at)
    run.save(update_fields=["grants"])
    failpoint("reward.before_commit")
    return run.grants


def _tiers_of(period: Period, competition: Competition | None) -> Q:
    tiers = Q(board=period.board)
    return tiers if competition is None else tiers | Q(competition=competition)


def _grant_tier(tier: RewardTier, period: Period, competition: Competition | None, at: datetime) -> int:
    rule = Tier(By(tier.kind), tier.limit, tier.from_rank)
    earned = rule.earners(_ranking(period), Field(period.players - len(hidden_in(period)), period.rules.order))
    grants = (
        RewardGrant(
            tier=tier,
            period=period,
            competition=competition,
            player_id=row.player,
            rank=row.rank,
            name=tier.name,
            code=tier.code,
            granted_at=at,
        )
        for row in earned
    )
    written = 0
    while chunk := list(islice(grants, CHUNK)):
        written += len(RewardGrant.objects.bulk_create(chunk))
        _announce(chunk, at)
    return written


def _ranking(period: Period) -> Iterator[Ranked]:
    """Whoever is banned or disqualified is not in it, and the others have moved up."""
    for rank, row in ranking_of(period):
        points, _ = period.rules.shown(period.layout.unpack(row.score, row.member).value)
        yield Ranked(row.player_id, rank, None if points is None else Decimal(points))


def _announce(grants: Sequence[RewardGrant], at: datetime) -> None:
    players = Player.objects.in_bulk([grant.player_id for grant in grants])
    payloads = {f"grant-{grant.pk}": _payload(grant, players[grant.player_id]) for grant in grants}
    enqueue_all("reward.granted", payloads, at)


def _payload(grant: RewardGrant, player: Player) -> dict[str, object]:
    return {
        "grant": grant.pk,
        "reward": grant.name,
        "code": grant.code,
        "player": player.external_id,
        "rank": grant.rank,
        "board": grant.period.board_id,
        "period": grant.period.label,
        "competition": grant.competition_id,
    }
