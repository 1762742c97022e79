"""Periods: the windows of boards, each with the rules it opened with."""

from collections.abc import Iterable
from functools import cached_property
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from foundation.sync.rows import SyncedRow
from leaderboards.choices import PeriodState
from leaderboards.core import keys
from leaderboards.core.packing.layout import Layout, choose_layout
from leaderboards.core.periods import Window, event_number
from leaderboards.core.ranking.rules import Rules
from leaderboards.models.boards import Board
from leaderboards.models.fast_copy import FastCopyModel


class Period(FastCopyModel, SyncedRow):
    """A window of a board, with the rules it opened with.

    It is the row of its standings in Redis (``SyncedRow``). During a full rebuild, ``rebuild_progress`` is the number
    of rows written; ``emptied_generation`` is the generation of the last full rebuild. ``players`` and ``content_hash``
    are those of the final standings. ``write_shards`` is the number of partition keys that it has in DynamoDB.
    ``cache_version`` is set on a copy from a cache (``selectors/catalog/cache_versions.py``): the script that reads the
    standings compares it.
    """

    cache_version: str = ""

    board = models.ForeignKey(Board, models.PROTECT, related_name="periods", verbose_name=_("board"))
    label = models.CharField(_("label"), max_length=24)
    starts_at = models.DateTimeField(_("starts"), null=True)
    ends_at = models.DateTimeField(_("ends"), null=True)
    rules_json = models.JSONField(_("rules"))
    state = models.CharField(_("state"), max_length=7, choices=PeriodState.choices, default=PeriodState.OPEN)
    emptied_generation = models.BigIntegerField(default=0)
    rebuild_progress = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True)
    verified_at = models.DateTimeField(null=True)
    verify_cursor = models.CharField(max_length=40, blank=True)
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
        self.__dict__.pop("layout", None)

    def copy_sync_state(self, newer: Self) -> None:
        """Copy generation, staleness, end and rules from ``newer``, the same row read later."""
        self.generation, self.stale_since, self.ends_at = newer.generation, newer.stale_since, newer.ends_at
        self.rules_json = newer.rules_json
        for cached in ("layout", "rules"):
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

    @cached_property
    def family(self) -> keys.PeriodKeyFamily:
        """The names of its keys in Redis."""
        return keys.PeriodKeyFamily(keys.zset(self.board_id, self.label))

    @property
    def id_namespace(self) -> str:
        """The namespace of its entries' ids in Redis: the board's for calendar periods, its own for a competition."""
        return keys.board(self.board_id) if event_number(self.label) is None else self.family.zset
