"""Deleting one's own account. The player is erased first, or goes on without an account: the person chooses.

Erasing may be refused for a while (a period that closes, a Redis that is away); the account is still there then, and it
is asked for again. Staff do not: what they did stays theirs, and another one takes their rights first. A player whom
moderators keep out, or whom an app above disqualifies (``unless``), is not erased by their account: the same id would
be a new player, whom nothing concerns. The trap: a refusal would tell the shadowed that they are.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_noop

from accounts.errors import ExcludedPlayer, StaffStay
from accounts.models import Invitation, MailKind
from accounts.selectors.language import language_of
from accounts.services.audit_actions import DELETED
from accounts.services.mails.owner_notices import notify_owner
from foundation import audit
from foundation.audit.models import AuditEntry
from foundation.audit.retention import blank_entries_about as forget_entries
from foundation.audit.retention import forget_addresses
from leaderboards.models import PeriodState, Player, Restriction, RestrictionKind
from leaderboards.services.moderation.ban import can_be_banned
from leaderboards.services.players.erase import erase_player
from leaderboards.services.players.erase_logs import lock_entries

ERASE, KEEP = "erase", "keep"

Disqualified = Callable[[Player], bool]
_disqualified: list[Disqualified] = []


def register_disqualified_check(is_disqualified: Disqualified) -> None:
    """Have ``is_disqualified`` asked before a player is erased with their account. Asking twice changes nothing."""
    if is_disqualified not in _disqualified:
        _disqualified.append(is_disqualified)


def delete_account(user: User, player_choice: str, at: datetime) -> None:
    """Delete the account. Raises ``StaffStay``; ``ExcludedPlayer`` where a player is to be erased who is kept out,
    disqualified, or not theirs any more; and what ``erase_player`` raises where it has to be asked again."""
    if user.is_staff or user.is_superuser:
        raise StaffStay(gettext_noop("Staff do not delete their accounts: ask another one to take your rights first."))
    player, language = Player.objects.filter(user=user).first(), language_of(user)  # the player's wishes go with them
    if player is not None and player_choice == ERASE:
        _refuse_kept_out(player)
        erase_player(player.external_id, at, precondition=partial(_refuse_if_moved, user))
    _delete(user, player, language, at)


def _refuse_if_moved(user: User, player: Player) -> None:
    """Look again, behind the player's lock: moderators may have decided since, and then nothing is erased."""
    if player.user_id != user.pk:
        raise ExcludedPlayer(
            gettext_noop(
                "Your account and this player were parted a moment ago: nothing was erased, and your account is still "
                "there. Ask again."
            )
        )
    _refuse_kept_out(player)


def _refuse_kept_out(player: Player) -> None:
    known = Restriction.objects.filter(Restriction.RUNNING, player=player).exclude(kind=RestrictionKind.SHADOWED)
    known = known.exclude(
        period__state__in=(PeriodState.FINAL, PeriodState.EXPIRED)
    )  # there an erasure gives nobody a new start
    if known.exists() or not can_be_banned().filter(pk=player.pk).exists():
        raise ExcludedPlayer(
            gettext_noop(
                "Your player is banned or hidden by those who run the site, so only they erase them: ask them, "
                "or delete your account and keep the player."
            )
        )
    if any(is_disqualified(player) for is_disqualified in _disqualified):
        raise ExcludedPlayer(
            gettext_noop(
                "Your player is disqualified in a competition that is not final: once it is, you erase them. Until "
                "then ask those who run the site, or delete your account and keep the player."
            )
        )


@transaction.atomic
def _delete(user: User, player: Player | None, language: str, at: datetime) -> None:
    """The row goes; of somebody who was staff once it stays, empty, since the log of the admin points to it."""
    lock_entries("account", user.pk)  # before the account, as who undoes one of them
    Player.objects.select_for_update(no_key=True).filter(user=user).first()  # likewise, as who links them by hand
    locked = User.objects.select_for_update().filter(pk=user.pk).first()
    if locked is None:  # asked twice at one moment
        return
    Invitation.objects.filter(used_by=locked).update(email="", note="")
    audit.record(DELETED, at=at, by=locked, subjects=[("account", user.pk)])  # while there is a row to name
    notify_owner(MailKind.DELETED, locked, at, by=locked, language=language)
    _forget_names(locked, player)
    Player.objects.filter(user=locked).update(user=None)
    forget_addresses(locked.pk)
    forget_entries("account", locked.pk)  # names, addresses and what they called their passkeys
    if LogEntry.objects.filter(user=locked).exists():
        _empty(locked)
    else:
        locked.delete()


def _forget_names(user: User, player: Player | None) -> None:
    """In the audit log, where they acted on themselves; what they did to others stays theirs."""
    themselves = Q(subjects__kind="account", subjects__key=str(user.pk))
    if player is not None:
        themselves |= Q(subjects__kind="player", subjects__key=str(player.pk))
    own = AuditEntry.objects.filter(themselves, by=user)
    AuditEntry.objects.filter(pk__in=own.values("pk")).update(by_name="")


def _empty(user: User) -> None:
    for rows in ("passkeys", "recovery_codes", "former_emails"):
        getattr(user, rows).all().delete()
    for row in ("authenticator_app", "proven_email"):
        if hasattr(user, row):
            getattr(user, row).delete()
    user.username, user.email, user.first_name, user.last_name = f"deleted-{user.pk}", "", "", ""
    user.is_active, user.last_login = False, None
    user.set_unusable_password()
    user.save()
