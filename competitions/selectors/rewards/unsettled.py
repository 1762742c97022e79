"""Competitions whose rewards are not settled: their result is outdated, or their run is behind it."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from competitions.models import Revision, RewardRun
from competitions.selectors.results.needs_revision import finals_with_changed_exclusions


def unsettled_runs() -> QuerySet[RewardRun]:
    """Return the runs that have to be settled, after a revision or an action of staff."""
    newer = Revision.objects.filter(competition=OuterRef("competition"), number__gt=Coalesce(OuterRef("revision"), 0))
    behind = Exists(newer) | Q(unsettled_at__isnull=False)
    return RewardRun.objects.filter(behind, competition__isnull=False).order_by("pk")


def unsettled_competitions(at: datetime) -> set[int]:
    """Return the numbers of competitions whose rewards are about to change, counting all bans up to ``at``."""
    return {*unsettled_runs().values_list("competition_id", flat=True), *finals_with_changed_exclusions(at)}
