"""Which players a signed-in person follows. Nobody but the person themselves reads it."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from leaderboards.models.players import Player


class Follow(models.Model):
    """A user follows a player ``since`` a moment. The trap: it is data of the user, never of the player."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="follows", db_index=False)
    player = models.ForeignKey(Player, models.CASCADE, related_name="+")
    since = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "player"], name="follow_once")]

    def __str__(self) -> str:
        return f"{self.user_id} follows {self.player_id}"
