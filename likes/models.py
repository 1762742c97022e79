"""The models of likes (who likes what, and counts) and of activity (what people do, by day).

A thing is a kind and an id without a foreign key, because another app owns it. The trap: when a like is taken back,
its ``Like`` row stays with amount 0, so that a late mirror finds the newer version and does not overwrite it.
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
    """How often a player likes a thing: ``amount`` is 0 once taken back, and over 1 only for repeatable kinds.

    ``version`` comes from Redis for kinds that Redis decides, and is 0 for others. ``day`` is the UTC day of ``at``, a
    generated column: a day's likes are counted with an index on it (decision 0036).
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
    """One of the rows over which a thing's count is spread in the ``sql`` storage; the count is their sum.

    ``dirty`` until the total is passed to the app that registered the kind.
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
    """A like given or taken back that ``LikeCount`` does not include yet. Counting it deletes the row in one commit.

    ``id`` is also the version: for one player and thing, the greater is the later.
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
    """The likes of a thing, without the waiting changes (``LikeChange``) and without those that only Redis has.

    ``pending_publish`` while Redis may show an outdated view, because publishing to it failed.
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
    """A kind and the storage of its counts. For the Redis storage it is also the kind's sync state."""

    kind = models.CharField(max_length=20, primary_key=True)
    storage = models.CharField(max_length=6)

    def __str__(self) -> str:
        return self.kind


class PageHits(models.Model):
    """How often a page was opened on a UTC day, up to the last flush. ``page`` is a URL name, never a path."""

    day = models.DateField()
    page = models.CharField(max_length=80)
    count = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["day", "page"], name="page_hits_unique")]

    def __str__(self) -> str:
        return f"{self.day} {self.page}: {self.count}"


class HitsFlush(models.Model):
    """A transfer of a day's hits from Redis to ``PageHits``; the row ensures that they are counted once.

    ``moved_at``: Redis has staged them under this primary key. ``counted_at``: SQL has counted them.
    """

    day = models.DateField()
    moved_at = models.DateTimeField(null=True)
    counted_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.day} {self.pk}"


class ActivityDay(models.Model):
    """The visitors of a UTC day: a HyperLogLog of visitors and a bitmap of players by their number, from Redis.

    Both only grow: Redis's values are merged with them. After ten weeks only the counts are kept.
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
    """A dense number for each player who has attended: their bit in the bitmaps.

    A number is never reused: when a player is erased, theirs stays without an owner.
    """

    player = models.OneToOneField(Player, models.SET_NULL, null=True, related_name="attendance_number")
    number = models.PositiveIntegerField(unique=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(number__lt=MOST_PLAYERS), name="player_number_has_a_bit"),
        ]

    def __str__(self) -> str:
        return f"{self.number}"
