"""Whether the audit log may still undo the voiding or the restoring of a score.

A score can be void for several reasons at once: by hand, by purges, and because its import was undone. It stays void
until none of them holds any more. Restoring by hand is a new decision that overrules all earlier ones.
"""

from collections.abc import Collection

from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, refuse_if_superseded
from foundation.messages import Message
from leaderboards.models import PurgedSubmission, Submission
from leaderboards.selectors.moderation.purges import active_purges_since, covered_by_purge_q
from leaderboards.services.imports.scores import was_undone


def refuse_if_decided_since(entry: AuditEntry, acts: Collection[str] = ()) -> None:
    """Raise ``NotUndoable`` if one of ``acts`` (without them: any action) was done to the score since the entry."""
    refuse_if_superseded(entry, acts, ["submission"])


def refuse_if_void_otherwise(entry: AuditEntry, submission: Submission) -> None:
    """Raise ``NotUndoable`` if the score is void for another reason than the entry's action too.

    That is: its import was undone, or another active purge covers it.
    """
    if was_undone(submission):
        raise NotUndoable(
            Message("The import that made this score was undone since: import it again, or restore it by hand.")
        )
    own = PurgedSubmission.objects.filter(submission=submission.pk).values("purge")
    for purge in active_purges_since(entry.at).exclude(pk__in=own):
        if Submission.objects.filter(covered_by_purge_q(purge), pk=submission.pk).exists():
            raise NotUndoable(
                Message("A purge has this score void too: undo the purge first, or restore the score by hand.")
            )
