"""The foundation as an installed app: it owns tables of its own (keys, known servers)."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class FoundationConfig(AppConfig):
    """Service keys, and the Redis servers whose memory is trusted."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "foundation"
    verbose_name = _("Foundation")

    def ready(self) -> None:
        """The checks register themselves; the outbox tells readiness what waits for somebody."""
        from foundation import checks, health  # noqa: F401 (importing registers the checks)
        from foundation.webhooks import upkeep

        health.also(upkeep.trouble)
