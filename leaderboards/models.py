"""The rows: boards (the key-management table), periods, players, standings and submissions.

Rows know themselves and nothing else: no Redis, no HTTP, no signals. What changes more than
one of them is a service.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import ClassVar, Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from leaderboards import choices
from leaderboards.choices import State, Storage, Unit, Visibility
from leaderboards.core import keys
from leaderboards.core.periods import Calendar, PeriodKind, Window
from leaderboards.core.rules import Order, Rules, TieBreak, Ties, Update
from leaderboards.core.scores import Layout, choose_layout
from leaderboards.core.settings import board_calendar, board_rules
from leaderboards.fields import ByteOrderedCharField

__all__ = ["Board", "Difference", "DrawnGeneration", "FinalStanding", "LinkCode", "Period", "Player", "Standing"]
__all__ += ["State", "Storage", "Submission", "Unit", "Visibility"]


def default_timezone() -> str:
    """The zone of a board that names none."""
    return str(settings.DEFAULT_TIMEZONE)


class Board(models.Model):
    """A row of the key-management table: what is ranked, over which windows, by which rules. Never the scores."""

    seq = models.AutoField(_("seq"), primary_key=True)
    name = models.CharField(_("name"), max_length=100)
    period = models.CharField(_("period"), max_length=10, choices=choices.PERIODS, default=PeriodKind.WEEK.value)
    timezone = models.CharField(_("time zone"), max_length=64, default=default_timezone)
    week_start = models.CharField(_("week start"), max_length=10, choices=choices.WEEK_STARTS, default="monday")
    cutoff = models.CharField(_("cut-off"), max_length=5, default="00:00", help_text=_("HH:MM, when a day turns over"))
    order = models.CharField(_("order"), max_length=4, choices=choices.ORDERS, default=Order.DESC.value)
    update = models.CharField(_("update"), max_length=10, choices=choices.UPDATES, default=Update.BEST.value)
    ties = models.CharField(_("ties"), max_length=10, choices=choices.TIES, default=Ties.FIRST_COME.value)
    tie_break = models.CharField(_("tie break"), max_length=6, choices=choices.TIE_BREAKS, default=TieBreak.AUTO.value)
    criteria = models.JSONField(_("criteria"), default=list, blank=True)
    decimals = models.PositiveSmallIntegerField(_("decimals"), default=0, validators=[MaxValueValidator(6)])
    minimum = models.DecimalField(_("minimum"), max_digits=22, decimal_places=6, default=0)
    maximum = models.DecimalField(_("maximum"), max_digits=22, decimal_places=6, default=2**31 - 1)
    total_maximum = models.DecimalField(_("total maximum"), max_digits=22, decimal_places=6, default=2**31 - 1)
    grace_seconds = models.PositiveIntegerField(_("grace seconds"), default=60, validators=[MaxValueValidator(86_400)])
    retention_days = models.PositiveIntegerField(_("retention days"), default=30)
    keep_submissions_days = models.PositiveIntegerField(
        _("keep submissions, days"), default=90, validators=[MinValueValidator(2)]
    )
    storage = models.CharField(_("storage"), max_length=6, choices=Storage.choices, default=Storage.HYBRID)
    unit = models.CharField(_("unit"), max_length=20, choices=Unit.choices, default=Unit.POINTS)
    format = models.CharField(
        _("format"), max_length=40, blank=True, help_text=_("A suffix such as kcal, shown behind the number.")
    )
    visibility = models.CharField(_("visibility"), max_length=7, choices=Visibility.choices, default=Visibility.PUBLIC)
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
        """The windows that the board's time falls into."""
        return board_calendar(self)

    @property
    def rules(self) -> Rules:
        """The rules that a period opened now would get. Raises ``BadBoard`` where they cannot work."""
        return board_rules(self)

    @property
    def is_event(self) -> bool:
        """Whether its windows come from competitions."""
        return self.period == PeriodKind.EVENT


