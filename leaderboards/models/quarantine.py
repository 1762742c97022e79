"""Quarantine: entries that broke a plausibility limit, until staff accepts or voids them."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from leaderboards.choices import Decision, PlausibilityRule
from leaderboards.core.input.points import points_text
from leaderboards.models.boards import Board
from leaderboards.models.periods import Period
from leaderboards.models.players import Player


class QuarantinedEntry(models.Model):
    """An entry and the limit that it broke.

    ``points`` and ``fields`` are scaled by the period's rules; ``at`` is the time that counts, ``sent_at`` the time as
    sent, null if there was none; ``operator`` and ``metadata`` are as of a submission. ``external_id`` is the caller's
    id, which stays used whatever is decided.
    ``observed`` and ``limit`` are points, or a number of submissions. ``accepting_since`` is when accepting it began:
    until the decision is ``accepted`` it is unknown whether it counts, and accepting it again finds out.
    """

    period = models.ForeignKey(Period, models.PROTECT, related_name="quarantined", verbose_name=_("period"))
    board = models.ForeignKey(Board, models.PROTECT, related_name="quarantined", verbose_name=_("board"))
    player = models.ForeignKey(Player, models.PROTECT, related_name="quarantined", verbose_name=_("player"))
    competition = models.BigIntegerField(_("competition"), default=0)
    points = models.BigIntegerField(null=True)
    fields = models.JSONField(null=True)
    at = models.DateTimeField(_("at"))
    sent_at = models.DateTimeField(_("sent at"), null=True)
    operator = models.CharField(_("operator"), max_length=9, null=True)  # noqa: DJ001 - as in submissions
    metadata = models.TextField(_("metadata"), null=True)  # noqa: DJ001 - as in submissions
    service = models.CharField(_("service"), max_length=100)
    external_id = models.CharField(_("external id"), max_length=128, null=True)  # noqa: DJ001 - null is no id; unique where there is one
    rule = models.CharField(_("rule"), max_length=30, choices=PlausibilityRule.choices)
    observed = models.DecimalField(_("observed"), max_digits=30, decimal_places=6)
    limit = models.DecimalField(_("limit"), max_digits=30, decimal_places=6)
    created_at = models.DateTimeField(_("quarantined"))
    accepting_since = models.DateTimeField(null=True, editable=False)
    decision = models.CharField(_("decision"), max_length=8, choices=Decision.choices, blank=True)
    decided_at = models.DateTimeField(_("decided"), null=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("decided by")
    )
    reason = models.CharField(_("reason"), max_length=300, blank=True)

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = _("quarantined entry")
        verbose_name_plural = _("quarantined entries")
        permissions: ClassVar = [("judge_quarantinedentry", "Can judge quarantined entry")]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["service", "board", "competition", "external_id"],
                condition=Q(external_id__isnull=False),
                name="quarantined_id_unique",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["created_at"], condition=Q(decision=""), name="quarantined_waiting"),
            models.Index(fields=["decided_at"], condition=~Q(decision=""), name="quarantined_decided"),
        ]

    def __str__(self) -> str:
        return f"{self.period_id}/{self.player_id}/{self.external_id or self.pk}"

    @property
    def value_text(self) -> str:
        """Points or fields as people write them, with the operator: 12.50, or stage 3, members 4, or -5 (decrement)."""
        rules = self.period.rules
        if self.fields is None:
            text = points_text(self.points or 0, rules.decimals)
        else:
            text = ", ".join(f"{each.name} {number}" for each, number in zip(rules.fields, self.fields, strict=True))
        return f"{text} ({self.operator})" if self.operator else text
