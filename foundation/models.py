"""The foundation's models: service keys, nonces, known Redis servers, heartbeats, dead letters."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

# Django finds the models of an app here.
from foundation.audit.models import AuditEntry, AuditSubject
from foundation.security import sealing
from foundation.sync.rows import DrawnGeneration
from foundation.throttling.limits import MOST_REQUESTS, MOST_SECONDS, Limit
from foundation.webhooks.models import WebhookDelivery, WebhookEndpoint

__all__ = [
    "AuditEntry",
    "AuditSubject",
    "DeadLetter",
    "DrawnGeneration",
    "Heartbeat",
    "KnownRedis",
    "ServiceKey",
    "UsedNonce",
    "WebhookDelivery",
    "WebhookEndpoint",
]


class ServiceKey(models.Model):
    """A game server's API key. SQL stores its prefix and a hash, never the secret.

    ``name`` identifies the service: submission ids are unique for each name, so two keys of one name (the old and the
    new one of a rotation) share ids. A key with a signing secret demands signed requests. Signing secrets are stored
    encrypted (``sealing``), for purpose ``SIGNING``.
    """

    name = models.CharField(_("name"), max_length=100, help_text=_("The service that holds it; two keys may share it."))
    prefix = models.CharField(_("prefix"), max_length=16, unique=True, editable=False)
    secret_hash = models.CharField(max_length=64, editable=False)
    scopes = models.JSONField(_("scopes"), default=list)
    boards = models.JSONField(_("boards"), null=True, blank=True, help_text=_("Numbers of boards; empty means all."))
    requests = models.PositiveIntegerField(_("requests"), null=True, blank=True)
    seconds = models.PositiveIntegerField(_("seconds"), null=True, blank=True)
    addresses = models.JSONField(_("addresses"), null=True, blank=True)  # CIDR blocks; null means from anywhere
    signing_secret = models.TextField(blank=True, editable=False)
    previous_signing_secret = models.TextField(blank=True, editable=False)
    previous_signing_until = models.DateTimeField(_("previous secret signs until"), null=True, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True, editable=False)

    class Meta:
        ordering = ("name", "-created_at")
        verbose_name = _("service key")
        verbose_name_plural = _("service keys")
        constraints: ClassVar = [
            models.CheckConstraint(
                # The columns are explicitly not null: a check constraint accepts a condition that is unknown.
                condition=models.Q(requests__isnull=True, seconds__isnull=True)
                | models.Q(
                    requests__isnull=False,
                    seconds__isnull=False,
                    requests__range=(1, MOST_REQUESTS),
                    seconds__range=(1, MOST_SECONDS),
                ),
                name="service_key_limit",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} (sunwi_{self.prefix}_…)"

    @property
    def limit(self) -> Limit | None:
        """The key's own rate limit, instead of the site's; None if it has none."""
        return None if self.requests is None or self.seconds is None else Limit(self.requests, self.seconds)

    def is_live(self, at: datetime) -> bool:
        """Whether the key is neither revoked nor expired at ``at``."""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)

    @property
    def is_signed(self) -> bool:
        """Whether requests with this key must be signed."""
        return bool(self.signing_secret)

    def signing_secrets(self, at: datetime) -> list[str]:
        """The secrets that may sign a request at ``at``: two for a day after a rotation. Raises ``Unsealable``."""
        rotating = self.previous_signing_until is not None and at < self.previous_signing_until
        sealed = [self.signing_secret, self.previous_signing_secret] if rotating else [self.signing_secret]
        return [sealing.unseal(each, sealing.SIGNING) for each in sealed]

    def allows_board(self, seq: int) -> bool:
        """Whether the key may access the board ``seq``."""
        return self.boards is None or seq in self.boards


class UsedNonce(models.Model):
    """A nonce that a signed request has used; ``foundation/security/nonces.py`` writes and deletes them."""

    key = models.ForeignKey(ServiceKey, models.CASCADE, db_index=False)  # the constraint finds a key's rows
    nonce = models.CharField(max_length=64)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["key", "nonce"], name="nonce_used_once")]

    def __str__(self) -> str:
        return self.nonce


class KnownRedis(models.Model):
    """A Redis server whose data is trusted. Its ``identity`` changes at each start and each promotion."""

    identity = models.CharField(max_length=100, unique=True)
    known_since = models.DateTimeField(auto_now_add=True)

    _seen: ClassVar[set[str]] = set()

    class Meta:
        verbose_name = "known Redis"
        verbose_name_plural = "known Redis"

    def __str__(self) -> str:
        return self.identity

    @classmethod
    def is_known(cls, identity: str) -> bool:
        """Whether SQL knows the server. Each process queries a known server once: it never becomes unknown again."""
        if identity not in cls._seen and cls.objects.filter(identity=identity).exists():
            cls._seen.add(identity)
        return identity in cls._seen


class Heartbeat(models.Model):
    """The last sign of life of a process that serves no requests, such as the worker."""

    name = models.CharField(max_length=50, primary_key=True)
    beat_at = models.DateTimeField()
    clock_offset = models.DurationField(default=timedelta)  # how far its clock was ahead of SQL's

    def __str__(self) -> str:
        return f"{self.name} {self.beat_at:%F %T}"

    @classmethod
    def note(cls, name: str, at: datetime, clock_offset: timedelta = timedelta()) -> None:
        """Record that ``name`` is alive at ``at``, and how far its clock is ahead of SQL's."""
        cls.objects.update_or_create(name=name, defaults={"beat_at": at, "clock_offset": clock_offset})

    @classmethod
    def silence(cls, name: str, at: datetime) -> timedelta | None:
        """The time since the last heartbeat of ``name``; None if there was none."""
        beat = cls.objects.filter(name=name).first()
        return None if beat is None else at - beat.beat_at

    @classmethod
    def clock_offset_of(cls, name: str) -> timedelta:
        """How far the clock of ``name`` was ahead of SQL's at its last heartbeat."""
        beat = cls.objects.filter(name=name).first()
        return timedelta() if beat is None else beat.clock_offset


