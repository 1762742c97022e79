"""A competition, its invitations, its participants, and the record of changes to it.

Its standings are a period of its board, ``LeaderBoard_<seq>_c<id>``. Scores and ranks are stored there only.
"""

from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from competitions.core.group_standings import Formula
from competitions.core.lifecycle import Phase, Timeline
from leaderboards.core.periods import Window, event_window
from leaderboards.models import Board, Player
from leaderboards.models.fast_copy import FastCopyModel

FROZEN_SUFFIX = "-frozen"


class Joining(models.TextChoices):
    """Who may join."""

    EVERYONE = "everyone", _("everyone")
    CODE = "code", _("players with the code")
    LIST = "list", _("players on the list")


class VacatedPlaces(models.TextChoices):
    """What happens to the places of disqualified and banned players."""

    CLOSE_UP = "close_up", _("everybody below moves up")
    STAY_EMPTY = "stay_empty", _("they stay empty")


class TeamScore(models.TextChoices):
    """How a team's value is computed; empty in a competition without teams."""

    SUM = Formula.SUM.value, _("the sum of its members' points")
    BEST = Formula.BEST.value, _("its best member's place")
    AVERAGE = Formula.AVERAGE.value, _("the average of its members' points")


class TeamEntry(models.TextChoices):
    """Who may enter a team that a player founded."""

    OPEN = "open", pgettext_lazy("a team", "everybody")
    CODE = "code", _("players with the team's code")


def default_alerts() -> list[str]:
    """The default alerts of a new competition; entering the top 3 is off."""
    return ["first_taken", "first_lost", "top10_entered"]


