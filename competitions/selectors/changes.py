"""What was done to a competition, as far as the public is told."""

from competitions.models import ChangeKind, Competition


def reason_of_cancelling(competition: Competition) -> str:
    """Why it was cancelled; empty where it was not."""
    if competition.cancelled_at is None:
        return ""
    found = competition.changes.filter(kind=ChangeKind.CANCELLED).values_list("reason", flat=True).first()
    return found or ""
