"""The Django app of the foundation; it has tables of its own, such as service keys and known Redis servers."""

import os
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from foundation import conf, needed_apps
from foundation.sunwi_settings import check_settings, sunwi_settings
from foundation.sync.keys import use_names_for_cluster

NEEDED = ("accounts", "leaderboards")
OPTIONAL = ("likes", "competitions")


class FoundationConfig(needed_apps.SunwiApp):
    """Register the foundation's audit actions, checks and metrics at startup."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "foundation"
    verbose_name = _("Foundation")

    def __init__(self, app_name: str, app_module: ModuleType) -> None:
        """Check Sunwi's settings, before any model is loaded. Raises ``ImproperlyConfigured``."""
        installed = [name for name in OPTIONAL if {name, f"{name}.apps"} & _places(settings.INSTALLED_APPS)]
        refuse_other_modules((*NEEDED, *installed))
        check_settings()
        if "boards" in settings.CACHES:
            use_names_for_cluster(conf.is_cluster())
        super().__init__(app_name, app_module)

    def ready(self) -> None:
        """Register everything. Importing ``checks`` registers the system checks."""
        from foundation.audit import own_actions
        from foundation.db import migrating
        from foundation.monitoring import (
            broker,
            checks,  # noqa: F401 - importing registers the checks
            health,
            metric_files,
            own_readings,
            readings,
            request_ids,
            setup_checks,  # noqa: F401 - importing registers the checks
            static_files_check,  # noqa: F401 - importing registers the check
            task_metrics,
            user_model_check,  # noqa: F401 - importing registers the check
        )
        from foundation.security import sealed_rows
        from foundation.webhooks import retention
        from foundation.worker import watchdog

        own_actions.register()
        health.register_check(retention.health_problems)
        health.register_check(sealed_rows.health_problems)
        health.register_check(metric_files.describe_folder)
        readings.register("servers", own_readings.servers)
        readings.register("replicas", own_readings.replicas_read)
        readings.register("upkeep", own_readings.upkeep)
        readings.register("broker", broker.read_queue)
        request_ids.listen()
        task_metrics.listen()
        metric_files.listen()
        watchdog.listen()
        if sunwi_settings.METRICS_PORT:
            from foundation.monitoring import worker_metrics  # only workers need its server

            worker_metrics.listen()
        if sunwi_settings.TRACING:
            from foundation.monitoring import tracing  # it needs the extra `otel`

            tracing.start(os.environ.get("GIT_COMMIT", ""))
        migrating.listen(self)


def refuse_other_modules(names: tuple[str, ...]) -> None:
    """Raise ``ImproperlyConfigured`` for a module of the project that has the name of one of our apps, and hides it."""
    ours = Path(__file__).resolve().parents[1]
    for name in names:
        spec = find_spec(name)
        places = [Path(place) for place in (spec.submodule_search_locations or [spec.origin or ""])] if spec else []
        if ours / name not in [place.resolve() for place in places]:
            found = f"is {places[0]}" if places else "is not there"
            raise ImproperlyConfigured(
                f"The module {name!r} {found}, not Sunwi's app of this name. If it is yours, give it another name."
            )


def _places(entries: list[str]) -> set[str]:
    return {*entries, *(entry.rpartition(".")[0] for entry in entries)}
