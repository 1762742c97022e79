"""The rows of likes: who likes what, and the counts beside them; and of activity: what people do, counted by the day.

A thing is a kind and an id, and no foreign key: what it is, another app knows. The trap: no row of ``Like`` is
deleted when a like is taken back (its amount is 0), since a mirror that comes late must find what it may not overwrite.
"""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from foundation.sync.rows import SyncedRow
from leaderboards.fields import ByteOrderedCharField
from leaderboards.models import Player
from likes.core.activity import MOST_PLAYERS
from likes.fields import UtcDay


class Like(models.Model):
    """One player and one thing: ``amount`` is 0 where they took it back, and more than 1 only of a repeatable kind.

    ``version`` is Redis's, of kinds that Redis decides over; 0 elsewhere. ``day`` is the UTC day of ``at``, which SQL
    keeps by itself: a day's likes are counted in the order of an index that holds nothing else (decision 0036).
    """

    kind = models.CharField(_("kind"), max_length=20)
    thing = ByteOrderedCharField(_("thing"), max_length=64)
    player = models.ForeignKey(Player, models.CASCADE, related_name="likes", verbose_name=_("player"))
    amount = models.PositiveIntegerField(_("amount"), default=1)
    at = models.DateTimeField(_("since"))
    version = models.BigIntegerField(default=0)
    day = models.GeneratedField(expression=UtcDay("at"), output_field=models.DateField(), db_persist=True)

    class Meta:
        verbose_name = _("like")
        verbose_name_plural = _("likes")
        constraints: ClassVar = [models.UniqueConstraint(fields=["kind", "thing", "player"], name="like_unique")]
        indexes: ClassVar = [
            models.Index(fields=["kind", "thing", "-at"], condition=models.Q(amount__gt=0), name="like_newest"),
            models.Index(fields=["kind", "version"], condition=models.Q(version__gt=0), name="like_version"),
            models.Index(fields=["kind", "day", "thing"], condition=models.Q(amount__gt=0), name="like_of_day"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.thing}: player {self.player_id}"


class LikeShard(models.Model):
    """One of the rows that the count of a thing of the ``sql`` storage is spread over; they count when summed.

    ``dirty`` until the total was told to the app that registered the kind.
    """

    kind = models.CharField(max_length=20)
    thing = ByteOrderedCharField(max_length=64)
    shard = models.PositiveSmallIntegerField()
    count = models.BigIntegerField(default=0)
    dirty = models.BooleanField(default=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["kind", "thing", "shard"], name="like_shard_unique")]
        indexes: ClassVar = [
            models.Index(fields=["kind"], condition=models.Q(dirty=True), name="like_shard_dirty"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.thing} {self.shard}: {self.count}"


class LikeChange(models.Model):
    """A like given or taken back that is not in ``LikeCount`` yet; who counts it there deletes it in that commit.

    ``id`` is also the change's version: of one player and one thing, the greater is the later.
    """

    kind = models.CharField(max_length=20)
    thing = ByteOrderedCharField(max_length=64)
    player = models.ForeignKey(Player, models.CASCADE, related_name="+")
    amount = models.PositiveIntegerField()
    delta = models.SmallIntegerField()
    at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["kind", "thing"], name="like_change_thing")]

    def __str__(self) -> str:
        return f"{self.kind} {self.thing} {self.delta:+d}"


class LikeCount(models.Model):
    """The likes of a thing, up to the changes that wait (``LikeChange``) or that Redis has and SQL has not.

    ``pending_publish`` while Redis may show something that is not so, because it could not be told.
    """

    kind = models.CharField(max_length=20)
    thing = ByteOrderedCharField(max_length=64)
    count = models.BigIntegerField(default=0)
    pending_publish = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["kind", "thing"], name="like_count_unique")]
        indexes: ClassVar = [
            models.Index(fields=["kind"], condition=models.Q(pending_publish=True), name="like_count_pending_publish"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.thing}: {self.count}"


class LikeKind(SyncedRow):
    """A kind whose likes somebody has counted, and in which storage. Where that is Redis it is kept in step."""

    kind = models.CharField(max_length=20, primary_key=True)
    storage = models.CharField(max_length=6)

    def __str__(self) -> str:
        return self.kind


class PageHits(models.Model):
    """How often a page was opened on a UTC day, up to the last flush. Pages go by their name, never by a path."""

    day = models.DateField()
    page = models.CharField(max_length=80)
    count = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["day", "page"], name="page_hits_unique")]

    def __str__(self) -> str:
        return f"{self.day} {self.page}: {self.count}"


class HitsFlush(models.Model):
    """Hits of a day on their way from Redis to ``PageHits``. The row is the proof that they count once.

    ``moved_at`` says that Redis has put them aside under this number, ``counted_at`` that SQL has them.
    """

    day = models.DateField()
    moved_at = models.DateTimeField(null=True)
    counted_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.day} {self.pk}"


class ActivityDay(models.Model):
    """Who was here on a UTC day, as Redis counts it: a HyperLogLog of visitors, a bitmap of players by their number.

    Both only grow: what comes from Redis was merged with them. After ten weeks the numbers alone are kept.
    """

    day = models.DateField(_("day"), primary_key=True)
    visitors = models.BinaryField(default=bytes)
    visitors_count = models.PositiveIntegerField(_("visitors"), default=0)
    attendance = models.BinaryField(default=bytes)
    attendance_count = models.PositiveIntegerField(_("players"), default=0)

    class Meta:
        verbose_name = _("day of activity")
        verbose_name_plural = _("activity")

    def __str__(self) -> str:
        return f"{self.day}"


class PlayerNumber(models.Model):
    """A number without gaps for each player who has attended: their bit in the bitmaps.

    A number is never given twice: a player who is erased leaves theirs behind, and it is nobody's.
    """

    player = models.OneToOneField(Player, models.SET_NULL, null=True, related_name="attendance_number")
    number = models.PositiveIntegerField(unique=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(number__lt=MOST_PLAYERS), name="player_number_has_a_bit"),
        ]

    def __str__(self) -> str:
        return f"{self.number}"
