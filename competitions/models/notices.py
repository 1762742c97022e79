"""Notices to participants: the row is written first and sent later. Its number is the message id on every channel."""

from typing import Any, ClassVar

from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from competitions.models.competitions import Change, Competition
from competitions.models.revisions import Revision
from competitions.models.rewards import RewardGrant
from competitions.models.snapshots import Snapshot
from leaderboards.models import Player


class NoticeKind(models.TextChoices):
    """What a notice is about. ``summary`` replaces several notices that were deferred through quiet hours."""

    FIRST_TAKEN = "first_taken", _("took first place")
    FIRST_LOST = "first_lost", _("lost first place")
    TOP3_ENTERED = "top3_entered", _("entered the top 3")
    TOP10_ENTERED = "top10_entered", _("entered the top 10")
    EXTENDED = "extended", _("the end was moved")
    CANCELLED = "cancelled", _("the competition was cancelled")
    REMOVED = "removed", _("removed from a competition")
    DISQUALIFIED = "disqualified", _("disqualified")
    REINSTATED = "reinstated", _("reinstated")
    BROUGHT_BACK = "brought_back", _("brought back to a competition")
    SCORE_VOIDED = "score_voided", _("a score was voided")
    SCORE_RESTORED = "score_restored", _("a score was restored")
    SCORE_ACCEPTED = "score_accepted", _("a late score was accepted")
    RESULT = "result", _("the final place")
    RESULT_CHANGED = "result_changed", _("the final place changed")
    REWARDED = "rewarded", _("a reward was won")
    REWARD_REVOKED = "reward_revoked", _("a reward was taken back")
    REWARD_CHANGED = "reward_changed", _("a reward took the place of another")
    STARTED = "started", _("a competition has started")
    SUMMARY = "summary", _("what happened meanwhile")


class Notice(models.Model):
    """A message to one player about one competition.

    ``held_until`` is the end of the player's quiet hours, to which the notice is deferred. Then it is released, merged
    into a ``summary``, or dropped if it is about ranks and the competition has ended. The inbox shows notices that are
    not deferred, dropped or merged. Notices of scores that are judged alike within minutes are merged into the first.
    ``grant`` is the reward that is won or lost, ``grant_before`` the one that it replaces.
    """

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="notices", verbose_name=_("competition"))
    player = models.ForeignKey(Player, models.CASCADE, related_name="notices", verbose_name=_("player"))
    kind = models.CharField(_("kind"), max_length=15, choices=NoticeKind.choices)
    snapshot = models.ForeignKey(
        Snapshot, models.CASCADE, null=True, related_name="notices", verbose_name=_("snapshot")
    )
    change = models.ForeignKey(Change, models.CASCADE, null=True, related_name="notices", verbose_name=_("change"))
    revision = models.ForeignKey(
        Revision, models.CASCADE, null=True, related_name="notices", verbose_name=_("revision")
    )
    grant = models.ForeignKey(RewardGrant, models.CASCADE, null=True, related_name="notices", verbose_name=_("reward"))
    grant_before = models.ForeignKey(
        RewardGrant, models.CASCADE, null=True, related_name="+", verbose_name=_("reward before")
    )
    rank = models.BigIntegerField(_("rank"), null=True)
    previous_rank = models.BigIntegerField(_("rank before"), null=True)
    details: "models.JSONField[dict[str, Any]]" = models.JSONField(_("details"), default=dict)
    created_at = models.DateTimeField(_("created"))
    held_until = models.DateTimeField(_("held until"), null=True)
    merged_into = models.ForeignKey(
        "self", models.CASCADE, null=True, related_name="merged", verbose_name=_("merged into")
    )
    dropped_at = models.DateTimeField(_("dropped"), null=True)
    read_at = models.DateTimeField(_("read"), null=True)

    # The notices that the inbox shows.
    IN_INBOX: ClassVar[Q] = Q(held_until=None, merged_into=None, dropped_at=None)

    class Meta:
        ordering = ("-created_at", "-pk")
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["snapshot", "player"], condition=Q(snapshot__isnull=False), name="notice_per_snapshot"
            ),
            models.UniqueConstraint(
                fields=["change", "player"], condition=Q(change__isnull=False), name="notice_per_change"
            ),
            models.UniqueConstraint(
                fields=["revision", "player"], condition=Q(revision__isnull=False), name="notice_per_revision"
            ),
            models.UniqueConstraint(
                fields=["grant", "kind"], condition=Q(grant__isnull=False), name="notice_per_grant"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["player", "-created_at"], name="notice_inbox"),
            models.Index(fields=["held_until"], condition=Q(held_until__isnull=False), name="notice_held"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.player_id}"


class StartReminder(models.Model):
    """A player's wish to be told when a competition starts. The row goes when it is told, taken back or moot."""

    competition = models.ForeignKey(
        Competition, models.CASCADE, related_name="start_reminders", verbose_name=_("competition")
    )
    player = models.ForeignKey(Player, models.CASCADE, related_name="start_reminders", verbose_name=_("player"))
    asked_at = models.DateTimeField(_("asked"))

    class Meta:
        verbose_name = _("start reminder")
        verbose_name_plural = _("start reminders")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["competition", "player"], name="start_reminder_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.competition_id} {self.player_id}"


class NotificationProgress(models.Model):
    """How far the participants have been notified of a revision: all up to ``last_player``, by internal number.

    ``notified_at`` is when all were notified, or when a later revision replaced this one.
    """

    revision = models.OneToOneField(Revision, models.CASCADE, related_name="telling")
    last_player = models.BigIntegerField(default=0)
    notified_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("telling of a result")
        verbose_name_plural = _("tellings of results")

    def __str__(self) -> str:
        return str(self.revision_id)


class Mail(models.Model):
    """The e-mail of a notice. After a crash between sending and marking it is sent again, with the same Message-ID."""

    notice = models.OneToOneField(Notice, models.CASCADE, related_name="mail", verbose_name=_("notice"))
    to = models.EmailField(_("to"))
    created_at = models.DateTimeField(_("created"))
    next_try_at = models.DateTimeField(_("next try"), null=True)
    tries = models.PositiveIntegerField(_("tries"), default=0)
    error = models.CharField(_("last error"), max_length=300, blank=True)
    sent_at = models.DateTimeField(_("sent"), null=True)
    dead_at = models.DateTimeField(_("given up"), null=True)

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("e-mail")
        verbose_name_plural = _("e-mails")
        indexes: ClassVar = [
            models.Index(fields=["next_try_at"], condition=Q(next_try_at__isnull=False), name="mail_due"),
        ]

    def __str__(self) -> str:
        return f"{self.notice_id} {self.to}"


class Preference(models.Model):
    """A player's notice settings. Without a row: every kind, also by e-mail, with quiet hours from 23 to 8."""

    player = models.OneToOneField(Player, models.CASCADE, related_name="preference")
    muted = models.JSONField(_("muted kinds"), default=list, blank=True)
    by_mail = models.BooleanField(_("by e-mail"), default=True)
    timezone = models.CharField(_("time zone"), max_length=64, blank=True)
    language = models.CharField(_("language"), max_length=10, blank=True, default="")
    quiet_from = models.PositiveSmallIntegerField(_("quiet from"), default=23, validators=[MaxValueValidator(23)])
    quiet_until = models.PositiveSmallIntegerField(_("quiet until"), default=8, validators=[MaxValueValidator(23)])

    class Meta:
        verbose_name = _("preference")
        verbose_name_plural = _("preferences")

    def __str__(self) -> str:
        return str(self.player_id)
