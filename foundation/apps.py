"""The foundation as an installed app: it owns tables of its own (keys, known servers)."""

from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate, pre_migrate
from django.utils.translation import gettext_lazy as _


class FoundationConfig(AppConfig):
    """Service keys, and the Redis servers whose memory is trusted."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "foundation"
    verbose_name = _("Foundation")

    def ready(self) -> None:
        """The checks register themselves; the outbox tells readiness what waits for somebody."""
        from foundation.audit import own_actions as words
        from foundation.monitoring import (
            checks,  # noqa: F401 (importing registers the checks)
            health,
            readings,
        )
        from foundation.monitoring import own_readings as own
        from foundation.monitoring import task_metrics as tasks
        from foundation.security import sealed_rows
        from foundation.webhooks import retention as upkeep

        words.register()
        health.register_check(upkeep.health_problems)
        health.register_check(sealed_rows.health_problems)
        readings.register("servers", own.servers)
        readings.register("upkeep", own.upkeep)
        tasks.listen()
        pre_migrate.connect(_take_time, sender=self)
        post_migrate.connect(_hurry_again, sender=self)


def _take_time(using: str, **_: Any) -> None:
    """A migration may work for as long as it takes; for a lock it waits no longer than others, who queue behind it."""
    _set_both(using, "SET {} = 0")


def _hurry_again(using: str, **_: Any) -> None:
    _set_both(using, "RESET {}")


def _set_both(using: str, statement: str) -> None:
    if connections[using].vendor == "postgresql":
        with connections[using].cursor() as cursor:
            for name in ("statement_timeout", "idle_in_transaction_session_timeout"):
                cursor.execute(statement.format(name))
