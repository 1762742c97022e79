"""The histograms of running periods, without their content, for operators: how old they are."""

from leaderboards.models import PeriodHistogram, PeriodState


def histograms_taken() -> list[PeriodHistogram]:
    """Return those that were taken of running periods, with their periods, the oldest first."""
    taken = PeriodHistogram.objects.filter(period__state=PeriodState.OPEN, taken_at__isnull=False)
    return list(taken.defer("content").select_related("period").order_by("taken_at"))
