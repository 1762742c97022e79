"""The acts on competitions that the audit log keeps, and how those that can be undone are undone.

Each row of a competition's record (``changes.py``) is an entry of the log too, ``competition.<kind>``. The trap: an act
done twice changes nothing and says nothing, so an undo asks first whether what it undoes still stands.
"""

from collections.abc import Callable
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext_lazy as _

from competitions.models import ChangeKind, Comment, Competition, Participant, RewardGrant
from competitions.services import judge, moderate
from competitions.services.bring_back import bring_back
from competitions.services.disqualify import disqualify, reinstate
from competitions.services.take_back import give_back
from foundation.audit import register_act, register_opposites, register_subject
from foundation.audit.models import AuditEntry
from foundation.audit.undo import STANDS_NO_MORE, NotUndoable, refuse_overruled
from leaderboards.selectors.purging import tells_of_restoring
from leaderboards.services.acts import submission_of
from leaderboards.services.still_void import refuse_decided, refuse_void_beside

CHANGE_PARTICIPANT = "competitions.change_participant"
CHANGE_COMMENT = "competitions.change_comment"
CHANGE_GRANT = "competitions.change_rewardgrant"
CHANGE_SUBMISSION = "leaderboards.change_submission"

_OF_PLACE = (f"competition.{ChangeKind.DISQUALIFIED}", f"competition.{ChangeKind.REINSTATED}")
_OF_SCORES = (f"competition.{ChangeKind.VOIDED}", f"competition.{ChangeKind.RESTORED}")
_OF_COMMENTS = (f"competition.{ChangeKind.HIDDEN}", f"competition.{ChangeKind.SHOWN}")

Undo = Callable[..., None]


def register() -> None:
    """Say which acts and subjects there are."""
    register_subject("competition", _("competition"), "competitions.competition")
    register_subject("comment", _("comment"), "competitions.comment")
    register_subject("reward", _("reward"), "competitions.rewardgrant")
    undoable: dict[ChangeKind, tuple[Undo, str]] = {
        ChangeKind.DISQUALIFIED: (undo_disqualifying, CHANGE_PARTICIPANT),
        ChangeKind.REINSTATED: (undo_reinstating, CHANGE_PARTICIPANT),
        ChangeKind.REMOVED: (undo_removing, CHANGE_PARTICIPANT),
        ChangeKind.VOIDED: (undo_voiding, CHANGE_SUBMISSION),
        ChangeKind.RESTORED: (undo_restoring, CHANGE_SUBMISSION),
        ChangeKind.HIDDEN: (undo_hiding, CHANGE_COMMENT),
        ChangeKind.SHOWN: (undo_showing, CHANGE_COMMENT),
        ChangeKind.TAKEN_BACK: (undo_taking_back, CHANGE_GRANT),
    }
    for kind in ChangeKind:
        register_act(f"competition.{kind}", kind.label, *undoable.get(kind, ()))
    register_opposites(*_OF_PLACE, ["competition", "player"])
    register_opposites(*_OF_SCORES, ["submission"])
    register_opposites(*_OF_COMMENTS, ["comment"])
    tells_of_restoring(f"competition.{ChangeKind.RESTORED}")
    register_act("reward.taken_back", ChangeKind.TAKEN_BACK.label, undo_taking_back, CHANGE_GRANT)
    register_act("reward.given_back", ChangeKind.GIVEN_BACK.label)
    register_act("reward.delivered", _("rewards delivered"))
    register_act("series.counted_again", _("series counted again"))


def undo_disqualifying(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Reinstate the participant. Raises ``NotUndoable``, or what ``reinstate`` does."""
    participant = participant_of(entry)
    if participant.disqualified_at != entry.at:
        raise NotUndoable(STANDS_NO_MORE)
    reinstate(participant.competition, participant.player, reason, at, by)


def undo_reinstating(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Disqualify the participant again. Raises ``NotUndoable``, or what ``disqualify`` does."""
    participant = participant_of(entry)
    refuse_overruled(entry, _OF_PLACE, ["competition", "player"])
    if participant.disqualified_at is not None:
        raise NotUndoable(STANDS_NO_MORE)
    disqualify(participant.competition, participant.player, reason, at, by)


def undo_removing(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Bring the participant back. Raises ``NotUndoable``, or what ``bring_back`` does."""
    participant = participant_of(entry)
    if participant.left_at != entry.at:
        raise NotUndoable(STANDS_NO_MORE)
    bring_back(participant.competition, participant.player, reason, at, by)


def undo_voiding(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Restore the score. Raises ``NotUndoable``, or what ``judge.unvoid`` does."""
    submission = submission_of(entry)
    refuse_decided(entry, _OF_SCORES)
    refuse_void_beside(entry, submission)
    if judge.unvoid(competition_of(entry), submission, reason, at, by) is None:
        raise NotUndoable(STANDS_NO_MORE)


def undo_restoring(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Void the score again. Raises ``NotUndoable``, or what ``judge.void`` does."""
    submission = submission_of(entry)
    refuse_decided(entry, _OF_SCORES)
    if judge.void(competition_of(entry), submission, reason, at, by) is None:
        raise NotUndoable(STANDS_NO_MORE)


def undo_hiding(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:  # noqa: ARG001 (showing takes no reason)
    """Show the comment again. Raises ``NotUndoable`` or ``UnknownComment``."""
    comment = _comment_of(entry)
    if comment.hidden_at != entry.at:
        raise NotUndoable(STANDS_NO_MORE)
    moderate.show(comment.pk, at, by)


def undo_showing(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Hide the comment again. Raises ``NotUndoable`` or ``UnknownComment``."""
    comment = _comment_of(entry)
    refuse_overruled(entry, _OF_COMMENTS, ["comment"])
    if comment.hidden_at is not None:
        raise NotUndoable(STANDS_NO_MORE)
    moderate.hide(comment.pk, reason, at, by)


def undo_taking_back(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Give the reward back. Raises ``NotUndoable``, or what ``give_back`` does."""
    grants = list(RewardGrant.objects.filter(pk__in=entry.keys("reward"), withheld_at=entry.at))
    if not grants:
        raise NotUndoable(STANDS_NO_MORE)
    give_back(grants, reason, at, by)


def competition_of(entry: AuditEntry) -> Competition:
    """The competition that an entry is about. Raises ``NotUndoable``."""
    rows = Competition.objects.select_related("board").defer("picture").filter(pk__in=entry.keys("competition"))
    if (found := rows.first()) is None:
        raise NotUndoable("There is no such competition any more.")
    return found


def participant_of(entry: AuditEntry) -> Participant:
    """The participant that an entry is about. Raises ``NotUndoable``."""
    rows = Participant.objects.select_related("competition__board", "player").defer("competition__picture")
    competitions, players = (map(int, entry.keys(kind)) for kind in ("competition", "player"))
    theirs = rows.filter(competition__in=list(competitions), player__in=list(players))
    if (found := theirs.first()) is None:
        raise NotUndoable("There is no such participant any more.")
    return found


def _comment_of(entry: AuditEntry) -> Comment:
    if (found := Comment.objects.filter(pk__in=entry.keys("comment")).first()) is None:
        raise NotUndoable("There is no such comment any more.")
    return found
