"""Imports in the browser: the uploaded file, its progress, and what is needed to undo it.

A run is checked, confirmed by a person, applied, and perhaps undone; each step has a timestamp. Its rows are stored in
chunks and deleted once they are applied; what an undo needs stays as long as the run.
"""

from enum import StrEnum
from typing import Any, ClassVar

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboards.choices import ImportKind
from leaderboards.models.boards import Board
from leaderboards.models.players import Player


class Phase(StrEnum):
    """The state of a run; in the first, third and fifth the worker has to do something."""

    CHECKING = "checking"
    READY = "ready"
    APPLYING = "applying"
    DONE = "done"
    UNDOING = "undoing"
    UNDONE = "undone"


class ImportRun(models.Model):
    """An uploaded file with ``rows``, of which so many are ``checked``, ``applied`` and ``undone``.

    ``by`` is who uploaded it, later who confirmed it. ``refused`` rows failed: in the check until the run is confirmed,
    then when applied. ``checks`` counts how often the check began again. ``started_at`` is also the time of rows
    without one, and the creation time of the run's submissions and players, so no two runs share it. ``stopped`` says
    why the remaining rows were not applied. ``left`` is the number of rows that an undo could not revert. ``report``
    has the first rows, errors, counts by status and the preview.

    The columns of ``checked``, ``checks`` and ``checked_at`` have the names that older releases read.
    """

    kind = models.CharField(_("kind"), max_length=10, choices=ImportKind.choices)
    file_name = models.CharField(_("file"), max_length=200)
    digest = models.CharField(max_length=64)
    board = models.ForeignKey(Board, models.CASCADE, null=True, related_name="+", verbose_name=_("board"))
    columns = models.JSONField(default=dict)
    created_at = models.DateTimeField(_("uploaded"))
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by"))
    rows = models.PositiveIntegerField(_("rows"), default=0)
    checked = models.PositiveIntegerField(default=0, db_column="judged")
    # An older release inserts rows without this column.
    checks = models.PositiveIntegerField(default=0, db_default=0, db_column="judgings")
    applied = models.PositiveIntegerField(default=0)
    undone = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(_("refused"), default=0)
    left = models.PositiveIntegerField(default=0)
    checked_at = models.DateTimeField(null=True, db_column="judged_at")
    started_at = models.DateTimeField(_("started"), null=True, unique=True)
    done_at = models.DateTimeField(_("done"), null=True)
    undo_at = models.DateTimeField(null=True)
    undo_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    undone_at = models.DateTimeField(_("undone"), null=True)
    stopped = models.CharField(max_length=300, blank=True)
    leased_until = models.DateTimeField(null=True)
    report: "models.JSONField[dict[str, Any]]" = models.JSONField(default=dict, encoder=DjangoJSONEncoder)

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("import")
        verbose_name_plural = _("imports")
        default_permissions = ("view",)
        permissions: ClassVar = [
            ("import_scores", "Can import scores, and undo that"),
            ("import_players", "Can import players, and undo that"),
            ("import_boards", "Can import board settings, and undo that"),
        ]
        indexes: ClassVar = [models.Index(fields=["digest"], name="import_run_digest")]

    def __str__(self) -> str:
        return f"{self.pk}: {self.file_name}"

    @property
    def phase(self) -> Phase:
        """The state of the run."""
        if self.undo_at is not None:
            return Phase.UNDOING if self.undone_at is None else Phase.UNDONE
        if self.started_at is not None:
            return Phase.APPLYING if self.done_at is None else Phase.DONE
        return Phase.CHECKING if self.checked_at is None else Phase.READY

    @property
    def is_moving(self) -> bool:
        """Whether the worker has to do something."""
        return self.phase in (Phase.CHECKING, Phase.APPLYING, Phase.UNDOING)


class ImportChunk(models.Model):
    """Rows of a run that are processed together: compressed (``core/input/import_rows.py``), empty once applied.

    ``skipped`` are the numbers of rows that the check refused or that were known, ``kept`` the keys of its submissions.
    """

    run = models.ForeignKey(ImportRun, models.CASCADE, related_name="chunks", db_index=False)
    nth = models.PositiveIntegerField()
    content = models.BinaryField()
    skipped = models.JSONField(default=list)
    kept = models.JSONField(default=list)
    checked_at = models.DateTimeField(null=True, db_column="judged_at")
    applied_at = models.DateTimeField(null=True)
    undone_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "nth"], name="import_chunk_unique")]

    def __str__(self) -> str:
        return f"{self.run_id}/{self.nth}"


class ImportedPlayer(models.Model):
    """A player's profile before and after an import. An erasure deletes the row."""

    run = models.ForeignKey(ImportRun, models.CASCADE, related_name="players", db_index=False)
    player = models.ForeignKey(Player, models.CASCADE, related_name="+")
    is_new = models.BooleanField()
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "player"], name="imported_player_unique")]

    def __str__(self) -> str:
        return f"{self.run_id}/{self.player_id}"
