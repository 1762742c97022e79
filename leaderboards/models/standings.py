"""Standings, final standings, submissions, and differences that verifying found."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from leaderboards.fields import ByteOrderedCharField
from leaderboards.models.boards import Board
from leaderboards.models.periods import Period
from leaderboards.models.players import Player


class Standing(models.Model):
    """A player's current state in a period. Without a score they are not ranked: removed, or nothing accepted yet.

    ``pending_publish`` marks a standing that Redis may lack. ``metadata`` is the JSON of the submission that set it.
    """

    period = models.ForeignKey(Period, models.PROTECT, related_name="standings", verbose_name=_("period"))
    player = models.ForeignKey(Player, models.PROTECT, related_name="standings", verbose_name=_("player"))
    member = ByteOrderedCharField(max_length=512)
    points = models.BigIntegerField(null=True)
    fields = models.JSONField(null=True)
    at = models.DateTimeField(_("at"), null=True)
    score = models.FloatField(_("score"), null=True)
    metadata = models.TextField(_("metadata"), null=True)  # noqa: DJ001 - null costs nothing to insert
    version = models.BigIntegerField(_("version"), default=0)
    pending_publish = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("standing")
        verbose_name_plural = _("standings")
        constraints: ClassVar = [models.UniqueConstraint(fields=["period", "player"], name="standing_unique")]
        indexes: ClassVar = [
            models.Index(fields=["period", "score", "member"], name="standing_ranked"),
            models.Index(fields=["period", "member"], name="standing_member"),
            models.Index(
                fields=["period", "player"], condition=Q(pending_publish=True), name="standing_pending_publish"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.period_id}/{self.member}"


class FinalStanding(models.Model):
    """A row of a final period: written once, when the period closes.

    ``place`` numbers the rows from 1; ``rank`` is the place, or shared by equals. There are only the indexes that
    reading needs, since a period may close with a million rows (decision 0014). ``metadata`` is set in frozen copies
    alone, which have no standings; elsewhere it is the standing's (decision 0089).
    """

    pk = models.CompositePrimaryKey("period_id", "place")
    period = models.ForeignKey(
        Period, models.PROTECT, related_name="final_standings", db_index=False, db_constraint=False
    )
    place = models.BigIntegerField()
    rank = models.BigIntegerField()
    player = models.ForeignKey(
        Player, models.PROTECT, related_name="final_standings", db_index=False, db_constraint=False
    )
    member = ByteOrderedCharField(max_length=512)
    score = models.FloatField()
    metadata = models.TextField(_("metadata"), null=True)  # noqa: DJ001 - null costs nothing to insert

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["period", "player"], name="final_standing_unique")]
        indexes: ClassVar = [
            models.Index(fields=["period", "rank"], condition=Q(rank__lt=F("place")), name="final_standing_equals"),
        ]

    def __str__(self) -> str:
        return f"{self.period_id}/{self.place}"


class Submission(models.Model):
    """An accepted entry of a board that SQL decides; standings follow from them.

    ``points`` and ``fields`` are scaled; ``at`` is the time that counts, ``sent_at`` the time as sent, null if there
    was none. ``operator`` is null where the board's policy applied; the value of a decrement is negative. ``metadata``
    is JSON as text.
    ``competition`` is 0 on calendar boards. ``freed_id`` is the id that it had before its import was undone.
    Its foreign keys are not checked by the database: it is written with its player's standing, whose keys are
    (decision 0025).
    """

    period = models.ForeignKey(
        Period, models.PROTECT, related_name="submissions", verbose_name=_("period"), db_constraint=False
    )
    player = models.ForeignKey(
        Player, models.PROTECT, related_name="submissions", verbose_name=_("player"), db_constraint=False
    )
    board = models.ForeignKey(
        Board, models.PROTECT, related_name="submissions", verbose_name=_("board"), db_constraint=False
    )
    competition = models.BigIntegerField(default=0)
    points = models.BigIntegerField(null=True)
    fields = models.JSONField(null=True)
    at = models.DateTimeField(_("at"))
    sent_at = models.DateTimeField(_("sent at"), null=True)
    operator = models.CharField(_("operator"), max_length=9, null=True)  # noqa: DJ001 - null costs nothing to insert
    metadata = models.TextField(_("metadata"), null=True)  # noqa: DJ001 - null costs nothing to insert
    service = models.CharField(_("service"), max_length=100)
    external_id = models.CharField(_("external id"), max_length=128, null=True)  # noqa: DJ001 - null is no id; unique where there is one
    freed_id = models.CharField(max_length=128, null=True)  # noqa: DJ001 - null where it has its id
    created_at = models.DateTimeField(_("created at"))
    voided_at = models.DateTimeField(_("voided at"), null=True)

    class Meta:
        verbose_name = _("submission")
        verbose_name_plural = _("submissions")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["service", "board", "competition", "external_id"],
                condition=Q(external_id__isnull=False),
                name="submission_id_unique",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["period", "player"], name="submission_of_player"),
            # Partial, so that voided submissions are found among a hundred million, and others cost nothing.
            models.Index(fields=["id"], condition=Q(voided_at__isnull=False), name="submission_void"),
        ]

    def __str__(self) -> str:
        return f"{self.period_id}/{self.player_id}/{self.external_id or self.pk}"


class Difference(models.Model):
    """A difference that verifying found between SQL and Redis. ``player`` is a text, since SQL may not know them."""

    period = models.ForeignKey(Period, models.CASCADE, related_name="differences", verbose_name=_("period"))
    player = models.CharField(_("player"), max_length=64)
    in_sql = models.FloatField(_("score in SQL"), null=True)
    in_redis = models.FloatField(_("score in Redis"), null=True)
    repaired = models.BooleanField(_("repaired"))
    found_at = models.DateTimeField(_("found"))

    class Meta:
        ordering = ("-found_at", "-pk")
        verbose_name = _("difference")
        verbose_name_plural = _("differences")
        indexes: ClassVar = [models.Index(fields=["period"], condition=Q(repaired=False), name="difference_unrepaired")]

    def __str__(self) -> str:
        return f"{self.period_id}/{self.player}"
