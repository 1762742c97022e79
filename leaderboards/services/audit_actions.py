"""The audit actions on boards, players and scores, and the undo of those that can be undone.

An undo checks the rows as they are now, and later entries of the log: undoing an old decision never overrules a newer
one.
"""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Field
from django.utils.translation import gettext_lazy as _

from foundation.audit import register_action, register_opposites, register_subject
from foundation.audit.models import AuditEntry
from foundation.audit.undo import CHANGED_SINCE, NotUndoable, refuse_if_changed_since, refuse_if_superseded
from foundation.messages import Message
from leaderboards.models import Board, Player, Submission
from leaderboards.selectors.moderation.purges import BASELINE, register_restoring_action
from leaderboards.services.boards import save_board
from leaderboards.services.imports import actions as imports
from leaderboards.services.moderation import restriction_actions, review_quarantine, score_actions
from leaderboards.services.moderation.ban import ban, unban
from leaderboards.services.moderation.remove import REMOVED
from leaderboards.services.moderation.undo_checks import refuse_if_decided_since, refuse_if_void_otherwise
from leaderboards.services.moderation.unvoid import unvoid_by_hand
from leaderboards.services.moderation.void import void_by_hand
from leaderboards.services.periods import by_hand
from leaderboards.services.periods.open import open_board
from leaderboards.services.players.link import ACCOUNT_CHANGED, LINK_PERMISSION
from leaderboards.services.players.profiles import PROFILE_FIELDS, refuse_erased, set_profile
from leaderboards.services.players.restore_link import mentions_account, restore_account_link

CHANGE_PLAYER = "leaderboards.change_player"
CHANGE_SUBMISSION = "leaderboards.change_submission"
CHANGE_BOARD = "leaderboards.change_board"
JUDGE_QUARANTINE = "leaderboards.judge_quarantinedentry"
_BANS = ("player.banned", "player.unbanned")
_VOIDS = ("score.voided", "score.restored")


def register() -> None:
    """Register these actions and all others of this app with the audit log. Calling it twice changes nothing."""
    for module in (score_actions, restriction_actions, imports, by_hand):
        module.register()
    register_subject("board", _("board"), "leaderboards.board")
    register_subject("player", _("player"), "leaderboards.player")
    register_subject("submission", _("submission"), "leaderboards.submission")
    register_action("board.made", _("board made"))
    register_action("board.changed", _("board changed"), undo_board_change, CHANGE_BOARD)
    register_action("board.retired", _("board retired"))
    register_action("board.deleted", _("board deleted"))
    register_action("player.banned", _("player banned"), undo_ban, CHANGE_PLAYER)
    register_action("player.unbanned", _("ban of a player lifted"), undo_unban, CHANGE_PLAYER)
    changed = _("profile of a player changed")
    register_action("player.changed", changed, undo_profile, CHANGE_PLAYER, is_sensitive=mentions_account)
    register_action("player.linked", _("account linked to a player"))
    register_action(
        ACCOUNT_CHANGED, _("account of a player changed"), undo_account, LINK_PERMISSION, is_sensitive=mentions_account
    )
    register_action(REMOVED, _("player removed from a board"))
    register_action("player.erased", _("player erased"))
    register_action("score.voided", _("score voided"), undo_void, CHANGE_SUBMISSION)
    register_action("score.restored", _("score restored"), undo_restoring, CHANGE_SUBMISSION)
    register_restoring_action("score.restored")
    register_action("scores.imported", _("scores imported"))
    register_action(review_quarantine.ACCEPTED, _("quarantined entry accepted"), undo_accepting, CHANGE_SUBMISSION)
    register_action(review_quarantine.VOIDED, _("quarantined entry voided"), review_quarantine.reopen, JUDGE_QUARANTINE)
    register_action(review_quarantine.REOPENED, _("quarantined entry put back"))
    register_opposites(*_BANS, ["player"])
    register_opposites(*_VOIDS, ["submission"])
    register_opposites(review_quarantine.ACCEPTED, "score.voided", ["submission"])
    register_opposites(ACCOUNT_CHANGED, ACCOUNT_CHANGED, ["player"])
    register_opposites("board.changed", "board.changed", ["board"])


