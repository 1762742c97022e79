"""The models of the audit log. Entries are only added; erasures empty their texts, and retention deletes old ones."""

from typing import Any, ClassVar

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils.translation import gettext_lazy as _

from foundation.audit.actions import label_of


class AuditEntry(models.Model):
    """One action: what was done, when, by whom and why, and the values before and after.

    ``by_name`` and ``key_name`` remain when the account or the key is deleted; if both are empty, a command or the
    schedule did it. ``address`` is the client's (``foundation.http.client_address``); empty without a request, and
    after the account is erased. ``undoes`` is unique, so that no entry is undone twice.
    """

    at = models.DateTimeField(_("when"), db_index=True)
    act = models.CharField(_("what"), max_length=60)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by"))
    by_name = models.CharField(_("by"), max_length=150, blank=True)
    key_name = models.CharField(_("service key"), max_length=150, blank=True)
    address = models.CharField(_("address"), max_length=50, blank=True)
    reason = models.TextField(_("reason"), blank=True)
    before: "models.JSONField[dict[str, Any]]" = models.JSONField(_("before"), default=dict, encoder=DjangoJSONEncoder)
    after: "models.JSONField[dict[str, Any]]" = models.JSONField(_("after"), default=dict, encoder=DjangoJSONEncoder)
    note: "models.JSONField[dict[str, Any]]" = models.JSONField(_("details"), default=dict, encoder=DjangoJSONEncoder)
    undoes = models.OneToOneField(
        "self", models.SET_NULL, null=True, related_name="undone_by", verbose_name=_("undoes")
    )

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit log")
        indexes: ClassVar = [
            models.Index(fields=["act", "at"], name="audit_entry_act"),
            models.Index(fields=["address", "at"], condition=~models.Q(address=""), name="audit_entry_address"),
        ]

    def __str__(self) -> str:
        return f"{label_of(self.act)}, {self.at:%F %T} UTC"

    @property
    def is_undone(self) -> bool:
        """Whether another entry undoes this one."""
        return AuditEntry.objects.filter(undoes=self.pk).exists()

    def keys(self, kind: str) -> list[str]:
        """The keys of its subjects of one kind."""
        return list(self.subjects.filter(kind=kind).values_list("key", flat=True))


class AuditSubject(models.Model):
    """What an entry is about: a kind such as ``board``, and the key of the row."""

    entry = models.ForeignKey(AuditEntry, models.CASCADE, related_name="subjects")
    kind = models.CharField(max_length=60)
    key = models.CharField(max_length=100)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["kind", "key", "entry"], name="audit_subject_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"
