"""Comments on a competition, and reports of them.

The row stays when its text is deleted, so that a repeated post finds it. The trap: ``like_count`` follows the likes
with a delay of about a second and is used only for sorting; the displayed counts are read from the likes.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from competitions.core.comments import LONGEST
from competitions.models.competitions import Competition
from leaderboards.models import Player


class Comment(models.Model):
    """A player's comment. ``form`` is the digest of its form and text, so a form posted twice makes one comment."""

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="comments", verbose_name=_("competition"))
    player = models.ForeignKey(Player, models.PROTECT, related_name="comments", verbose_name=_("player"))
    text = models.TextField(_("text"), max_length=LONGEST, blank=True)
    form = models.CharField(max_length=24)
    like_count = models.BigIntegerField(_("likes"), default=0)
    created_at = models.DateTimeField(_("written"))
    edited_at = models.DateTimeField(_("edited"), null=True)
    hidden_at = models.DateTimeField(_("hidden"), null=True)
    hidden_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("hidden by")
    )
    hidden_reason = models.CharField(_("reason"), max_length=300, blank=True)
    deleted_at = models.DateTimeField(_("deleted"), null=True)

    # The comments that everybody may read.
    VISIBLE: ClassVar[Q] = Q(hidden_at=None, deleted_at=None)

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("comment")
        verbose_name_plural = _("comments")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["player", "form"], name="comment_posted_once"),
            models.CheckConstraint(
                condition=Q(deleted_at=None) & ~Q(text="") | Q(deleted_at__isnull=False, text=""),
                name="comment_text_unless_deleted",
            ),
            models.CheckConstraint(
                condition=Q(hidden_at__isnull=False) | Q(hidden_by=None, hidden_reason=""),
                name="comment_reason_only_if_hidden",
            ),
            models.CheckConstraint(condition=Q(like_count__gte=0), name="comment_likes_not_negative"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["competition", "-id"], name="comment_newest"),
            models.Index(fields=["competition", "-like_count", "-id"], name="comment_most_liked"),
        ]

    def __str__(self) -> str:
        return f"{self.competition_id}/{self.pk}"

    @property
    def is_visible(self) -> bool:
        """Whether everybody may read it."""
        return self.hidden_at is None and self.deleted_at is None


class ReportOutcome(models.TextChoices):
    """What moderators decided about a report."""

    HIDDEN = "hidden", pgettext_lazy("a report", "the comment was hidden")
    DISMISSED = "dismissed", pgettext_lazy("a report", "dismissed")


class CommentReport(models.Model):
    """A player's report of a comment, once for each player. It is open until ``settled_at``; erased with its player."""

    comment = models.ForeignKey(Comment, models.CASCADE, related_name="reports", db_index=False)
    player = models.ForeignKey(Player, models.CASCADE, related_name="comment_reports", verbose_name=_("player"))
    reason = models.CharField(_("reason"), max_length=300)
    created_at = models.DateTimeField(_("reported"))
    settled_at = models.DateTimeField(_("settled"), null=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("settled by")
    )
    outcome = models.CharField(_("outcome"), max_length=9, choices=ReportOutcome.choices, blank=True)

    class Meta:
        ordering = ("pk",)
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["comment", "player"], name="comment_reported_once"),
            models.CheckConstraint(
                condition=Q(settled_at=None, outcome="") | Q(settled_at__isnull=False) & ~Q(outcome=""),
                name="comment_report_settled_with_outcome",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["created_at"], condition=Q(settled_at=None), name="comment_report_open"),
        ]

    def __str__(self) -> str:
        return f"{self.comment_id} {self.player_id}"
