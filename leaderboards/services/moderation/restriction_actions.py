"""The audit actions of restrictions, and their undo."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext_lazy as _

from foundation.audit import register_action, register_opposites
from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, refuse_if_superseded
from foundation.messages import Message
from leaderboards.models import Restriction, RestrictionKind
from leaderboards.services.moderation.restrict import (
    ACTIONS,
    LIFTED,
    STANDING_HIDDEN,
    action_of,
    can_be_restricted,
    lift_restrictions,
    restrict,
    scope_note,
    scope_of,
)

CHANGE_PLAYER = "leaderboards.change_player"
_LABELS = {
    RestrictionKind.HIDDEN: _("player hidden"),
    RestrictionKind.SHADOWED: _("player shadowed"),
    RestrictionKind.BANNED: _("player banned from a board"),
}


def register() -> None:
    """Register the actions with the audit log. Calling it twice changes nothing."""
    for kind, act in ACTIONS.items():
        register_action(act, _LABELS[kind], undo_restricting, CHANGE_PLAYER)
    register_action(STANDING_HIDDEN, _("standing hidden"), undo_restricting, CHANGE_PLAYER)
    register_action(LIFTED, _("restriction of a player lifted"), undo_lifting, CHANGE_PLAYER)
    for act in (*ACTIONS.values(), STANDING_HIDDEN):
        register_opposites(act, LIFTED, ["player"], ["kind", "board", "period"])


def undo_restricting(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Lift the restriction. Raises ``NotUndoable`` if it was lifted before."""
    row = _restriction(entry)
    if lift_restrictions([row.pk], reason, at, by):
        return
    if can_be_restricted(scope_of(row)).filter(pk=row.player_id).exists():
        raise NotUndoable(Message("This restriction was lifted before."))
    raise NotUndoable(
        Message("This restriction was lifted before, and another like it was imposed since: lift that one.")
    )


def undo_lifting(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Impose the restriction again. Raises ``NotUndoable`` if it was imposed again since, also if lifted again."""
    row = _restriction(entry)
    refuse_if_superseded(entry, (action_of(row), LIFTED), ["player"], **scope_note(row))
    if not restrict([row.player_id], scope_of(row), reason, at, by):
        raise NotUndoable(Message("The same restriction runs again: there is nothing to undo."))


def _restriction(entry: AuditEntry) -> Restriction:
    found = Restriction.objects.select_related("board", "period").filter(pk=entry.note.get("restriction")).first()
    if found is None:
        raise NotUndoable(Message("There is no such restriction any more: there is nothing to undo."))
    return found
