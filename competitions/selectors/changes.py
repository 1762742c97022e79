"""Changes of a competition that are public."""

from competitions.models import ChangeKind, Competition


def reason_of_cancelling(competition: Competition) -> str:
    """Return why it was cancelled; empty if it was not."""
    if competition.cancelled_at is None:
        return ""
    reasons = competition.changes.filter(kind=ChangeKind.CANCELLED).values_list("reason", flat=True)
    return reasons.first() or ""