class Period(models.Model):
    """One window of a board, with the rules it opened with.

    ``generation`` must equal Redis's own before anything is read or written there; ``stale_since`` is
    set while some standing may be missing in Redis; ``whole`` while all of them may be, and ``rebuilt`` of
    them have been put since. ``players`` and ``content_hash`` are those of the final standings.
    """

    board = models.ForeignKey(Board, models.PROTECT, related_name="periods", verbose_name=_("board"))
    label = models.CharField(_("label"), max_length=24)
    starts_at = models.DateTimeField(_("starts"), null=True)
    ends_at = models.DateTimeField(_("ends"), null=True)
    rules_json = models.JSONField(_("rules"))
    state = models.CharField(_("state"), max_length=7, choices=State.choices, default=State.OPEN)
    generation = models.BigIntegerField(default=0)
    stale_since = models.DateTimeField(null=True)
    whole = models.BooleanField(default=False)
    rebuilt = models.BigIntegerField(default=0)
    settling_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True)
    verified_at = models.DateTimeField(null=True)
    verify_place = models.CharField(max_length=40, blank=True)
    players = models.BigIntegerField(default=0)
    content_hash = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ("board", "-starts_at")
        verbose_name = _("period")
        verbose_name_plural = _("periods")
        constraints: ClassVar = [models.UniqueConstraint(fields=["board", "label"], name="period_unique")]
        indexes: ClassVar = [
            models.Index(fields=["stale_since"], condition=Q(stale_since__isnull=False), name="period_stale"),
            models.Index(fields=["state", "ends_at"], name="period_state_end"),
        ]

    def __str__(self) -> str:
        return f"{self.board_id}/{self.label}"

    def refresh_from_db(
        self,
        using: str | None = None,
        fields: Iterable[str] | None = None,
        from_queryset: models.QuerySet[Self] | None = None,
    ) -> None:
        """Read the row again; the layout goes with it, since the end of a competition's period may have moved."""
        super().refresh_from_db(using=using, fields=fields, from_queryset=from_queryset)
        self.__dict__.pop("layout", None)

    @cached_property
    def rules(self) -> Rules:
        """The rules that hold in this period."""
        return Rules.from_json(self.rules_json)

    @property
    def window(self) -> Window:
        """From when to when."""
        return Window(self.label, self.starts_at, self.ends_at)

    @cached_property
    def layout(self) -> Layout:
        """How this period's scores are packed."""
        return choose_layout(self.rules, self.window)

    @cached_property
    def family(self) -> keys.Family:
        """The names of its keys in Redis."""
        return keys.Family(keys.zset(self.board_id, self.label))


class Player(models.Model):
    """Who is ranked. ``external_id`` is the game's own id, the ``player`` of the API; ``id`` is internal."""

    external_id = ByteOrderedCharField(_("player"), max_length=64, unique=True)
    name = models.CharField(_("name"), max_length=100, blank=True)
    avatar_url = models.URLField(_("avatar"), blank=True)
    country = models.CharField(_("country"), max_length=2, blank=True)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="player", verbose_name=_("user")
    )
    banned_at = models.DateTimeField(_("banned"), null=True, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")

    def __str__(self) -> str:
        return self.name or self.external_id


class Standing(models.Model):
    """A player's latest state in a period. Without a score he is not ranked: removed, or not yet accepted."""

    period = models.ForeignKey(Period, models.PROTECT, related_name="standings")
    player = models.ForeignKey(Player, models.PROTECT, related_name="standings")
    member = ByteOrderedCharField(max_length=512)
    points = models.BigIntegerField(null=True)
    fields = models.JSONField(null=True)
    at = models.DateTimeField(null=True)
    score = models.FloatField(null=True)
    version = models.BigIntegerField(default=0)
    unput = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["period", "player"], name="standing_unique")]
        indexes: ClassVar = [
            models.Index(fields=["period", "score", "member"], name="standing_ranked"),
            models.Index(fields=["period", "member"], name="standing_member"),
            models.Index(fields=["period", "player"], condition=Q(unput=True), name="standing_unput"),
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
    caller named none; ``at`` is the time that counts. ``competition`` is 0 on calendar boards.
    """

    period = models.ForeignKey(Period, models.PROTECT, related_name="submissions")
    player = models.ForeignKey(Player, models.PROTECT, related_name="submissions")
    board = models.ForeignKey(Board, models.PROTECT, related_name="submissions")
    competition = models.BigIntegerField(default=0)
    points = models.BigIntegerField(null=True)
    fields = models.JSONField(null=True)
    at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    service = models.CharField(max_length=100)
    external_id = models.CharField(max_length=128, null=True)  # noqa: DJ001 (null is no id; unique where there is one)
    created_at = models.DateTimeField()
    voided_at = models.DateTimeField(null=True)

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
        indexes: ClassVar = [models.Index(fields=["period", "player"], name="submission_of_player")]

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


class LinkCode(models.Model):
    """A one-time code by which a signed-in user links himself to a player; SQL keeps its hash."""

    code_hash = models.CharField(max_length=64, unique=True)
    player = models.ForeignKey(Player, models.CASCADE, related_name="link_codes")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.player_id} until {self.expires_at:%F %T}"


class DrawnGeneration(models.Model):
    """A row drawn for its number alone: numbers grow and are never used again, also after a rollback."""

    drawn_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return str(self.pk)
