"""The review of a result: its length and its end."""

from datetime import datetime, timedelta

from django.db.models import Q

from competitions.core.review import default_review, is_reviewed, review_length
from competitions.models import Competition, RewardTier, SeriesEvent


def default_of(competition: Competition) -> timedelta:
    """Return the default length of its review, by its present freeze, rewards (also the board's) and series."""
    has_freeze = competition.freeze_minutes is not None
    return default_review(has_freeze, not has_freeze and _has_prizes(competition))


def length_of(competition: Competition) -> timedelta:
    """Return the length of its review; zero for no review."""
    hours = competition.review_hours
    return review_length(hours, default_of(competition) if hours is None else timedelta())


def review_until(competition: Competition) -> datetime | None:
    """Return when its result becomes final by itself; None unless it is provisional."""
    if not competition.is_provisional or competition.closed_at is None:
        return None
    return competition.closed_at + length_of(competition)


def is_review_over(competition: Competition, at: datetime) -> bool:
    """Whether the review is over at ``at``; False while the competition is not closed."""
    closed_at = competition.closed_at
    return closed_at is not None and is_reviewed(closed_at, length_of(competition), at)


def _has_prizes(competition: Competition) -> bool:
    if competition.pk is None:
        return False  # not saved yet
    tiers = RewardTier.objects.filter(Q(board=competition.board_id) | Q(competition=competition))
    return tiers.exists() or SeriesEvent.objects.filter(competition=competition).exists()