class DeadLetter(models.Model):
    """Work that failed for good, stored with the reason until somebody retries or drops it.

    ``kind`` names the work, ``subject`` what it is about (unique while unresolved); ``payload`` has what an operator
    needs to examine it.
    """

    kind = models.CharField(_("kind"), max_length=50)
    subject = models.CharField(_("about"), max_length=200)
    payload = models.JSONField(_("payload"), default=dict)
    reason = models.TextField(_("reason"))
    tries = models.PositiveIntegerField(_("tries"), default=1)
    created_at = models.DateTimeField(_("created"))
    failed_at = models.DateTimeField(_("last failed"))
    resolved_at = models.DateTimeField(_("resolved"), null=True)
    resolution = models.CharField(_("resolution"), max_length=20, blank=True)

    class Meta:
        ordering = ("-failed_at",)
        verbose_name = _("dead letter")
        verbose_name_plural = _("dead letters")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["kind", "subject"], condition=models.Q(resolved_at=None), name="dead_letter_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"

    @classmethod
    def note(cls, kind: str, subject: str, payload: dict[str, Any], reason: str, at: datetime) -> None:
        """Record a failure; an open letter of the same subject is updated and counts another try."""
        letter, created = cls.objects.get_or_create(
            kind=kind,
            subject=subject,
            resolved_at=None,
            defaults={"payload": payload, "reason": reason, "created_at": at, "failed_at": at},
        )
        if not created:
            letter.payload, letter.reason, letter.failed_at = payload, reason, at
            letter.tries += 1
            letter.save(update_fields=["payload", "reason", "failed_at", "tries"])

    @classmethod
    def resolve(cls, kind: str, subjects: Iterable[str], resolution: str, at: datetime) -> int:
        """Mark the open letters of these subjects as resolved; return how many."""
        letters = cls.objects.filter(kind=kind, subject__in=list(subjects), resolved_at=None)
        return letters.update(resolved_at=at, resolution=resolution)
