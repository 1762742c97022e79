"""Periods: the windows of boards, each with the rules it opened with."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from leaderboards.choices import PeriodState
from leaderboards.core import keys
from leaderboards.core.packing.layout import Layout, choose_layout
from leaderboards.core.partitions import partition_of
from leaderboards.core.period_numbers import has_own_tables
from leaderboards.core.periods import Window, event_number
from leaderboards.core.ranking.rules import Encoding, Rules
from leaderboards.models.boards import Board
from leaderboards.models.family_rows import FamilyRow

if TYPE_CHECKING:
    from leaderboards.models.partitions import Part, Partition

Item = TypeVar("Item")


class Period(FamilyRow):
    """A window of a board, with the rules it opened with.

    A period with one partition is the row of its standings in Redis itself. Of a period with several, each has a row
    (``Partition``), and ``stale_since`` here is the earliest of theirs; ``generation`` is not used. ``players`` and
    ``content_hash`` are those of the final standings. ``write_shards`` is the number of partition keys that it has in
    DynamoDB. ``cache_version`` is set on a copy from a cache (``selectors/catalog/cache_versions.py``): the script that
    reads the standings compares it. ``parts_source`` is set on such a copy too: it gives the partitions, and None if it
    has not all of them.
    """

    cache_version: str = ""
    parts_source: "Callable[[Period], Sequence[Partition] | None] | None" = None
    _parts: "Sequence[Part] | None" = None

    board = models.ForeignKey(Board, models.PROTECT, related_name="periods", verbose_name=_("board"))
    label = models.CharField(_("label"), max_length=24)
    starts_at = models.DateTimeField(_("starts"), null=True)
    ends_at = models.DateTimeField(_("ends"), null=True)
    rules_json = models.JSONField(_("rules"))
    state = models.CharField(_("state"), max_length=7, choices=PeriodState.choices, default=PeriodState.OPEN)
    partitions = models.PositiveSmallIntegerField(_("partitions"), default=1, db_default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True)
    players = models.BigIntegerField(default=0)
    write_shards = models.PositiveSmallIntegerField(default=1, db_default=1)
    content_hash = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ("board", "-starts_at")
        verbose_name = _("period")
        verbose_name_plural = _("periods")
        constraints: ClassVar = [models.UniqueConstraint(fields=["board", "label"], name="period_unique")]
        indexes: ClassVar = [
            models.Index(fields=["stale_since"], condition=Q(stale_since__isnull=False), name="period_stale"),
            models.Index(fields=["state", "ends_at"], name="period_state_end"),
            models.Index(fields=["board", "-ends_at"], name="period_ended"),
            models.Index(fields=["board", "-starts_at", "-label"], name="period_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.board_id}/{self.label}"

    def refresh_from_db(
        self,
        using: str | None = None,
        fields: Iterable[str] | None = None,
        from_queryset: models.QuerySet[Self] | None = None,
    ) -> None:
        """Read the row again and drop the cached layout: the end of a competition's period may have moved."""
        super().refresh_from_db(using=using, fields=fields, from_queryset=from_queryset)
        for cached in ("layout", "_parts", "parts_source"):
            self.__dict__.pop(cached, None)

    def refresh_sync_state(self) -> None:
        """Read again what a resync, closing or a moved end changes."""
        self.refresh_from_db(fields=["generation", "stale_since", "state", "ends_at"])

    def copy_sync_state(self, newer: Self) -> None:
        """Copy generation, staleness, end, rules and partitions from ``newer``, the same row read later."""
        self.generation, self.stale_since, self.ends_at = newer.generation, newer.stale_since, newer.ends_at
        self.rules_json, self.partitions = newer.rules_json, newer.partitions
        for cached in ("layout", "rules", "family", "_parts"):
            self.__dict__.pop(cached, None)

    @cached_property
    def rules(self) -> Rules:
        """The rules of this period."""
        return Rules.from_json(self.rules_json)

    @property
    def window(self) -> Window:
        """The period's label, start and end."""
        return Window(self.label, self.starts_at, self.ends_at)

    @cached_property
    def layout(self) -> Layout:
        """How this period's scores are packed."""
        return choose_layout(self.rules, self.window)

    @property
    def period(self) -> Self:
        """The period, as a partition's is."""
        return self

    @property
    def period_id(self) -> int:
        """The number of the period, as a partition's is."""
        return self.pk

    @property
    def is_compact(self) -> bool:
        """Whether Redis knows its players by their numbers in SQL. A period that only names keys has no rules."""
        return (self.rules_json or {}).get("encoding") == Encoding.COMPACT  # also of rules that nobody can read

    @property
    def has_own_tables(self) -> bool:
        """Whether its standings and final standings are in tables of its own in SQL."""
        return has_own_tables(self.pk)

    @property
    def has_score_ranges(self) -> bool:
        """Whether its standings are in score ranges too (``core/score_ranges.py``)."""
        return self.partitions > 1 and bool((self.rules_json or {}).get("score_ranges"))

    @property
    def is_divided(self) -> bool:
        """Whether the standings are in several partitions."""
        return self.partitions > 1

    @property
    def is_stale(self) -> bool:
        """Whether Redis may lack something of any of its families, by the rows of these."""
        if self.stale_since is not None or self.partitions == 1:
            return self.stale_since is not None
        return any(part.stale_since is not None for part in self.parts)

    @property
    def parts(self) -> "Sequence[Part]":
        """The rows of its families in Redis: the period itself, or its partitions by number, read once."""
        if self.partitions == 1:
            return (self,)
        if self._parts is None:
            rows = self.parts_source(self) if self.parts_source else None
            self.set_parts(list(self.partition_rows.order_by("number")) if rows is None else rows)
        assert self._parts is not None  # noqa: S101 - set just now; for the type checker
        return self._parts

    def set_parts(self, rows: "Sequence[Partition]") -> None:
        """Keep the rows of its partitions, which were just read, for ``parts``."""
        for part in rows:
            part.period = self
        self._parts = rows

    def forget_parts(self) -> None:
        """Have the partitions read again, from SQL, when they are next asked for."""
        self._parts = self.parts_source = None

    def part_of(self, player: str) -> "Part":
        """The row of the family that has the player."""
        return self if self.partitions == 1 else self.parts[partition_of(player, self.partitions)]

    def by_part(
        self, items: Sequence[Item], player_of: Callable[[Item], str]
    ) -> "Sequence[tuple[Part, Sequence[Item]]]":
        """Return the items, which are each about a player, by the row of the family that has the player."""
        if self.partitions == 1:
            return [(self, items)]
        found = defaultdict[int, list[Item]](list)
        for item in items:
            found[partition_of(player_of(item), self.partitions)].append(item)
        return [(self.parts[number], found[number]) for number in sorted(found)]

    @cached_property
    def family(self) -> keys.PeriodKeyFamily:
        """The names of its keys in Redis."""
        return keys.family(keys.zset(self.board_id, self.label), self.is_compact)

    @property
    def id_namespace(self) -> str:
        """The namespace of its entries' ids in Redis: the board's for calendar periods, its own for a competition."""
        return keys.board(self.board_id) if event_number(self.label) is None else self.family.zset
