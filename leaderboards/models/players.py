"""Players, their bans, and the codes by which users link themselves to players."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Upper
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboards.core.input.folding import MAX_LENGTH
from leaderboards.core.input.names import display_name
from leaderboards.fields import ByteOrderedCharField
from leaderboards.models.player_rows import NAME, PlayerManager, set_folded, with_folded

# Rows whose name was written without its folded form: by an older release, by an expression or by SQL of one's own.
_TO_FOLD = ~Q(name="") & ~Q(folded_from=F("name")) | Q(folded_name__isnull=False, name="")


# Rows whose picture is not of the present address: to be fetched, or to be dropped.
_PICTURE_DUE = ~Q(picture_from=F("avatar_url"))


class Player(models.Model):
    """A player. ``external_id`` is the game's own id, the ``player`` of the API; ``id`` is internal.

    ``erasing_since`` is the beginning of an unfinished erasure. A ban with the same time belongs to the erasure and
    ends with it; any other ban stays. ``folded_name`` is the name as search compares it, None without a name, and
    ``folded_from`` the name that it was made from. Where that is not the name, the task ``fold_names`` folds it anew.
    ``picture`` is the digest of their picture, empty without one, and ``picture_from`` the address that was settled
    last: where that is not ``avatar_url``, the picture is not shown, and the task ``fetch_pictures`` settles it.
    """

    external_id = ByteOrderedCharField(_("player"), max_length=64, unique=True)
    name = models.CharField(_("name"), max_length=100, blank=True)
    folded_name = ByteOrderedCharField(max_length=MAX_LENGTH, null=True, editable=False)
    folded_from = models.CharField(max_length=100, null=True, editable=False)  # noqa: DJ001 - null means not folded yet
    avatar_url = models.URLField(_("avatar"), blank=True)
    picture = models.CharField(max_length=24, blank=True, default="", db_default="", editable=False)
    picture_from = models.CharField(max_length=200, blank=True, default="", db_default="", editable=False)
    country = models.CharField(_("country"), max_length=2, blank=True)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="player", verbose_name=_("user")
    )
    banned_at = models.DateTimeField(_("banned"), null=True, blank=True)
    erasing_since = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    TO_FOLD: ClassVar = _TO_FOLD
    PICTURE_DUE: ClassVar = _PICTURE_DUE
    objects = PlayerManager()

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")
        permissions: ClassVar = [("erase_player", "Can erase player for good")]
        # Partial indexes: few of a million players have a name or a country, or are banned.
        indexes: ClassVar = [
            models.Index(Upper("name"), condition=~Q(name=""), name="player_name"),
            models.Index("external_id", condition=Q(banned_at__isnull=False), name="player_banned"),
            models.Index(fields=["folded_name", "id"], condition=Q(folded_name__isnull=False), name="player_folded"),
            models.Index(fields=["country", "id"], condition=~Q(country=""), name="player_country"),
            models.Index(fields=["id"], condition=_TO_FOLD, name="player_fold_due"),
            models.Index(fields=["id"], condition=_PICTURE_DUE, name="player_picture_due"),
        ]

    def __str__(self) -> str:
        return display_name(self.name, self.external_id)

    def save(self, *args: Any, **options: Any) -> None:
        """Save as Django does; with ``name``, its folded form is saved too."""
        fields = options.get("update_fields")
        if fields is not None:
            options["update_fields"] = with_folded(fields)
        if NAME in self.__dict__ and (fields is None or NAME in fields):
            set_folded(self)
        super().save(*args, **options)


class NameChange(models.Model):
    """A change of what pages show of a player (name, country, id), for processes that cache names.

    A trigger of PostgreSQL adds a row at every change, by any process; ``xid`` is the transaction. ``retain`` deletes
    rows. They name nobody: ``player`` is the number of a row in ``Player``, which may be gone.
    """

    player = models.BigIntegerField()
    xid = models.BigIntegerField(db_index=True)
    at = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.player} at {self.at:%F %T}"


class BanKind(models.TextChoices):
    """What was done to a player."""

    BANNED = "banned", pgettext_lazy("what was done", "banned")
    LIFTED = "lifted", pgettext_lazy("what was done", "ban lifted")


class BanRecord(models.Model):
    """A ban or the end of one: by whom, when and why. Rows are only added; erasing the player empties the reasons."""

    player = models.ForeignKey(Player, models.CASCADE, related_name="ban_records", verbose_name=_("player"))
    kind = models.CharField(_("what"), max_length=6, choices=BanKind.choices)
    at = models.DateTimeField(_("when"))
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by"))
    reason = models.CharField(_("reason"), max_length=300, blank=True)

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name = _("ban")
        verbose_name_plural = _("bans")

    def __str__(self) -> str:
        return f"{self.player_id} {self.kind}"


class LinkCode(models.Model):
    """A one-time code, stored as a hash, by which a signed-in user links themselves to a player."""

    code_hash = models.CharField(max_length=64, unique=True)
    player = models.ForeignKey(Player, models.CASCADE, related_name="link_codes")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.player_id} until {self.expires_at:%F %T}"
