"""A series: competitions whose places earn points, and a board that ranks the totals.

Results and totals are derived data: only ``services/series/`` writes them, and it can compute all of them again.
"""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from competitions.core.series import MOST_EVENTS, MOST_POINTS, Scoring
from competitions.models.competitions import Competition
from leaderboards.models import Board, Player


class Series(models.Model):
    """Points by place over several competitions. ``table`` holds the points by place, first place first.

    ``board`` ranks the totals; only the series writes to it. Retiring the board ends the series.
    """

    name = models.CharField(_("name"), max_length=100, unique=True)
    description = models.TextField(_("description"), max_length=4000, blank=True)
    board = models.OneToOneField(Board, models.PROTECT, related_name="series", verbose_name=_("board"), editable=False)
    table = models.JSONField(_("points by place"), default=list)
    taking_part = models.PositiveIntegerField(
        _("points for taking part"), default=0, validators=[MaxValueValidator(MOST_POINTS)]
    )
    best = models.PositiveIntegerField(
        _("best results that count"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_EVENTS)],
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("series")
        verbose_name_plural = pgettext_lazy("several", "series")

    def __str__(self) -> str:
        return self.name

    @property
    def scoring(self) -> Scoring:
        """The points by place, and how many results count."""
        return Scoring(tuple(self.table), self.taking_part, self.best)


class SeriesEvent(models.Model):
    """A competition of a series. ``revision_counted`` is the revision of the counted results; None if not counted.

    A competition belongs to at most one series.
    """

    series = models.ForeignKey(Series, models.CASCADE, related_name="events", verbose_name=_("series"))
    competition = models.OneToOneField(
        Competition, models.CASCADE, related_name="series_event", verbose_name=_("competition")
    )
    position = models.PositiveIntegerField(_("position"), default=1)
    revision_counted = models.PositiveIntegerField(_("revision counted"), null=True, editable=False)

    class Meta:
        ordering = ("position", "pk")
        verbose_name = _("competition of the series")
        verbose_name_plural = _("competitions of the series")

    def __str__(self) -> str:
        return str(self.competition)


class SeriesResult(models.Model):
    """What a player earned in one competition of a series. ``counted`` is False if dropped, or not added yet.

    ``revision`` is the revision of the competition's result; 0 if the result was published without revisions.
    """

    series = models.ForeignKey(Series, models.CASCADE, related_name="results", db_index=False, verbose_name=_("series"))
    competition = models.ForeignKey(
        Competition, models.PROTECT, related_name="series_results", verbose_name=_("competition")
    )
    player = models.ForeignKey(Player, models.PROTECT, related_name="series_results", verbose_name=_("player"))
    place = models.BigIntegerField(_("place"))
    points = models.PositiveIntegerField(_("points"))
    counted = models.BooleanField(_("counts"), default=False)
    revision = models.PositiveIntegerField(_("revision"), default=0)

    class Meta:
        ordering = ("competition", "place", "pk")
        verbose_name = _("result of a series")
        verbose_name_plural = _("results of series")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["series", "player", "competition"], name="series_result_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.competition_id}/{self.player_id}"


class SeriesTotal(models.Model):
    """The total that the board of a series has for a player: ``points``, or None if the board has none.

    ``due`` says that the results have changed since. ``puts`` counts the writes to the board and is part of their
    submission ids; ``put_at`` is the time of the last write.
    """

    series = models.ForeignKey(Series, models.CASCADE, related_name="totals", db_index=False)
    player = models.ForeignKey(Player, models.PROTECT, related_name="series_totals")
    points = models.BigIntegerField(null=True)
    due = models.BooleanField(default=True)
    puts = models.PositiveIntegerField(default=0)
    put_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["series", "player"], name="series_total_unique"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["series", "id"], condition=Q(due=True), name="series_total_due"),
        ]

    def __str__(self) -> str:
        return f"{self.series_id}/{self.player_id}"
