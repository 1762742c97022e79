"""Publishing a final result: a revision each time that what it shows changes."""

from datetime import datetime

from competitions.models import Change, Competition, Revision


def revise(competition: Competition, at: datetime, change: Change | None = None, reason: str = "") -> Revision:
    """Publish the final result as it is now, in the caller's transaction, with the competition's row locked."""
    last = competition.revisions.order_by("number").last()
    return Revision.objects.create(
        competition=competition,
        number=last.number + 1 if last else 1,
        made_at=at,
        change=change,
        reason=reason or (change.reason if change else ""),
    )
