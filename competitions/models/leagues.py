"""Leagues: the tiers of a board, and for each period its groups, their members and the members' outcomes.

A season is a league in one period, with the settings at its beginning. Its row is locked while groups are filled, and
``turned_at`` marks that its players were promoted and demoted.
"""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from competitions.core.leagues import LARGEST_GROUP, MOST_TIERS, LeagueRules, Outcome
from leaderboards.models import Board, Period, Player


class LeagueOutcome(models.TextChoices):
    """What happened to a member at the end of the period."""

    PROMOTED = Outcome.PROMOTED.value, _("promoted")
    STAYED = Outcome.STAYED.value, _("stayed")
    DEMOTED = Outcome.DEMOTED.value, _("demoted")


class League(models.Model):
    """A board's league. Changed settings apply from the next period on; a running season keeps its own."""

    board = models.OneToOneField(Board, models.CASCADE, related_name="league", verbose_name=_("board"))
    enabled = models.BooleanField(_("in use"), default=False)
    group_size = models.PositiveSmallIntegerField(
        _("players in a group"), default=30, validators=[MinValueValidator(2), MaxValueValidator(LARGEST_GROUP)]
    )
    promoted = models.PositiveSmallIntegerField(_("move up"), default=5, validators=[MinValueValidator(1)])
    demoted = models.PositiveSmallIntegerField(_("move down"), default=5)

    class Meta:
        ordering = ("board",)
        verbose_name = _("league")
        verbose_name_plural = _("leagues")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(group_size__gte=2, group_size__lte=LARGEST_GROUP), name="league_group_size"
            ),
            models.CheckConstraint(
                condition=Q(promoted__gte=1, promoted__lte=F("group_size") - F("demoted")), name="league_moves_fit"
            ),
        ]

    def __str__(self) -> str:
        return str(self.board)


class LeagueTier(models.Model):
    """A tier of a league. Every player begins in the one with the lowest ``position``."""

    league = models.ForeignKey(League, models.CASCADE, related_name="tiers", verbose_name=_("league"))
    position = models.PositiveSmallIntegerField(
        _("position"), validators=[MinValueValidator(1), MaxValueValidator(MOST_TIERS)]
    )
    name = models.CharField(_("name"), max_length=40)

    class Meta:
        ordering = ("league", "position")
        verbose_name = pgettext_lazy("a league", "tier")
        verbose_name_plural = pgettext_lazy("a league", "tiers")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["league", "position"], name="league_tier_position"),
            models.UniqueConstraint(fields=["league", "name"], name="league_tier_name"),
        ]

    def __str__(self) -> str:
        return self.name


class LeagueSeason(models.Model):
    """A league in one period. ``tiers`` are the names of its tiers, lowest first."""

    league = models.ForeignKey(League, models.CASCADE, related_name="seasons", verbose_name=_("league"))
    period = models.OneToOneField(Period, models.CASCADE, related_name="league_season", verbose_name=_("period"))
    tiers: "models.JSONField[list[str]]" = models.JSONField(pgettext_lazy("a league", "tiers"))
    group_size = models.PositiveSmallIntegerField(_("players in a group"))
    promoted = models.PositiveSmallIntegerField(_("move up"))
    demoted = models.PositiveSmallIntegerField(_("move down"))
    begun_at = models.DateTimeField(_("begun"))
    turned_at = models.DateTimeField(_("turned"), null=True)

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("league's period")
        verbose_name_plural = _("league's periods")
        indexes: ClassVar = [
            models.Index(fields=["league"], condition=Q(turned_at=None), name="league_season_unturned"),
        ]

    def __str__(self) -> str:
        return str(self.period)

    @property
    def rules(self) -> LeagueRules:
        """The rules of this season."""
        return LeagueRules(self.group_size, self.promoted, self.demoted, len(self.tiers))

    def name_of(self, tier: int) -> str:
        """Return the name of a tier (from 1)."""
        return str(self.tiers[tier - 1])


class LeagueGroup(models.Model):
    """Players of one tier who compete with each other in a season; ``number`` counts from 1 in each tier."""

    season = models.ForeignKey(LeagueSeason, models.CASCADE, related_name="groups", verbose_name=_("league's period"))
    tier = models.PositiveSmallIntegerField(pgettext_lazy("a league", "tier"))
    number = models.PositiveIntegerField(_("number"))

    class Meta:
        ordering = ("tier", "number")
        verbose_name = pgettext_lazy("of a league", "group")
        verbose_name_plural = pgettext_lazy("of a league", "groups")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["season", "tier", "number"], name="league_group_unique"),
            models.CheckConstraint(condition=Q(tier__gte=1, number__gte=1), name="league_group_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.tier_name} {self.number}"

    @property
    def tier_name(self) -> str:
        """The name of the tier in this season."""
        return self.season.name_of(self.tier)


class LeagueMember(models.Model):
    """A player in a group. ``outcome`` is empty until the season is turned; ``place`` is None for unranked players."""

    season = models.ForeignKey(LeagueSeason, models.CASCADE, related_name="members", verbose_name=_("league's period"))
    group = models.ForeignKey(
        LeagueGroup, models.CASCADE, related_name="members", verbose_name=pgettext_lazy("of a league", "group")
    )
    player = models.ForeignKey(
        Player, models.PROTECT, related_name="league_members", verbose_name=_("player"), db_index=False
    )
    place = models.PositiveSmallIntegerField(_("place"), null=True)
    outcome = models.CharField(_("outcome"), max_length=8, choices=LeagueOutcome.choices, blank=True)

    class Meta:
        ordering = ("pk",)
        verbose_name = pgettext_lazy("of a league", "member")
        verbose_name_plural = pgettext_lazy("of a league", "members")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["season", "player"], name="league_member_unique"),
        ]
        indexes: ClassVar = [models.Index(fields=["player", "-season"], name="league_member_latest")]

    def __str__(self) -> str:
        return f"{self.group_id} {self.player_id}"
