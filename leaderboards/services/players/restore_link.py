"""Undoing a change of a player's account, as an audit entry recorded it."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError

from foundation.audit.models import AuditEntry
from foundation.audit.undo import CHANGED_SINCE, NotUndoable, refuse_if_superseded
from foundation.messages import Message
from foundation.users import User, users
from leaderboards.models import Player
from leaderboards.services.players.link import ACCOUNT_CHANGED, LINK_PERMISSION, link_by_hand

FIELD = "user"


def mentions_account(entry: AuditEntry) -> bool:
    """Whether the entry records a change of the player's account."""
    return FIELD in entry.before or FIELD in entry.after


def restore_account_link(
    entry: AuditEntry, player: Player, reason: str, at: datetime, by: AbstractBaseUser | None
) -> None:
    """Link the player to the account from before the entry, or to none. Commands (``by`` None) need no permission.

    Raises ``NotUndoable`` if ``by`` lacks the permission, the link was changed since, or the account is gone; and as
    ``link_by_hand``.
    """
    if by is not None and not by.has_perm(LINK_PERMISSION):  # type: ignore[attr-defined]  # all accounts have permissions
        raise NotUndoable(
            Message("This gives a player to another account: only people who may erase players may undo it.")
        )
    refuse_if_superseded(entry, [ACCOUNT_CHANGED, "player.linked"], ["player"])
    link_by_hand(player, account_before(entry, player), reason, at, by)


def account_before(entry: AuditEntry, player: Player) -> User | None:
    """The account of the player before the entry, or None.

    Raises ``NotUndoable`` if the player's account is not the one that the entry set, or if the account is gone.
    """
    if _key(player.user_id) != _key(entry.after.get(FIELD)):
        raise NotUndoable(CHANGED_SINCE)
    key = _key(entry.before.get(FIELD))
    account = _find(key) if key else None
    if key and account is None:
        raise NotUndoable(Message("There is no such account any more."))
    return account


def _find(key: str) -> User | None:
    try:
        return users().filter(pk=key).first()
    except (ValidationError, ValueError):  # a key of another user model, from before the project changed it
        return None


def _key(recorded: object) -> str:
    """The account's primary key as a text, empty for none; an entry records "4: ann", or 4 alone."""
    return "" if recorded in (None, "") else str(recorded).partition(": ")[0]
