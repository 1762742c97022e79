"""What moderators did to submissions beyond voiding one: purges of a range, what each voided, and edits of values."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from leaderboards.models.boards import Board
from leaderboards.models.players import Player
from leaderboards.models.standings import Submission


class Purge(models.Model):
    """A range of submissions that is voided in one act: those received in [``from_at``, ``until_at``), of a player, a
    board, a service key, or all of these at once. It is also the proof of how far that has come.

    ``last`` is the number of the submission up to which all were looked at, ``highest`` the greatest that there was.
    Submissions that were under way then come later: unless ``all_in`` says that there were none, all is looked at once
    more, up to another ``highest`` (``services/moderation/run_purge.py``). ``kept`` are those that could not be voided;
    ``undo_last``, ``restored`` and ``lost`` are the same of its undoing.
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
    """A submission that is void because of a purge. The row goes when the submission is restored, by whom or whatever,
    so that undoing the purge restores no more than the purge voided."""

    submission = models.OneToOneField(
        Submission, models.CASCADE, primary_key=True, related_name="purged", db_constraint=False
    )
    purge = models.ForeignKey(Purge, models.CASCADE, related_name="submissions", db_index=False)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["purge", "submission"], name="purged_in_order")]

    def __str__(self) -> str:
        return f"{self.purge_id}/{self.submission_id}"


class SubmissionEdit(models.Model):
    """A new value of a submission, scaled as the period's rules scale it, and the one before.

    ``entry`` is its number in the audit log. The first row has what the game server sent, which its ``id`` stands for
    for good.
    """

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="edits", db_constraint=False)
    before: models.JSONField[list[int]] = models.JSONField()
    after: models.JSONField[list[int]] = models.JSONField()
    entry = models.BigIntegerField(unique=True)
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.submission_id}: {self.before} to {self.after}"
