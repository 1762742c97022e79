"""Published final results: each change makes a new revision, chained to the one before by hashes."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from competitions.models.competitions import Change, Competition


class Revision(models.Model):
    """A published final result. Number 1 is the confirmed result; each later change makes the next one.

    ``content_hash`` is the hash of the download, which contains ``previous_hash``, the hash of the revision before
    (empty in number 1). ``excluded_players`` are the internal numbers of players who had a standing but were not shown.
    """

    competition = models.ForeignKey(
        Competition, models.PROTECT, related_name="revisions", verbose_name=_("competition")
    )
    number = models.PositiveIntegerField(_("revision"))
    made_at = models.DateTimeField(_("made"))
    change = models.ForeignKey(
        Change, models.SET_NULL, null=True, related_name="revisions", verbose_name=_("because of")
    )
    reason = models.CharField(_("reason"), max_length=300, blank=True)
    total = models.BigIntegerField(_("players"), default=0)
    excluded_players = models.JSONField(default=list)
    previous_hash = models.CharField(max_length=64, blank=True)
    content_hash = models.CharField(_("hash"), max_length=64, blank=True)
    rewritten_at = models.DateTimeField(_("rewritten for an erasure"), null=True)

    class Meta:
        ordering = ("competition", "number")
        verbose_name = _("revision")
        verbose_name_plural = _("revisions")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["competition", "number"], name="revision_numbered_once"),
        ]

    def __str__(self) -> str:
        return f"{self.competition_id}/{self.number}"


class RevisionPart(models.Model):
    """Some thousand rows of a revision's download, compressed. Downloads send these stored bytes."""

    revision = models.ForeignKey(Revision, models.CASCADE, related_name="parts", db_index=False)
    nth = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ("revision", "nth")
        constraints: ClassVar = [models.UniqueConstraint(fields=["revision", "nth"], name="revision_part_once")]

    def __str__(self) -> str:
        return f"{self.revision_id}/{self.nth}"
