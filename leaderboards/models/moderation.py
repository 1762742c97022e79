"""Purges of ranges of submissions, the submissions that they voided, and edits of values."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from leaderboards.models.boards import Board
from leaderboards.models.players import Player
from leaderboards.models.standings import Submission


class Purge(models.Model):
    """Voids all submissions received in [``from_at``, ``until_at``) of a player, a board and a service key, in batches.

    At least one of the three is set. All submissions up to the primary key ``last`` are done; ``highest`` is the
    greatest one at the beginning. Transactions that were open then may commit smaller ones later: unless ``all_in``, a
    second pass goes up to a new ``highest`` (``services/moderation/run_purge.py``). ``kept`` counts submissions that
    could not be voided. ``undo_last``, ``restored`` and ``lost`` are the same for its undo.
    """

    player = models.ForeignKey(
        Player, models.CASCADE, null=True, related_name="purges", db_index=False, verbose_name=_("player")
    )
    board = models.ForeignKey(
        Board, models.CASCADE, null=True, related_name="purges", db_index=False, verbose_name=_("board")
    )
    service = models.CharField(_("service key"), max_length=100, blank=True)
    from_at = models.DateTimeField(_("from"))
    until_at = models.DateTimeField(_("until"))
    reason = models.CharField(_("reason"), max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by"))
    asked_at = models.DateTimeField(_("asked"))
    highest = models.BigIntegerField()
    all_in = models.BooleanField(default=True)
    last = models.BigIntegerField(default=0)
    voided = models.BigIntegerField(_("voided"), default=0)
    kept = models.BigIntegerField(_("kept"), default=0)
    finished_at = models.DateTimeField(_("finished"), null=True)
    undo_asked_at = models.DateTimeField(_("undo asked"), null=True)
    undo_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("undone by")
    )
    undo_reason = models.CharField(_("why it is undone"), max_length=300, blank=True)
    undo_last = models.BigIntegerField(default=0)
    restored = models.BigIntegerField(_("restored"), default=0)
    lost = models.BigIntegerField(_("not restored"), default=0)
    undone_at = models.DateTimeField(_("undone at"), null=True)

    class Meta:
        verbose_name = _("purge")
        verbose_name_plural = _("purges")
        ordering = ("-pk",)
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(player__isnull=False) | Q(board__isnull=False) | ~Q(service=""), name="purge_of_something"
            ),
            models.CheckConstraint(condition=Q(from_at__lt=F("until_at")), name="purge_range"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["id"],
                condition=Q(finished_at=None, undo_asked_at=None) | Q(undo_asked_at__isnull=False, undone_at=None),
                name="purge_under_way",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.from_at:%F %T} - {self.until_at:%F %T}"


class PurgedSubmission(models.Model):
    """A submission that a purge voided. The row is deleted when the submission is restored in any way.

    So undoing the purge restores only what the purge voided.
    """

    submission = models.OneToOneField(
        Submission, models.CASCADE, primary_key=True, related_name="purged", db_constraint=False
    )
    purge = models.ForeignKey(Purge, models.CASCADE, related_name="submissions", db_index=False)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["purge", "submission"], name="purged_in_order")]

    def __str__(self) -> str:
        return f"{self.purge_id}/{self.submission_id}"


class SubmissionEdit(models.Model):
    """An edit of a submission: the values before and after, scaled by the period's rules.

    ``entry`` is its number in the audit log. ``before`` of the first edit is what the game server sent: repetitions of
    the submission's ``id`` are compared with that.
    """

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="edits", db_constraint=False)
    before: "models.JSONField[list[int]]" = models.JSONField()
    after: "models.JSONField[list[int]]" = models.JSONField()
    entry = models.BigIntegerField(unique=True)
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.submission_id}: {self.before} to {self.after}"
