"""The pictures of players, fetched from allowed hosts and encoded anew. ``services/players/pictures.py`` fills them."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from leaderboards.models.players import Player


class PlayerPicture(models.Model):
    """A player's picture in two sizes, as WebP, and the state of fetching it.

    ``source`` is the address that it was, or is to be, fetched from; without content ``digest`` is empty. ``next_at``
    is when it is fetched next; ``error`` is why the last try failed, and ``failures`` how many tries in a row did.
    """

    player = models.OneToOneField(Player, models.CASCADE, primary_key=True, related_name="own_picture")
    source = models.CharField(max_length=200)
    digest = models.CharField(max_length=24, blank=True, default="")
    large = models.BinaryField(null=True)
    small = models.BinaryField(null=True)
    fetched_at = models.DateTimeField(null=True)
    next_at = models.DateTimeField()
    failures = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        default_permissions = ()
        indexes: ClassVar = [
            models.Index(fields=["next_at"], name="player_picture_next"),
            models.Index(fields=["digest"], condition=~Q(digest=""), name="player_picture_digest"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} {self.digest}"
