"""Reward tiers of a board (for each closed period) or of a competition, and the rewards that players were granted."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from competitions.models.competitions import Competition
from leaderboards.models import Board, Period, Player


class TierKind(models.TextChoices):
    """The unit of a tier's limit."""

    RANK = "rank", _("rank: everyone from rank … to rank …")
    PERCENT = "percent", _("percent: the best share of the field, and all tied with the last of it")
    POINTS = "points", _("points: everyone who has reached so many")


class RewardTier(models.Model):
    """A reward and who earns it. ``limit`` is a rank, a percentage (over 0, up to 100), or points.

    ``from_rank`` is used only by rank: from 2 to 3 is silver for the second and third.
    """

    board = models.ForeignKey(
        Board, models.CASCADE, null=True, blank=True, related_name="reward_tiers", verbose_name=_("board")
    )
    competition = models.ForeignKey(
        Competition, models.CASCADE, null=True, blank=True, related_name="reward_tiers", verbose_name=_("competition")
    )
    name = models.CharField(_("reward"), max_length=100)
    code = models.CharField(_("code for the game"), max_length=100, blank=True)
    kind = models.CharField(
        pgettext_lazy("a reward", "by"), max_length=7, choices=TierKind.choices, default=TierKind.RANK
    )
    from_rank = models.PositiveIntegerField(_("from rank"), default=1)
    limit = models.DecimalField(_("up to"), max_digits=22, decimal_places=6)

    class Meta:
        ordering = ("pk",)
        verbose_name = _("reward tier")
        verbose_name_plural = _("reward tiers")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(board=None, competition__isnull=False) | Q(board__isnull=False, competition=None),
                name="reward_tier_of_one",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class RewardRun(models.Model):
    """A final period whose rewards have been computed.

    ``tiers`` are the rules at that time (``selectors/rewards/saved_tiers.py``): later changes of tiers have no effect.
    ``revision`` is the revision of the result that the grants match; None on calendar boards, and until the first
    grants are complete. ``unsettled_at`` is since when grants may have to change without a new revision. ``version``
    counts the transactions that changed grants, so that a computation can check that its input is still current.
    """

    period = models.OneToOneField(Period, models.CASCADE, related_name="reward_run")
    competition = models.OneToOneField(Competition, models.CASCADE, null=True, related_name="reward_run")
    granted_at = models.DateTimeField()
    grants = models.PositiveIntegerField(default=0)
    revision = models.PositiveIntegerField(null=True)
    tiers = models.JSONField(default=list)
    unsettled_at = models.DateTimeField(null=True)
    version = models.PositiveIntegerField(default=0)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["id"], condition=Q(unsettled_at__isnull=False), name="reward_run_unsettled"),
        ]

    def __str__(self) -> str:
        return str(self.period_id)


class RewardGrant(models.Model):
    """A reward that a player has earned in a period. ``name`` and ``code`` are the tier's at the time of the grant.

    A revoked grant stays on record; if the player earns the reward again, a new row is added. ``withheld_at`` is set
    while staff have revoked it: the player does not earn that tier again. ``passed_over_at`` is set too if the player
    is passed over for all rewards of the competition, so that the next players earn them. ``told_at`` and
    ``revoked_told_at`` are when the notice of the grant or of its revocation was written or left out.
    """

    tier = models.ForeignKey(RewardTier, models.SET_NULL, null=True, related_name="grants", verbose_name=_("tier"))
    period = models.ForeignKey(Period, models.PROTECT, related_name="reward_grants", verbose_name=_("period"))
    competition = models.ForeignKey(
        Competition, models.PROTECT, null=True, related_name="reward_grants", verbose_name=_("competition")
    )
    player = models.ForeignKey(Player, models.PROTECT, related_name="reward_grants", verbose_name=_("player"))
    name = models.CharField(_("reward"), max_length=100)
    code = models.CharField(_("code for the game"), max_length=100, blank=True)
    rank = models.BigIntegerField(_("rank"))
    granted_at = models.DateTimeField(_("granted"))
    delivered_at = models.DateTimeField(_("delivered"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True)
    revoked_reason = models.CharField(_("why revoked"), max_length=300, blank=True)
    withheld_at = models.DateTimeField(_("taken back by hand"), null=True)
    passed_over_at = models.DateTimeField(_("passed over, the next in line gets it"), null=True)
    told_at = models.DateTimeField(null=True, editable=False)
    revoked_told_at = models.DateTimeField(null=True, editable=False)

    # Grants that are neither revoked by a later result nor by staff.
    ACTIVE: ClassVar[Q] = Q(revoked_at=None)

    class Meta:
        ordering = ("period", "rank", "pk")
        verbose_name = _("reward")
        verbose_name_plural = _("rewards")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tier", "period", "player"], condition=Q(revoked_at=None), name="reward_grant_stands_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["id"], condition=Q(told_at=None), name="reward_grant_to_tell"),
            models.Index(
                fields=["period", "player"], condition=Q(passed_over_at__isnull=False), name="reward_passed_over"
            ),
            models.Index(
                fields=["id"],
                condition=Q(revoked_at__isnull=False, revoked_told_at=None),
                name="reward_revoked_to_tell",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.player_id}"
