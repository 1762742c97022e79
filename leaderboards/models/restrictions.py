"""Restrictions: a player is hidden on a board, on all boards or in one period, or banned from a board.

A row holds until it is lifted, and is kept afterwards. The trap: a ban from everything has no row here; it is
``Player.banned_at`` with a ``BanRecord``. ``selectors/visibility/hidden.py`` knows both.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboards.models.boards import Board
from leaderboards.models.periods import Period
from leaderboards.models.players import Player

_RUNNING = Q(lifted_at=None)


class RestrictionKind(models.TextChoices):
    """The kind of a restriction. In all three cases other people do not see the player, and ranks close up."""

    HIDDEN = "hidden", pgettext_lazy("a player", "hidden")
    SHADOWED = "shadowed", pgettext_lazy("a player", "shadowed")
    BANNED = "banned", pgettext_lazy("a player", "banned from the board")


class Restriction(models.Model):
    """A restriction of a player on a board, or on all boards (``board`` None). An erasure empties both reasons.

    With a ``period`` of the board, it hides the player in that period alone.
    """

    RUNNING: ClassVar = _RUNNING

    player = models.ForeignKey(Player, models.CASCADE, related_name="restrictions", verbose_name=_("player"))
    board = models.ForeignKey(
        Board, models.CASCADE, null=True, blank=True, related_name="restrictions", verbose_name=_("board")
    )
    period = models.ForeignKey(
        Period, models.CASCADE, null=True, blank=True, related_name="restrictions", verbose_name=_("period")
    )
    kind = models.CharField(_("what"), max_length=8, choices=RestrictionKind.choices)
    since = models.DateTimeField(_("since"))
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by"))
    reason = models.CharField(_("reason"), max_length=300, blank=True)
    lifted_at = models.DateTimeField(_("lifted"), null=True)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("lifted by")
    )
    lift_reason = models.CharField(_("reason of the end"), max_length=300, blank=True)

    class Meta:
        ordering = ("-since", "-pk")
        verbose_name = _("restriction")
        verbose_name_plural = _("restrictions")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["player", "board", "kind"],
                condition=_RUNNING & Q(board__isnull=False, period=None),
                name="restriction_once_on_a_board",
            ),
            models.UniqueConstraint(
                fields=["player", "period"],
                condition=_RUNNING & Q(period__isnull=False),
                name="restriction_once_in_a_period",
            ),
            models.UniqueConstraint(
                fields=["player", "kind"], condition=_RUNNING & Q(board=None), name="restriction_once_on_all_boards"
            ),
            models.CheckConstraint(
                condition=~Q(kind=RestrictionKind.BANNED, board=None), name="restriction_bans_from_one_board"
            ),
            models.CheckConstraint(
                condition=Q(period=None) | Q(kind=RestrictionKind.HIDDEN, board__isnull=False),
                name="restriction_of_a_period_hides",
            ),
        ]
        # Partial, since readers query the running restrictions each second.
        indexes: ClassVar = [models.Index("board", "player", condition=_RUNNING, name="restriction_running")]

    def __str__(self) -> str:
        where = f"{self.board_id or 'all boards'}"
        return f"{self.player_id} {self.kind} on {where}{f', period {self.period_id}' if self.period_id else ''}"
