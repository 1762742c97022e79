"""Giving a player back to the account of before, as an entry of the audit log tells of it."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser, User

from foundation.audit.models import AuditEntry
from foundation.audit.undo import CHANGED_SINCE, NotUndoable, refuse_if_superseded
from leaderboards.models import Player
from leaderboards.services.players.link import ACCOUNT_CHANGED, LINK_PERMISSION, link_by_hand

FIELD = "user"


def mentions_account(entry: AuditEntry) -> bool:
    """Whether the entry says that the player was given to an account, or taken from one."""
    return FIELD in entry.before or FIELD in entry.after


def restore_account_link(
    entry: AuditEntry, player: Player, reason: str, at: datetime, by: AbstractBaseUser | None
) -> None:
    """Give the player back to whom they belonged before the entry, or to nobody. Commands (``by`` None) may.

    Raises ``NotUndoable`` where ``by`` lacks the right, somebody has changed it since, or the account is gone; and what
    ``link_by_hand`` raises.
    """
    if by is not None and not by.has_perm(LINK_PERMISSION):  # type: ignore[attr-defined]  # accounts have rights
        raise NotUndoable("This gives a player to another account: whoever may erase players may undo it.")
    refuse_if_superseded(entry, [ACCOUNT_CHANGED, "player.linked"], ["player"])
    link_by_hand(player, account_before(entry, player), reason, at, by)


def account_before(entry: AuditEntry, player: Player) -> User | None:
    """Whose the player was before the entry; None is nobody's. Raises ``NotUndoable`` where the player is another's by
    now than the entry says, or the account is gone."""
    if player.user_id != _number(entry.after.get(FIELD)):
        raise NotUndoable(CHANGED_SINCE)
    number = _number(entry.before.get(FIELD))
    account = User.objects.filter(pk=number).first() if number is not None else None
    if number is not None and account is None:
        raise NotUndoable("There is no such account any more.")
    return account


def _number(said: object) -> int | None:
    """The account's number, of which an entry says "4: ann", or 4 alone."""
    return int(str(said).partition(":")[0]) if said else None
