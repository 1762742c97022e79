"""Boards: the key-management table, with settings and no scores."""

from typing import Any, ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q, Value
from django.utils.translation import gettext_lazy as _

from foundation.sunwi_settings import sunwi_settings
from leaderboards import choices
from leaderboards.choices import Storage, Unit, Visibility
from leaderboards.core.periods import Calendar, PeriodKind
from leaderboards.core.plausibility import (
    MAX_FIELD_PLAYERS,
    MAX_JUMP_HISTORY,
    MAX_PER_MINUTE,
    JumpBaseline,
    Limits,
    limits_of,
)
from leaderboards.core.ranking.board_settings import board_calendar, board_rules
from leaderboards.core.ranking.rules import Encoding, Order, Rules, TieBreak, Ties, Update
from leaderboards.core.schedule_checks import MOST_CHARACTERS
from leaderboards.models.fast_copy import FastCopyModel

LONGEST_DAYS = 36_525  # a century: longer would exceed the years that dates have

_TIMES: Any = {"max_digits": 8, "decimal_places": 2}


def default_timezone() -> str:
    """Return the default time zone of a board."""
    return str(sunwi_settings.DEFAULT_TIMEZONE)


class Board(FastCopyModel):
    """A board's settings: what is ranked, in which windows, by which rules.

    ``past_schedules`` are the schedules that the board had before its present one, each with the time ``until`` which
    it held, the earliest first. The last ``until`` may lie ahead.
    ``quarantined_at`` is the time of its first quarantined entry; from then on, ids are also looked up in quarantine.
    ``cached_since`` (monotonic seconds) is set on a copy from a cache.
    """

    cached_since: float | None = None

    seq = models.AutoField(_("seq"), primary_key=True)
    name = models.CharField(_("name"), max_length=100)
    period = models.CharField(_("period"), max_length=10, choices=choices.PERIODS, default=PeriodKind.WEEK.value)
    timezone = models.CharField(_("time zone"), max_length=64, default=default_timezone)
    week_start = models.CharField(_("week start"), max_length=10, choices=choices.WEEK_STARTS, default="monday")
    cutoff = models.CharField(_("cut-off"), max_length=5, default="00:00", help_text=_("HH:MM, when a day turns over"))
    schedule = models.CharField(
        _("schedule"),
        max_length=MOST_CHARACTERS,
        blank=True,
        default="",
        db_default="",  # an older release inserts rows without these columns
        help_text=_("A cron expression: minute, hour, day of month, month, day of week."),
    )
    open_minutes = models.PositiveIntegerField(_("open, minutes"), null=True, blank=True)
    past_schedules = models.JSONField(default=list, db_default=Value([], models.JSONField()), editable=False)
    order = models.CharField(_("order"), max_length=4, choices=choices.ORDERS, default=Order.DESC.value)
    update = models.CharField(_("update"), max_length=10, choices=choices.UPDATES, default=Update.BEST.value)
    ties = models.CharField(_("ties"), max_length=10, choices=choices.TIES, default=Ties.FIRST_COME.value)
    tie_break = models.CharField(_("tie break"), max_length=6, choices=choices.TIE_BREAKS, default=TieBreak.AUTO.value)
    criteria = models.JSONField(_("criteria"), default=list, blank=True)
    decimals = models.PositiveSmallIntegerField(_("decimals"), default=0, validators=[MaxValueValidator(6)])
    minimum = models.DecimalField(_("minimum"), max_digits=22, decimal_places=6, default=0)
    maximum = models.DecimalField(_("maximum"), max_digits=22, decimal_places=6, default=2**31 - 1)
    total_maximum = models.DecimalField(_("total maximum"), max_digits=22, decimal_places=6, default=2**31 - 1)
    operators = models.JSONField(_("operators"), default=list, db_default=[], blank=True)
    grace_seconds = models.PositiveIntegerField(_("grace seconds"), default=60, validators=[MaxValueValidator(86_400)])
    retention_days = models.PositiveIntegerField(
        _("retention days"), default=30, validators=[MaxValueValidator(LONGEST_DAYS)]
    )
    keep_submissions_days = models.PositiveIntegerField(
        _("keep submissions, days"), default=90, validators=[MinValueValidator(2), MaxValueValidator(LONGEST_DAYS)]
    )
    keep_periods_days = models.PositiveIntegerField(
        _("keep periods, days"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(LONGEST_DAYS)],
    )
    storage = models.CharField(_("storage"), max_length=8, choices=Storage.choices, default=Storage.HYBRID)
    encoding = models.CharField(
        _("encoding"), max_length=7, choices=choices.ENCODINGS, default=Encoding.PLAIN.value, db_default="plain"
    )
    partitions = models.PositiveSmallIntegerField(_("partitions"), choices=choices.PARTITIONS, default=1, db_default=1)
    own_tables = models.BooleanField(_("tables of its own"), default=False, db_default=False)
    score_ranges = models.BooleanField(_("score ranges"), default=False, db_default=False)
    unit = models.CharField(_("unit"), max_length=20, choices=Unit.choices, default=Unit.POINTS)
    format = models.CharField(
        _("format"), max_length=40, blank=True, help_text=_("A suffix such as kcal, shown behind the number.")
    )
    hue = models.CharField(_("hue"), max_length=7, choices=choices.HUES, blank=True, default="", db_default="")
    visibility = models.CharField(_("visibility"), max_length=7, choices=Visibility.choices, default=Visibility.PUBLIC)
    plausible_least = models.DecimalField(
        _("plausible points, least"), max_digits=22, decimal_places=6, null=True, blank=True
    )
    plausible_most = models.DecimalField(
        _("plausible points, most"), max_digits=22, decimal_places=6, null=True, blank=True
    )
    submissions_per_minute = models.PositiveIntegerField(
        _("submissions per minute"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_PER_MINUTE)],
    )
    points_per_minute = models.DecimalField(
        _("points per minute"),
        max_digits=22,
        decimal_places=6,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
    )
    own_jump = models.DecimalField(
        _("jump against their own, times"), null=True, blank=True, **_TIMES, validators=[MinValueValidator(1)]
    )
    own_jump_against = models.CharField(
        _("jump against their own, held against"),
        max_length=6,
        choices=choices.JumpBaseline.choices,
        default=JumpBaseline.BEST.value,
    )
    own_jump_last = models.PositiveSmallIntegerField(
        _("jump against their own, submissions"),
        default=5,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_JUMP_HISTORY)],
    )
    field_jump = models.DecimalField(
        _("jump against the field, times"), null=True, blank=True, **_TIMES, validators=[MinValueValidator(1)]
    )
    field_jump_players = models.PositiveSmallIntegerField(
        _("jump against the field, players"),
        default=10,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_FIELD_PLAYERS)],
    )
    quarantined_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    retired_at = models.DateTimeField(_("retired"), null=True, blank=True, editable=False)

    class Meta:
        ordering = ("seq",)
        verbose_name = _("board")
        verbose_name_plural = _("boards")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["name"], condition=Q(retired_at=None), name="board_name_unique_while_in_use"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def calendar(self) -> Calendar:
        """The calendar of the board's windows."""
        return board_calendar(self)

    @property
    def rules(self) -> Rules:
        """The rules of a period that opens now. Raises ``BadBoard`` if they cannot work."""
        return board_rules(self)

    @property
    def is_event(self) -> bool:
        """Whether its periods are competitions."""
        return self.period == PeriodKind.EVENT

    @property
    def limits(self) -> Limits | None:
        """The plausibility limits; None if none is set."""
        return limits_of(self)

    @property
    def may_quarantine(self) -> bool:
        """Whether ids may belong to quarantined entries."""
        return self.quarantined_at is not None or self.limits is not None
