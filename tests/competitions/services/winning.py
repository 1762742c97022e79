"""Competitions that are final, their tiers, their revisions and what was granted: what tests of rewards begin with."""

from datetime import datetime
from typing import Any

from django.db import transaction

from competitions.models import Competition, Participant, Revision, RewardGrant, RewardTier
from competitions.services.lifecycle.finish import finish_due
from competitions.services.locks import lock_competition
from competitions.services.results.revisions import publish_revision
from competitions.services.rewards.reward import grant_due_rewards, settle_due_rewards
from leaderboards.models import Board
from leaderboards.services.periods.close import close_period
from leaderboards.services.periods.open import open_period
from tests.competitions.factories import DAY, END, HOUR, MINUTE, RewardTierFactory
from tests.competitions.site import make_board, open_competition, player, race, raced, reloaded

LATER = END + DAY
POINTS = {"a": 9, "b": 7, "c": 5, "d": 3}
Tiers = tuple[tuple[str, str, int, int], ...]  # name, kind, limit, and the first rank of it
TIERS: Tiers = (("Gold", "rank", 1, 1), ("Silver", "rank", 2, 2), ("Half", "percent", 50, 1))


def tier(of: Board | Competition, **wanted: Any) -> RewardTier:
    """Gold for the first, unless something else is wanted."""
    return RewardTierFactory.create(**{"board" if isinstance(of, Board) else "competition": of}, **wanted)


def finished(points: dict[str, int], **settings: Any) -> Competition:
    """A competition that is final."""
    competition = open_competition(**settings)
    raced(competition, points)
    close_period(open_period(competition.board, competition.window), END + HOUR)
    Competition.objects.filter(pk=competition.pk).update(closed_at=END + HOUR, final_at=END + HOUR)
    competition.refresh_from_db()
    return competition


def won_by_ann(storage: str = "hybrid", **settings: object) -> Competition:
    """Ann won before bob and cleo; gold for the first, and a medal for each of the first two."""
    competition = race({"ann": 9, "bob": 7, "cleo": 5}, make_board(storage), **settings)
    tier(competition)
    tier(competition, name="Medal", limit=2)
    assert finish_due(END + MINUTE) == 1
    settle(END + MINUTE)
    return reloaded(competition)


def published(competition: Competition, reason: str = "", at: datetime = END + HOUR) -> Revision:
    """The next revision of its result."""
    with transaction.atomic():
        return publish_revision(lock_competition(competition), at, None, reason)


def out(competition: Competition, name: str, reason: str = "A car.", at: datetime = END + 2 * HOUR) -> Revision:
    """The player is disqualified, and the result is published anew."""
    rows = Participant.objects.filter(competition=competition, player=player(name))
    rows.update(disqualified_at=at, reason=reason)
    return published(competition, reason, at)


def back(competition: Competition, name: str, at: datetime = END + 3 * HOUR) -> Revision:
    """The player is reinstated, and the result is published anew."""
    Participant.objects.filter(competition=competition, player=player(name)).update(disqualified_at=None, reason="")
    return published(competition, "A mistake.", at)


def settle(at: datetime) -> int:
    """What the schedule does for rewards; returns how many were granted."""
    return grant_due_rewards(at) + settle_due_rewards(at)


def granted() -> list[tuple[str, str, int]]:
    """What stands: reward, player and rank."""
    rows = RewardGrant.objects.filter(revoked_at=None).order_by("period", "rank", "pk")
    return list(rows.values_list("name", "player__external_id", "rank"))


def rewarded(points: dict[str, int] = POINTS, tiers: Tiers = TIERS, **settings: Any) -> Competition:
    """A competition that is final and rewarded: gold, silver and a badge for the better half, or other tiers."""
    competition = finished(points, **settings)
    for name, kind, limit, first in tiers:
        tier(competition, name=name, kind=kind, limit=limit, from_rank=first)
    published(competition)
    assert settle(END + HOUR) > 0
    return competition
