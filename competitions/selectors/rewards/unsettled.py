"""Where rewards have yet to follow: a result that others belong in than it shows, or a run behind its result."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from competitions.models import Revision, RewardRun
from competitions.selectors.results.needs_revision import finals_with_changed_exclusions


def unsettled_runs() -> QuerySet[RewardRun]:
    """The runs of competitions that a revision, or an act of staff, has left to be settled."""
    newer = Revision.objects.filter(competition=OuterRef("competition"), number__gt=Coalesce(OuterRef("revision"), 0))
    behind = Exists(newer) | Q(unsettled_at__isnull=False)
    return RewardRun.objects.filter(behind, competition__isnull=False).order_by("pk")


def unsettled_competitions(at: datetime) -> set[int]:
    """The numbers of competitions whose rewards may be other ones in a moment, with everybody counted who is banned at
    ``at`` and nobody who is let in again."""
    return {*unsettled_runs().values_list("competition_id", flat=True), *finals_with_changed_exclusions(at)}
