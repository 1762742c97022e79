"""Second factors, invitations, confirmed e-mail addresses, and mails that wait to be sent.

The accounts themselves are Django's. No column contains a usable secret: secrets are encrypted, codes are hashed, and
links are made when a mail is sent.
"""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _


class AuthenticatorApp(models.Model):
    """An authenticator app (TOTP), at most one for each account. ``secret`` is sealed for ``sealing.SECOND_FACTOR``."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="authenticator_app")
    secret = models.TextField(editable=False)
    # The time step of the last code that was accepted, so that each code works once.
    last_step = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(_("made at"))

    class Meta:
        verbose_name = _("authenticator app")
        verbose_name_plural = _("authenticator apps")

    def __str__(self) -> str:
        return f"authenticator app of {self.user_id}"


class Passkey(models.Model):
    """A passkey or security key (WebAuthn): its public key."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="passkeys")
    name = models.CharField(_("name"), max_length=60)
    credential_id = models.CharField(max_length=1400, unique=True, editable=False)
    credential = models.TextField(editable=False)
    sign_count = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(_("made at"))
    last_used_at = models.DateTimeField(_("last used at"), null=True)

    class Meta:
        verbose_name = _("passkey")
        verbose_name_plural = _("passkeys")

    def __str__(self) -> str:
        return self.name


class RecoveryCode(models.Model):
    """One of ten codes for signing in without the other factors, as a hash of 80 random bits."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="recovery_codes")
    code_hash = models.CharField(max_length=64, unique=True, editable=False)
    used_at = models.DateTimeField(_("used at"), null=True)

    class Meta:
        verbose_name = _("recovery code")
        verbose_name_plural = _("recovery codes")

    def __str__(self) -> str:
        return f"recovery code {self.pk}"


class Invitation(models.Model):
    """Lets one person make an account. Its link is signed and contains the primary key; the row says if it is valid.

    The link of an invitation with ``email`` is only mailed there, never shown, so that using it confirms the address.
    """

    email = models.EmailField(_("e-mail address"), blank=True)
    note = models.CharField(_("note"), max_length=200, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by"))
    created_at = models.DateTimeField(_("made at"))
    expires_at = models.DateTimeField(_("expires at"))
    revoked_at = models.DateTimeField(_("revoked at"), null=True)
    used_at = models.DateTimeField(_("used at"), null=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("used by")
    )

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")

    def __str__(self) -> str:
        return self.email or self.note or str(self.pk)

    def is_open(self, at: datetime) -> bool:
        """Whether it can be used: not used, revoked or expired."""
        return self.used_at is None and self.revoked_at is None and at < self.expires_at


class ProvenEmail(models.Model):
    """An address that was confirmed by a mailed link. It is unique over all accounts."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="proven_email")
    email = models.EmailField(_("e-mail address"))
    proven_at = models.DateTimeField(_("proven at"))

    class Meta:
        verbose_name = _("proven e-mail address")
        verbose_name_plural = _("proven e-mail addresses")
        constraints = (models.UniqueConstraint(Lower("email"), name="one_account_for_each_email"),)

    def __str__(self) -> str:
        return self.email


class FormerEmail(models.Model):
    """The previous address of an account whose owner's session changed it.

    Until ``until`` that mailbox gets notices about the account and has a link that restores the address. Restoring
    deletes the row, so the link works once.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="former_emails")
    email = models.EmailField(_("e-mail address"))
    until = models.DateTimeField()

    class Meta:
        verbose_name = _("former e-mail address")
        verbose_name_plural = _("former e-mail addresses")

    def __str__(self) -> str:
        return self.email


class MailKind(models.TextChoices):
    """What a mail is about. Its text is made when it is sent."""

    RESET = "reset", _("a new password")
    SIGN_UP = "sign_up", _("a new account")
    EMAIL = "email", _("a new address")
    INVITATION = "invitation", _("an invitation")
    PASSWORD_CHANGED = "password", _("a changed password")
    ADDRESS_CHANGED = "address", _("a changed address")
    ADDRESS_EMPTIED = "emptied", _("an address taken away")
    ADDRESS_BACK = "address_back", _("an address put back")
    FACTOR_ADDED = "factor_added", _("a new second factor")
    FACTOR_REMOVED = "factor_gone", _("a second factor taken away")
    CODES_MADE = "codes_made", _("new recovery codes")
    RECOVERY_CODE = "code_used", _("a used recovery code")
    CODE_REUSED = "code_reused", _("a code that was sent twice")
    MADE = "made", _("an account that was made")
    RIGHTS = "rights", _("changed rights")
    DEACTIVATED = "deactivated", _("a deactivated account")
    ACTIVATED = "activated", _("an account that is active again")
    DELETED = "deleted", _("a deleted account")
    PLAYER_GIVEN = "player_given", _("a player given to an account")
    PLAYER_TAKEN = "player_taken", _("a player taken from an account")


class AccountMail(models.Model):
    """A mail that waits to be sent; the row is deleted once it is sent.

    A row is written for every address that somebody types, with or without an account, so that neither the page nor
    its response time reveals which. A notice about a change outlives its account, so the row has address and name.
    ``by_owner`` says who made the change: the owner's session or link (True), those who run the site (False), or
    unknown (None); ``note`` has the details. ``name`` and ``note`` have defaults in SQL, because processes of the
    previous release do not set them during an update.
    """

    kind = models.CharField(max_length=12, choices=MailKind.choices)
    to = models.EmailField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    invitation = models.ForeignKey(Invitation, models.CASCADE, null=True, related_name="+")
    name = models.CharField(max_length=150, blank=True, default="", db_default="")
    by_owner = models.BooleanField(null=True)
    note = models.JSONField(default=dict, db_default={}, blank=True)
    language = models.CharField(max_length=10)
    created_at = models.DateTimeField()
    next_try_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = _("mail about an account")
        verbose_name_plural = _("mails about accounts")

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
