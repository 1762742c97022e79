"""Deleting one's own account. The user chooses whether their player is erased first, or stays without an account.

Erasing may be refused for a while (a period is closing, Redis does not answer); the account stays then, and the user
asks again. Staff must lose their rights first. A player who is banned, hidden or disqualified
(``register_disqualified_check``) cannot be erased this way: under the same id they would be a new player without
restrictions. The trap: a refusal would tell shadowed players that they are shadowed, so those are erased.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.db.models import ProtectedError, Q, RestrictedError

from accounts.errors import ExcludedPlayer, StaffStay
from accounts.models import Invitation, MailKind
from accounts.selectors.language import language_of
from accounts.services.audit_actions import DELETED
from accounts.services.mails.owner_notices import notify_owner
from foundation import audit
from foundation.audit.models import AuditEntry
from foundation.audit.retention import blank_entries_about as forget_entries
from foundation.audit.retention import forget_addresses
from foundation.messages import Message
from foundation.users import User, users
from foundation.users_blanked import blank
from leaderboards.models import OVER_STATES, Player, Restriction, RestrictionKind
from leaderboards.services.moderation.ban import can_be_banned
from leaderboards.services.players.erase import erase_player
from leaderboards.services.players.erase_logs import lock_entries

ERASE, KEEP = "erase", "keep"

Disqualified = Callable[[Player], bool]
_disqualified: list[Disqualified] = []


def register_disqualified_check(is_disqualified: Disqualified) -> None:
    """Add a check that is made before a player is erased with their account. Registering twice changes nothing."""
    if is_disqualified not in _disqualified:
        _disqualified.append(is_disqualified)


def delete_account(user: User, player_choice: str, at: datetime) -> None:
    """Delete the account.

    Raises ``StaffStay``; ``ExcludedPlayer`` if the player to be erased is banned, hidden, disqualified or no longer
    linked to the account; and as ``erase_player`` if it has to be tried again.
    """
    if user.is_staff or user.is_superuser:
        raise StaffStay(Message("Staff do not delete their accounts: ask another one to take your rights first."))
    # The language is read first: the player's settings are deleted with them.
    player, language = Player.objects.filter(user=user).first(), language_of(user)
    if player is not None and player_choice == ERASE:
        _refuse_excluded(player)
        erase_player(player.external_id, at, precondition=partial(_refuse_if_moved, user))
    _delete(user, player, language, at)


def _refuse_if_moved(user: User, player: Player) -> None:
    """Check again under the player's lock: a moderator may have decided meanwhile, and then nothing is erased."""
    if player.user_id != user.pk:
        raise ExcludedPlayer(
            Message(
                "Your account and this player were parted a moment ago: nothing was erased, and your account is still "
                "there. Ask again."
            )
        )
    _refuse_excluded(player)


def _refuse_excluded(player: Player) -> None:
    restrictions = Restriction.objects.filter(Restriction.RUNNING, player=player).exclude(kind=RestrictionKind.SHADOWED)
    # An erasure changes nothing in final periods.
    restrictions = restrictions.exclude(period__state__in=OVER_STATES)
    if restrictions.exists() or not can_be_banned().filter(pk=player.pk).exists():
        raise ExcludedPlayer(
            Message(
                "Your player is banned or hidden by those who run the site, so only they erase them: ask them, "
                "or delete your account and keep the player."
            )
        )
    if any(is_disqualified(player) for is_disqualified in _disqualified):
        raise ExcludedPlayer(
            Message(
                "Your player is disqualified in a competition that is not final: once it is, you erase them. Until "
                "then ask those who run the site, or delete your account and keep the player."
            )
        )


@transaction.atomic
def _delete(user: User, player: Player | None, language: str, at: datetime) -> None:
    """Delete the account row. An empty row stays of a former member of staff, since the admin's log refers to it, and
    where the project's own rows protect it."""
    lock_entries("account", user.pk)  # before the account: the order in which an undo locks them
    Player.objects.select_for_update(no_key=True).filter(user=user).first()  # likewise, the order of linking
    locked = users().select_for_update().filter(pk=user.pk).first()
    if locked is None:  # two requests at the same moment
        return
    Invitation.objects.filter(used_by=locked).update(email="", note="")
    audit.record(DELETED, at=at, by=locked, subjects=[("account", user.pk)])  # while there is a row to name
    notify_owner(MailKind.DELETED, locked, at, by=locked, language=language)
    _forget_names(locked, player)
    Player.objects.filter(user=locked).update(user=None)
    forget_addresses(locked.pk)
    forget_entries("account", locked.pk)  # names, addresses and names of passkeys
    if LogEntry.objects.filter(user=locked).exists():
        _empty(locked)
        return
    try:
        locked.delete()
    except (ProtectedError, RestrictedError):  # other rows of the project need it
        _empty(locked)


def _forget_names(user: User, player: Player | None) -> None:
    """Blank the user's name in audit entries about themselves; entries about others keep it."""
    about_themselves = Q(subjects__kind="account", subjects__key=str(user.pk))
    if player is not None:
        about_themselves |= Q(subjects__kind="player", subjects__key=str(player.pk))
    own = AuditEntry.objects.filter(about_themselves, by=user)
    AuditEntry.objects.filter(pk__in=own.values("pk")).update(by_name="")


def _empty(user: User) -> None:
    for rows in ("passkeys", "recovery_codes", "former_emails", "follows"):
        getattr(user, rows).all().delete()
    for row in ("authenticator_app", "proven_email"):
        if hasattr(user, row):
            getattr(user, row).delete()
    blank(user)
    user.save()
