"""Webhook endpoints and deliveries: the tables of the outbox.

Secrets are stored encrypted (``sealing``, purpose ``WEBHOOK``); ``secrets`` decrypts them for signing. A delivery is
in exactly one state, the one whose timestamp is set; a constraint ensures that.
"""

from datetime import datetime
from functools import reduce
from operator import or_
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from foundation.security import sealing

_STATES = ("next_try_at", "delivered_at", "dead_at", "dropped_at")


def _only(state: str) -> Q:
    return Q(**{f"{each}__isnull": each != state for each in _STATES})


class WebhookEndpoint(models.Model):
    """A system that receives messages, one at a time, under the lease ``busy_until``."""

    name = models.CharField(_("name"), max_length=100, unique=True, help_text=_("The system that listens there."))
    url = models.CharField(_("address"), max_length=500)
    kinds = models.JSONField(_("kinds"), default=list, blank=True)
    secret = models.TextField(editable=False)
    previous_secret = models.TextField(blank=True, editable=False)
    previous_until = models.DateTimeField(_("signed with the previous secret too until"), null=True, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    disabled_at = models.DateTimeField(_("disabled"), null=True, editable=False)
    disabled_reason = models.CharField(_("why"), max_length=200, blank=True, editable=False)
    busy_until = models.DateTimeField(null=True, editable=False)
    # No message is sent before this time. Also the order in which endpoints are served.
    rests_until = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ("name",)
        verbose_name = _("webhook endpoint")
        verbose_name_plural = _("webhook endpoints")

    def __str__(self) -> str:
        return self.name

    def wants(self, kind: str) -> bool:
        """Whether the endpoint receives messages of ``kind``; an empty list of kinds means all."""
        return not self.kinds or kind in self.kinds

    def secrets(self, at: datetime) -> list[str]:
        """The secrets to sign a message with at ``at``: two for a day after a rotation. Raises ``Unsealable``."""
        rotating = self.previous_until is not None and at < self.previous_until
        sealed = [self.secret, self.previous_secret] if rotating else [self.secret]
        return [sealing.unseal(each, sealing.WEBHOOK) for each in sealed]


class WebhookDelivery(models.Model):
    """A message to an endpoint. ``body`` is the text that is signed and sent, the same at every try."""

    endpoint = models.ForeignKey(
        WebhookEndpoint, models.CASCADE, related_name="deliveries", verbose_name=_("endpoint"), db_index=False
    )
    message_id = models.CharField(_("message"), max_length=100)
    kind = models.CharField(_("kind"), max_length=50)
    body = models.TextField(_("body"))
    created_at = models.DateTimeField(_("created"))
    tries = models.PositiveSmallIntegerField(_("tries"), default=0)
    last_try_at = models.DateTimeField(_("last try"), null=True)
    last_status = models.PositiveSmallIntegerField(_("last status"), null=True)
    last_answer = models.TextField(_("last answer"), blank=True)
    next_try_at = models.DateTimeField(_("next try"), null=True)
    delivered_at = models.DateTimeField(_("delivered"), null=True)
    dead_at = models.DateTimeField(_("dead"), null=True)
    dropped_at = models.DateTimeField(_("dropped"), null=True)

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("webhook delivery")
        verbose_name_plural = _("webhook deliveries")
        constraints: ClassVar = [
            # Its index also finds an endpoint's rows, so the foreign key needs none.
            models.UniqueConstraint(fields=["endpoint", "message_id"], name="webhook_message_unique"),
            models.CheckConstraint(condition=reduce(or_, map(_only, _STATES)), name="webhook_in_one_state"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["endpoint", "next_try_at"], condition=Q(next_try_at__isnull=False), name="webhook_due"
            ),
            # For the admin's order, dead ones first, and for counting them.
            models.Index(fields=["dead_at", "-id"], name="webhook_dead"),
            models.Index(fields=["delivered_at"], condition=Q(delivered_at__isnull=False), name="webhook_delivered"),
            models.Index(fields=["dropped_at"], condition=Q(dropped_at__isnull=False), name="webhook_dropped"),
        ]

    def __str__(self) -> str:
        return f"{self.message_id} → {self.endpoint}"
