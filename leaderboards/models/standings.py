"""Standings, final ones, the submissions under them, and what verifying found of them."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from leaderboards.fields import ByteOrderedCharField
from leaderboards.models.boards import Board
from leaderboards.models.periods import Period
from leaderboards.models.players import Player


class Standing(models.Model):
    """A player's latest state in a period. Without a score they are not ranked: removed, or not yet accepted."""

    period = models.ForeignKey(Period, models.PROTECT, related_name="standings", verbose_name=_("period"))
    player = models.ForeignKey(Player, models.PROTECT, related_name="standings", verbose_name=_("player"))
    member = ByteOrderedCharField(max_length=512)
    points = models.BigIntegerField(null=True)
    fields = models.JSONField(null=True)
    at = models.DateTimeField(_("at"), null=True)
    score = models.FloatField(_("score"), null=True)
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
    """A row of a final period, in its place for ever: written once, when the period closes.

    ``place`` numbers the rows from 1; ``rank`` is the place, or what equals share. Each key is written a million
    times while a period closes, so there are no more than reading needs (docs/decisions/0014).
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

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["period", "player"], name="final_standing_unique")]
        indexes: ClassVar = [
            models.Index(fields=["period", "rank"], condition=Q(rank__lt=F("place")), name="final_standing_equals"),
        ]

    def __str__(self) -> str:
        return f"{self.period_id}/{self.place}"


class Submission(models.Model):
    """One accepted entry of a board that SQL decides over: the ledger under its standings.

    ``points`` and ``fields`` are as sent (scaled); ``sent_at`` is the time as sent, null where the
    caller named none; ``at`` is the time that counts. ``competition`` is 0 on calendar boards. ``freed_id`` is the id
    that it had until its import was undone. SQL does not check its keys: it is written beside its player's standing,
    whose own are (docs/decisions/0025).
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
    service = models.CharField(_("service"), max_length=100)
    external_id = models.CharField(_("external id"), max_length=128, null=True)  # noqa: DJ001 (null is no id; unique where there is one)
    freed_id = models.CharField(max_length=128, null=True)  # noqa: DJ001 (null where it has its id)
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
            # A list of the void ones would read a hundred million rows; what counts is not in it, and pays nothing.
            models.Index(fields=["id"], condition=Q(voided_at__isnull=False), name="submission_void"),
        ]

    def __str__(self) -> str:
        return f"{self.period_id}/{self.player_id}/{self.external_id or self.pk}"


class Difference(models.Model):
    """Something that verifying found: a player whose standing was not the same in SQL and Redis."""

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
