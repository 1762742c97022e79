"""Teams and divisions of a competition; participants refer to them (``Participant.team``, ``.division``).

Only players have scores: a team's value is computed from its members' standings and is not stored.
"""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from competitions.core.names import LONGEST
from competitions.models.competitions import Competition
from leaderboards.models import Player


class Team(models.Model):
    """Players who compete together. ``key`` is the normalized name: no two teams differ only in case.

    ``founder`` is the player who founded it, None for teams that the organizers created. ``code`` is needed to enter
    the team, if the competition asks for codes; an empty code admits everybody.
    """

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="teams", verbose_name=_("competition"))
    name = models.CharField(_("name"), max_length=LONGEST)
    key = models.CharField(max_length=24, editable=False)
    founder = models.ForeignKey(
        Player, models.SET_NULL, null=True, editable=False, related_name="founded_teams", verbose_name=_("founded by")
    )
    code = models.CharField(_("code"), max_length=8, blank=True, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        ordering = ("name", "pk")
        verbose_name = _("team")
        verbose_name_plural = _("teams")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["competition", "key"], name="team_name_unique"),
        ]

    def __str__(self) -> str:
        return self.name


class Division(models.Model):
    """A part of the field that also has its own ranking; ``position`` is its order on pages."""

    competition = models.ForeignKey(
        Competition, models.CASCADE, related_name="divisions", verbose_name=_("competition")
    )
    name = models.CharField(_("name"), max_length=LONGEST)
    key = models.CharField(max_length=24, editable=False)
    position = models.PositiveIntegerField(_("position"), default=0)

    class Meta:
        ordering = ("position", "pk")
        verbose_name = _("division")
        verbose_name_plural = _("divisions")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["competition", "key"], name="division_name_unique"),
        ]

    def __str__(self) -> str:
        return self.name
