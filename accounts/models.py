"""Second factors, invitations, addresses that were proven to be somebody's, and mails that wait to be sent.

The accounts themselves are Django's. No column holds what opens a door: secrets are sealed, codes are hashes, and links
of mails are made as the mail is sent.
"""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _


class AuthenticatorApp(models.Model):
    """An app that shows codes (TOTP). One for each account; ``secret`` is sealed, for ``sealing.SECOND_FACTOR``."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="authenticator_app")
    secret = models.TextField(editable=False)
    # The number of the last half minute whose code was taken: a code counts once.
    last_step = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(_("made at"))

    class Meta:
        verbose_name = _("authenticator app")
        verbose_name_plural = _("authenticator apps")

    def __str__(self) -> str:
        return f"authenticator app of {self.user_id}"


class Passkey(models.Model):
    """A passkey or security key (WebAuthn): its public key, which opens nothing by itself."""

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
    """One of ten codes for who has lost the rest; a hash of 80 random bits."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="recovery_codes")
    code_hash = models.CharField(max_length=64, unique=True, editable=False)
    used_at = models.DateTimeField(_("used at"), null=True)

    class Meta:
        verbose_name = _("recovery code")
        verbose_name_plural = _("recovery codes")

    def __str__(self) -> str:
        return f"recovery code {self.pk}"


class Invitation(models.Model):
    """Lets one person make an account. Its link is signed and holds the row's number; the row says whether it counts.

    One with ``email`` is mailed there and shown to nobody, so that the one who has it is reached by that address.
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
        """Whether somebody may use it."""
        return self.used_at is None and self.revoked_at is None and at < self.expires_at


class ProvenEmail(models.Model):
    """An address whose owner followed a link that was mailed there. No two accounts have the same."""

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
    """The address that an account had before its owner's session gave it another. Until ``until`` its mailbox hears of
    what changes in the account, and has a link that puts it back; the row goes with that, so the link is good once."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="former_emails")
    email = models.EmailField(_("e-mail address"))
    until = models.DateTimeField()

    class Meta:
        verbose_name = _("former e-mail address")
        verbose_name_plural = _("former e-mail addresses")

    def __str__(self) -> str:
        return self.email


class MailKind(models.TextChoices):
    """What a mail is about. What it says is decided as it is sent."""

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
    """A mail that waits. It is written for every address that somebody typed, whether there is an account or not, so
    that neither the page nor its time tells which; it goes once it is sent.

    One about a change outlives its account: address and name stand in the row. ``by_owner`` is who did it: a session
    or a link of the owner's, those who run the site, or None where nobody knows; ``note`` says what it was done to.
    Processes of the release before fill in neither name nor note while the update runs, so SQL does.
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