def undo_ban(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Lift the ban. Raises ``NotUndoable`` if it was lifted, or another ban came since."""
    [player] = players_of(entry)
    if player.banned_at != entry.at:
        raise NotUndoable(Message("This ban does not stand any more: it was lifted, or another one came after it."))
    unban([player.pk], reason, at, by)


def undo_unban(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Ban the player again. Raises ``NotUndoable`` if they are or were banned since, ``UnknownPlayer`` if erased."""
    [player] = players_of(entry)
    refuse_erased(player)
    refuse_if_superseded(entry, _BANS, ["player"])
    if not ban([player.pk], reason, at, by):
        raise NotUndoable(Message("The player is banned already."))


def undo_profile(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Restore the name, avatar and country, and the account, which older entries may have changed too.

    Raises ``NotUndoable``, ``UnknownPlayer``.
    """
    [player] = players_of(entry)
    refuse_erased(player)
    before = {name: str(text) for name, text in entry.before.items() if name in PROFILE_FIELDS}
    has_account = mentions_account(entry)
    if not before and not has_account:
        raise NotUndoable(Message("Nothing of it can be given back: only name, avatar, country and account can."))
    if any(getattr(player, name) != entry.after.get(name) for name in before):
        raise NotUndoable(CHANGED_SINCE)
    if before:
        refuse_if_changed_since(entry, ["player.changed"], ["player"], before)
        set_profile(player.external_id, before, at)
    if has_account:
        restore_account_link(entry, player, reason, at, by)


def undo_account(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Restore the link to the account. Raises ``NotUndoable``, ``UnknownPlayer``, ``AlreadyLinked``."""
    [player] = players_of(entry)
    if not mentions_account(entry):
        raise NotUndoable(Message("It is not known any more whose the player was."))
    restore_account_link(entry, player, reason, at, by)


def undo_void(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Restore the score. Raises ``NotUndoable`` if it was decided again or is void for another reason too.

    Also raises as ``unvoid_by_hand``.
    """
    submission = submission_of(entry)
    refuse_if_decided_since(entry, _VOIDS)
    refuse_if_void_otherwise(entry, submission)
    if not unvoid_by_hand(submission, reason, at, by):
        raise NotUndoable(Message("The score counts already."))


def undo_restoring(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Void the score again. Raises ``NotUndoable`` if it was decided again, and as ``void_by_hand``."""
    submission = submission_of(entry)
    refuse_if_decided_since(entry, _VOIDS)
    if not void_by_hand(submission, reason, at, by):
        raise NotUndoable(Message("The score is void already."))


def undo_accepting(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Void the accepted score.

    Raises ``NotUndoable`` if it was decided or edited since or has no submission of its own, and as ``void_by_hand``.
    """
    if not entry.keys("submission"):
        raise NotUndoable(
            Message("No submission of its own was kept: set the standing, or void the late score, by hand.")
        )
    submission = submission_of(entry)
    refuse_if_decided_since(entry)
    if not void_by_hand(submission, reason, at, by):
        raise NotUndoable(Message("The score is void already."))


def undo_board_change(entry: AuditEntry, *, at: datetime, **_who_and_why: object) -> None:
    """Restore the settings from before the entry. Raises ``NotUndoable``, or ``BadBoard`` if they are invalid now."""
    board = Board.objects.select_for_update().filter(pk__in=entry.keys("board")).first()
    if board is None or not entry.before:
        raise NotUndoable(Message("There is no such board any more, or nothing to give back."))
    restore_settings(entry, board)
    refuse_if_changed_since(entry, ["board.changed"], ["board"], entry.before)
    save_board(board, at)
    transaction.on_commit(lambda: open_board(board, at))


def restore_settings(entry: AuditEntry, board: Board) -> None:
    """Set the settings from before the entry on ``board``, without saving.

    Raises ``NotUndoable`` if the present settings are not those that the entry set.
    """
    if any(getattr(board, name) != _typed(name, entry.after.get(name)) for name in entry.before):
        raise NotUndoable(CHANGED_SINCE)
    for name, value in entry.before.items():
        setattr(board, name, _typed(name, value))


def players_of(entry: AuditEntry) -> list[Player]:
    """The players of an entry, locked until the transaction ends. Raises ``NotUndoable`` if they are gone."""
    found = list(Player.objects.select_for_update(of=("self",)).filter(pk__in=entry.keys("player")))
    if not found:
        raise NotUndoable(Message("There is no such player any more."))
    return found


def _typed(name: str, recorded: object) -> object:
    """A board setting from the log, in the type of the model field."""
    field = Board._meta.get_field(name)
    return field.to_python(recorded) if isinstance(field, Field) else recorded


def submission_of(entry: AuditEntry) -> Submission:
    """The submission of an entry. Raises ``NotUndoable`` if it was deleted, or compacted into a sum."""
    rows = Submission.objects.select_related("period__board", "player", "board")
    found = rows.filter(pk__in=entry.keys("submission")).first()
    if found is None:
        raise NotUndoable(Message("The submission was not kept: nothing can be done about it any more."))
    if found.service == BASELINE:  # the row now sums up several submissions
        raise NotUndoable(
            Message("This row sums up submissions that are not kept any more: void or restore it by hand.")
        )
    return found
