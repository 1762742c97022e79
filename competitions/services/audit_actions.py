"""The actions on competitions in the audit log, and how to undo them.

Each change of a competition (``change_log.py``) is also an audit entry, ``competition.<kind>``. The trap: repeating an
action changes nothing and raises nothing, so an undo first checks that its entry is still in effect.
"""

from collections.abc import Callable
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext_lazy as _

from competitions.models import ChangeKind, Comment, Competition, Participant, RewardGrant
from competitions.services.comments import moderate
from competitions.services.participants.bring_back import bring_back
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.results import judge
from competitions.services.rewards.staff_revocation import restore_by_staff
from foundation.audit import register_action, register_opposites, register_subject
from foundation.audit.models import AuditEntry
from foundation.audit.undo import NO_LONGER_IN_EFFECT, NotUndoable, refuse_if_superseded
from foundation.messages import Message
from leaderboards.selectors.moderation.purges import register_restoring_action
from leaderboards.services.audit_actions import submission_of
from leaderboards.services.moderation.undo_checks import refuse_if_decided_since, refuse_if_void_otherwise

CHANGE_PARTICIPANT = "competitions.change_participant"
CHANGE_COMMENT = "competitions.change_comment"
CHANGE_GRANT = "competitions.change_rewardgrant"
CHANGE_SUBMISSION = "leaderboards.change_submission"

_PARTICIPANT_ACTIONS = (f"competition.{ChangeKind.DISQUALIFIED}", f"competition.{ChangeKind.REINSTATED}")
_SCORE_ACTIONS = (f"competition.{ChangeKind.VOIDED}", f"competition.{ChangeKind.RESTORED}")
_COMMENT_ACTIONS = (f"competition.{ChangeKind.HIDDEN}", f"competition.{ChangeKind.SHOWN}")

Undo = Callable[..., None]


def register() -> None:
    """Register the actions and subjects of competitions with the audit log."""
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
        register_action(f"competition.{kind}", kind.label, *undoable.get(kind, ()))
    register_opposites(*_PARTICIPANT_ACTIONS, ["competition", "player"])
    register_opposites(*_SCORE_ACTIONS, ["submission"])
    register_opposites(*_COMMENT_ACTIONS, ["comment"])
    register_restoring_action(f"competition.{ChangeKind.RESTORED}")
    register_action("reward.taken_back", ChangeKind.TAKEN_BACK.label, undo_taking_back, CHANGE_GRANT)
    register_action("reward.given_back", ChangeKind.GIVEN_BACK.label)
    register_action("reward.delivered", _("rewards delivered"))
    register_action("everything.exported", _("everything exported"))
    register_action("series.counted_again", _("series counted again"))


def undo_disqualifying(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Reinstate the participant. Raises ``NotUndoable``, or what ``reinstate`` does."""
    participant = participant_of(entry)
    if participant.disqualified_at != entry.at:
        raise NotUndoable(NO_LONGER_IN_EFFECT)
    reinstate(participant.competition, participant.player, reason, at, by)


def undo_reinstating(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Disqualify the participant again. Raises ``NotUndoable``, or what ``disqualify`` does."""
    participant = participant_of(entry)
    refuse_if_superseded(entry, _PARTICIPANT_ACTIONS, ["competition", "player"])
    if participant.disqualified_at is not None:
        raise NotUndoable(NO_LONGER_IN_EFFECT)
    disqualify(participant.competition, participant.player, reason, at, by)


def undo_removing(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Bring the participant back. Raises ``NotUndoable``, or what ``bring_back`` does."""
    participant = participant_of(entry)
    if participant.left_at != entry.at:
        raise NotUndoable(NO_LONGER_IN_EFFECT)
    bring_back(participant.competition, participant.player, reason, at, by)


def undo_voiding(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Restore the score. Raises ``NotUndoable``, or what ``judge.unvoid`` does."""
    submission = submission_of(entry)
    refuse_if_decided_since(entry, _SCORE_ACTIONS)
    refuse_if_void_otherwise(entry, submission)
    if judge.unvoid(competition_of(entry), submission, reason, at, by) is None:
        raise NotUndoable(NO_LONGER_IN_EFFECT)


def undo_restoring(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Void the score again. Raises ``NotUndoable``, or what ``judge.void`` does."""
    submission = submission_of(entry)
    refuse_if_decided_since(entry, _SCORE_ACTIONS)
    if judge.void(competition_of(entry), submission, reason, at, by) is None:
        raise NotUndoable(NO_LONGER_IN_EFFECT)


def undo_hiding(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:  # noqa: ARG001 - showing takes no reason
    """Show the comment again. Raises ``NotUndoable`` or ``UnknownComment``."""
    comment = _comment_of(entry)
    if comment.hidden_at != entry.at:
        raise NotUndoable(NO_LONGER_IN_EFFECT)
    moderate.show(comment.pk, at, by)


def undo_showing(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Hide the comment again. Raises ``NotUndoable`` or ``UnknownComment``."""
    comment = _comment_of(entry)
    refuse_if_superseded(entry, _COMMENT_ACTIONS, ["comment"])
    if comment.hidden_at is not None:
        raise NotUndoable(NO_LONGER_IN_EFFECT)
    moderate.hide(comment.pk, reason, at, by)


def undo_taking_back(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Give the reward back. Raises ``NotUndoable``, or what ``restore_by_staff`` does."""
    grants = list(RewardGrant.objects.filter(pk__in=entry.keys("reward"), withheld_at=entry.at))
    if not grants:
        raise NotUndoable(NO_LONGER_IN_EFFECT)
    restore_by_staff(grants, reason, at, by)


def competition_of(entry: AuditEntry) -> Competition:
    """Return the competition that an entry is about. Raises ``NotUndoable``."""
    rows = Competition.objects.select_related("board").defer("picture").filter(pk__in=entry.keys("competition"))
    if (competition := rows.first()) is None:
        raise NotUndoable(Message("There is no such competition any more."))
    return competition


def participant_of(entry: AuditEntry) -> Participant:
    """Return the participant that an entry is about. Raises ``NotUndoable``."""
    rows = Participant.objects.select_related("competition__board", "player").defer("competition__picture")
    competitions, players = (map(int, entry.keys(kind)) for kind in ("competition", "player"))
    participant = rows.filter(competition__in=list(competitions), player__in=list(players)).first()
    if participant is None:
        raise NotUndoable(Message("There is no such participant any more."))
    return participant


def _comment_of(entry: AuditEntry) -> Comment:
    if (comment := Comment.objects.filter(pk__in=entry.keys("comment")).first()) is None:
        raise NotUndoable(Message("There is no such comment any more."))
    return comment
