"""Partitions: what SQL knows of each family of keys that has a part of a divided period's standings."""

from datetime import datetime
from functools import cached_property
from typing import ClassVar

from django.db import models
from django.db.models import Q, QuerySet
from django.db.models.functions import MD5, Left

from leaderboards.core import keys
from leaderboards.core.packing.layout import Layout
from leaderboards.core.partitions import hash_range
from leaderboards.core.ranking.rules import Rules
from leaderboards.models.boards import Board
from leaderboards.models.family_rows import FamilyRow
from leaderboards.models.periods import Period
from leaderboards.models.standings import Standing


class Partition(FamilyRow):
    """A partition of a period: all of them are made with it. What it shares with the others is the period's."""

    cache_version: ClassVar[str] = ""  # readers of a divided period always read its rows

    period = models.ForeignKey(Period, models.CASCADE, related_name="partition_rows")
    number = models.PositiveSmallIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["period", "number"], name="partition_unique")]
        indexes: ClassVar = [
            models.Index(fields=["stale_since"], condition=Q(stale_since__isnull=False), name="partition_stale"),
        ]

    def __str__(self) -> str:
        return f"{self.period}:{self.number}"

    @property
    def board(self) -> Board:
        """The period's board."""
        return self.period.board

    @property
    def board_id(self) -> int:
        """The number of the period's board."""
        return self.period.board_id

    @property
    def label(self) -> str:
        """The period's label."""
        return self.period.label

    @property
    def state(self) -> str:
        """The period's state."""
        return self.period.state

    @property
    def ends_at(self) -> datetime | None:
        """The period's end."""
        return self.period.ends_at

    @property
    def rules(self) -> Rules:
        """The period's rules."""
        return self.period.rules

    @property
    def layout(self) -> Layout:
        """How the period's scores are packed."""
        return self.period.layout

    @cached_property
    def family(self) -> keys.PeriodKeyFamily:
        """The names of its keys in Redis."""
        name = keys.zset_of_partition(self.board_id, self.label, self.number, self.period.partitions)
        return keys.family(name, self.period.is_compact, self.period.partitions, self.period.has_score_ranges)

    @property
    def id_namespace(self) -> str:
        """The namespace of its entries' ids in Redis, shared by the periods of its board."""
        return keys.partition(self.board_id, self.number, self.period.partitions)

    def refresh_sync_state(self) -> None:
        """Read again what a resync or closing changes."""
        self.refresh_from_db(fields=["generation", "stale_since"])
        self.period.refresh_from_db(fields=["state", "ends_at"])


Part = Period | Partition  # the row of a family of standings in Redis


def standings_of(part: Part) -> QuerySet[Standing]:
    """Query the standings that belong to a family."""
    rows = Standing.objects.filter(period=part.period_id)
    if not isinstance(part, Partition):
        return rows
    hashed = rows.alias(hashed=Left(MD5("player__external_id"), 2))
    first, last = hash_range(part.number, part.period.partitions)
    return hashed.filter(hashed__gte=first, hashed__lte=last)
