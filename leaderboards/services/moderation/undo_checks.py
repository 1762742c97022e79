"""Whether the log may still undo the voiding of a score, or its restoring: the one place that decides it.

Several can have a score void: somebody's word, purges, and the undoing of its import. It stays void until none of them
stands any more; a restoring by hand is a new decision, and overrules all that came before it.
"""

from collections.abc import Collection

from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, refuse_if_superseded
from leaderboards.models import PurgedSubmission, Submission
from leaderboards.selectors.moderation.purges import active_purges_since, covered_by_purge_q
from leaderboards.services.imports.scores import was_undone


def refuse_if_decided_since(entry: AuditEntry, acts: Collection[str] = ()) -> None:
    """Raise ``NotUndoable`` where one of these ``acts``, or without them any, was done to the score since the entry."""
    refuse_if_superseded(entry, acts, ["submission"])


def refuse_if_void_otherwise(entry: AuditEntry, submission: Submission) -> None:
    """Raise ``NotUndoable`` where the score, which the act of the entry has void, is so for something else too: its
    import was undone, or another purge that stands is about it."""
    if was_undone(submission):
        raise NotUndoable("The import that made this score was undone since: import it again, or restore it by hand.")
    own = PurgedSubmission.objects.filter(submission=submission.pk).values("purge")
    for purge in active_purges_since(entry.at).exclude(pk__in=own):
        if Submission.objects.filter(covered_by_purge_q(purge), pk=submission.pk).exists():
            raise NotUndoable("A purge has this score void too: undo the purge first, or restore the score by hand.")
