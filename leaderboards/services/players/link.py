"""Linking a signed-in user to a player, by a one-time code that only the game server can request; or by hand.

SQL stores a hash of the code. A user has one player and a player one user; a new code for a player invalidates the
earlier ones. A linked user can erase the player, so linking by hand needs the same permission (``LINK_PERMISSION``).
"""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction

from accounts.models import MailKind
from accounts.services.mails.owner_notices import notify_owner
from foundation.audit import record
from foundation.audit.row_values import to_json_value
from foundation.messages import Message
from foundation.reasons import reason_given
from foundation.throttling.rate_limit import throttle
from foundation.users import User
from leaderboards.errors import AlreadyLinked, BadLinkCode
from leaderboards.models import LinkCode, Player
from leaderboards.services.players.profiles import ensure_player, is_erased, lock_player, refuse_erased

VALID_FOR = timedelta(minutes=10)
# Without letters and digits that people confuse. 8 of them are 40 bits, enough for ten minutes behind a login.
_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_LENGTH = 8
LINK_PERMISSION = "leaderboards.erase_player"
ACCOUNT_CHANGED = "player.account_changed"


def make_code(external_id: str, at: datetime) -> tuple[str, datetime]:
    """A code for the player, and when it expires. The player is made if unknown.

    Raises ``UnknownPlayer`` if they were erased or are being erased.
    """
    player = ensure_player(external_id, at)
    code = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
    with transaction.atomic():
        refuse_erased(lock_player(player))  # every change of codes locks the player first
        LinkCode.objects.filter(player=player, used_at=None).delete()
        LinkCode.objects.create(player=player, code_hash=_hashed(code), expires_at=at + VALID_FOR)
    return code, at + VALID_FOR


def redeem(code: str, user: AbstractBaseUser, at: datetime) -> Player:
    """Link ``user`` to the code's player.

    Raises ``BadLinkCode``, ``AlreadyLinked``, or ``RateLimited`` after many tries; then nothing has changed.
    """
    throttle("link", user.pk)
    try:
        with transaction.atomic():
            return _redeem(code, user, at)
    except IntegrityError as error:
        raise AlreadyLinked(Message("You are linked to a player already.")) from error


def link_by_hand(player: Player, account: User | None, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
    """Link a player to this account, or to none; False, with nothing changed, if it is so already.

    Codes for the player become invalid. ``player`` is as the moderator saw it: if it was linked since, that link stays.
    Raises ``BadReason``, ``UnknownPlayer`` (erased), or ``AlreadyLinked`` if it was linked since, or if the account has
    another player.
    """
    reason = reason_given(reason)
    try:
        with transaction.atomic():
            return _link_by_hand(player, account, reason, at, by)
    except IntegrityError as error:
        raise _has_another(account) from error


def _link_by_hand(player: Player, account: User | None, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
    locked = lock_player(player)
    refuse_erased(locked)
    if locked.user_id == (account.pk if account else None):
        return False
    if locked.user_id != player.user_id:
        raise AlreadyLinked(Message("The account of this player was changed a moment ago: look again."))
    if account is not None and Player.objects.filter(user=account).exists():
        raise _has_another(account)
    before = locked.user
    locked.user = account
    locked.save(update_fields=["user"])
    LinkCode.objects.filter(player=locked, used_at=None).delete()
    accounts = [("account", each.pk) for each in (before, account) if each is not None]
    record(
        ACCOUNT_CHANGED,
        at=at,
        by=by,
        reason=reason,
        subjects=[("player", locked.pk), *accounts],
        before={"user": to_json_value("user", before)},
        after={"user": to_json_value("user", account)},
    )
    for owner, kind in ((before, MailKind.PLAYER_TAKEN), (account, MailKind.PLAYER_GIVEN)):
        if owner is not None:
            notify_owner(kind, owner, at, by=by, player=str(locked))
    return True


def _has_another(account: User | None) -> AlreadyLinked:
    return AlreadyLinked(
        Message("%(account)s is linked to another player: take that one from them first.", account=account)
    )


def _redeem(code: str, user: AbstractBaseUser, at: datetime) -> Player:
    codes = LinkCode.objects.filter(code_hash=_hashed(code), used_at=None, expires_at__gt=at)
    player = Player.objects.select_for_update(of=("self",)).filter(pk__in=codes.values("player")).first()
    # The player is locked first: meanwhile the code may be used, or an erasure may have begun.
    if player is None or is_erased(player) or not codes.update(used_at=at):
        raise BadLinkCode(
            Message("This code is not known, was used, or is older than ten minutes. Ask the game for a new one.")
        )
    if player.user_id not in (None, user.pk):
        raise AlreadyLinked(Message("Somebody else is linked to this player."))
    if Player.objects.filter(user_id=user.pk).exclude(pk=player.pk).exists():
        raise AlreadyLinked(Message("You are linked to a player already."))
    player.user_id = user.pk
    player.save(update_fields=["user"])
    record("player.linked", at=at, by=user, subjects=[("player", player.pk), ("account", user.pk)])
    return player


def _hashed(code: str) -> str:
    return hashlib.sha256("".join(code.upper().split()).encode()).hexdigest()