class Competition(FastCopyModel):
    """An event on an event board: a time window with the board's rules.

    Timestamps record its history: published, frozen (the public copy was made), closed (no score counts any more and
    the result is provisional), revealed, final (confirmed), cancelled.
    """

    name = models.CharField(_("name"), max_length=100)
    description = models.TextField(_("description"), max_length=4000, blank=True)
    picture = models.BinaryField(null=True, editable=True)
    picture_hash = models.CharField(max_length=24, blank=True, editable=False)
    board = models.ForeignKey(Board, models.PROTECT, related_name="competitions", verbose_name=_("board"))
    starts_at = models.DateTimeField(_("starts"))
    ends_at = models.DateTimeField(_("ends"))
    timezone = models.CharField(_("time zone"), max_length=64, default="UTC")
    joining = models.CharField(_("who may join"), max_length=8, choices=Joining.choices, default=Joining.EVERYONE)
    join_code = models.CharField(_("join code"), max_length=40, blank=True)
    join_until = models.DateTimeField(_("joining until"), null=True, blank=True)
    most_participants = models.PositiveIntegerField(
        _("at most, participants"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    attempts = models.PositiveIntegerField(
        _("attempts per player"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    snapshot_minutes = models.PositiveIntegerField(
        _("snapshot every, minutes"), default=30, validators=[MinValueValidator(1), MaxValueValidator(1440)]
    )
    alert_hours = models.PositiveIntegerField(
        _("alerts in the last hours"), default=24, validators=[MaxValueValidator(24 * 60)]
    )
    alerts = models.JSONField(_("alerts"), default=default_alerts, blank=True)
    freeze_minutes = models.PositiveIntegerField(
        _("freeze before the end, minutes"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    review_hours = models.PositiveIntegerField(
        _("review of the result, hours"), null=True, blank=True, validators=[MaxValueValidator(24 * 60)]
    )
    vacated_places = models.CharField(
        _("places of the disqualified"), max_length=10, choices=VacatedPlaces.choices, default=VacatedPlaces.CLOSE_UP
    )
    team_score = models.CharField(_("teams rank by"), max_length=7, choices=TeamScore.choices, blank=True, default="")
    team_counts = models.PositiveIntegerField(
        _("best members that count"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    team_size = models.PositiveIntegerField(
        _("at most, members of a team"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    team_founding = models.BooleanField(_("players found teams"), default=False)
    team_entry = models.CharField(
        _("who may enter a founded team"), max_length=4, choices=TeamEntry.choices, default=TeamEntry.OPEN
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    published_at = models.DateTimeField(_("published"), null=True, editable=False)
    frozen_at = models.DateTimeField(_("frozen"), null=True, editable=False)
    revealed_at = models.DateTimeField(_("revealed"), null=True, editable=False)
    closed_at = models.DateTimeField(_("closed"), null=True, editable=False)
    final_at = models.DateTimeField(_("final"), null=True, editable=False)
    cancelled_at = models.DateTimeField(_("cancelled"), null=True, editable=False)

    class Meta:
        ordering = ("-starts_at", "-pk")
        verbose_name = _("competition")
        verbose_name_plural = _("competitions")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(starts_at__lt=F("ends_at")), name="competition_ends_after_start"),
        ]
        indexes: ClassVar = [models.Index(fields=["final_at", "ends_at"], name="competition_ends")]

    def __str__(self) -> str:
        return self.name

    @property
    def label(self) -> str:
        """The label of its period."""
        return f"c{self.pk}"

    @property
    def frozen_label(self) -> str:
        """The label of the period copy that the public sees during the freeze."""
        return self.label + FROZEN_SUFFIX

    @property
    def window(self) -> Window:
        """The time window in which scores count. Raises ``BadBoard`` unless it ends after it starts."""
        return event_window(self.pk, self.starts_at, self.ends_at)

    @property
    def has_teams(self) -> bool:
        """Whether the competition ranks teams too."""
        return self.team_score != ""

    @property
    def timeline(self) -> Timeline:
        """The timestamps that decide its phase."""
        return Timeline(
            starts_at=self.starts_at,
            ends_at=self.ends_at,
            published_at=self.published_at,
            cancelled_at=self.cancelled_at,
            freeze=None if self.freeze_minutes is None else timedelta(minutes=self.freeze_minutes),
            frozen_at=self.frozen_at,
            revealed_at=self.revealed_at,
            closed_at=self.closed_at,
            final_at=self.final_at,
        )

    @property
    def is_provisional(self) -> bool:
        """Whether it is closed and its result is not final, even if a freeze hides the result."""
        return self.closed_at is not None and self.final_at is None and self.cancelled_at is None

    def phase(self, at: datetime) -> Phase:
        """Return its phase, as the public sees it."""
        return self.timeline.phase(at)

    def is_hidden(self, at: datetime) -> bool:
        """Whether the public sees the frozen standings."""
        return self.timeline.is_hidden(at)


class Invitation(models.Model):
    """A player who may join a competition by list, named by external id: the player may not exist yet."""

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="invitations")
    external_id = models.CharField(_("player"), max_length=64)

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["competition", "external_id"], name="invitation_unique"),
        ]

    def __str__(self) -> str:
        return self.external_id


class Participant(models.Model):
    """A player in a competition. The row stays when the player leaves or is disqualified: timestamps mark it."""

    competition = models.ForeignKey(
        Competition, models.PROTECT, related_name="participants", verbose_name=_("competition")
    )
    player = models.ForeignKey(Player, models.PROTECT, related_name="participations", verbose_name=_("player"))
    team = models.ForeignKey(
        "competitions.Team", models.PROTECT, null=True, blank=True, related_name="participants", verbose_name=_("team")
    )
    division = models.ForeignKey(
        "competitions.Division",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="participants",
        verbose_name=_("division"),
    )
    joined_at = models.DateTimeField(_("joined"))
    left_at = models.DateTimeField(_("left"), null=True, blank=True)
    disqualified_at = models.DateTimeField(_("disqualified"), null=True, blank=True)
    reason = models.CharField(_("reason"), max_length=300, blank=True)

    # Participants who have neither left nor been disqualified.
    TAKING_PART: ClassVar[Q] = Q(left_at=None, disqualified_at=None)

    class Meta:
        ordering = ("joined_at", "pk")
        verbose_name = _("participant")
        verbose_name_plural = _("participants")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["competition", "player"], name="participant_unique"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["competition", "joined_at"],
                condition=Q(left_at=None, disqualified_at=None),
                name="participant_taking_part",
            ),
            # The schedule reads the disqualified every few seconds: a few rows of millions.
            models.Index(
                fields=["competition", "player"],
                condition=Q(disqualified_at__isnull=False),
                name="participant_disqualified",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.competition_id}/{self.player_id}"

    @property
    def takes_part(self) -> bool:
        """Whether the player has neither left nor been disqualified."""
        return self.left_at is None and self.disqualified_at is None


class ChangeKind(models.TextChoices):
    """The kinds of changes that people make to a competition."""

    PUBLISHED = "published", pgettext_lazy("what was done", "published")
    EXTENDED = "extended", _("end moved")
    CANCELLED = "cancelled", pgettext_lazy("what was done", "cancelled")
    REMOVED = "removed", _("participant removed")
    DISQUALIFIED = "disqualified", _("participant disqualified")
    REINSTATED = "reinstated", _("participant reinstated")
    BROUGHT_BACK = "brought_back", _("participant brought back")
    MOVED = "moved", _("participant moved to another team or division")
    REVEALED = "revealed", pgettext_lazy("what was done", "revealed")
    CONFIRMED = "confirmed", _("result confirmed")
    VOIDED = "voided", _("score voided")
    RESTORED = "restored", _("score restored")
    ACCEPTED = "accepted", _("late score accepted")
    HIDDEN = "hidden", _("comment hidden")
    SHOWN = "shown", _("comment shown again")
    TAKEN_BACK = "taken_back", _("reward taken back")
    GIVEN_BACK = "given_back", _("reward given back")
    COPIED = "copied", _("made from another competition")
    DISMISSED = "dismissed", _("reports of a comment dismissed")


class Change(models.Model):
    """A change that somebody made to a competition, with time and reason. Rows are append-only."""

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="changes")
    kind = models.CharField(_("what"), max_length=12, choices=ChangeKind.choices)
    at = models.DateTimeField(_("when"))
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by"))
    reason = models.CharField(_("reason"), max_length=300, blank=True)
    details: "models.JSONField[dict[str, Any]]" = models.JSONField(_("details"), default=dict)

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name = _("change")
        verbose_name_plural = _("changes")

    def __str__(self) -> str:
        return f"{self.competition_id} {self.kind}"
