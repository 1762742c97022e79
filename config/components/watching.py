"""Settings of OpenTelemetry and Sentry. Without their variables nothing of either is imported."""

from importlib.util import find_spec
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from foundation.monitoring import error_reports

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
NEEDED = ("opentelemetry", "opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
MIDDLEWARE = "foundation.monitoring.tracing.TraceRequests"


def is_traced(env: environ.Env) -> bool:
    """Whether spans are sent: an endpoint is set, and ``OTEL_SDK_DISABLED`` is not. Raises ``ImproperlyConfigured``."""
    if not env.str(ENDPOINT, default="") or env.str("OTEL_SDK_DISABLED", default="").strip().lower() == "true":
        return False
    if not all(_is_installed(name) for name in NEEDED):
        raise ImproperlyConfigured(f"{ENDPOINT} is set, and OpenTelemetry is not installed: install sunwi[otel].")
    return True


def report_errors(env: environ.Env, logging: dict[str, Any], release: str) -> None:
    """With ``SENTRY_DSN`` start Sentry, and send it what ``logging`` writes as errors.

    Raises ``ImproperlyConfigured``.
    """
    dsn = env.str("SENTRY_DSN", default="").strip()
    environment = env.str("SENTRY_ENVIRONMENT", default="production") or "production"
    if not dsn:
        return
    error_reports.start(dsn, environment, release)
    logging["handlers"]["sentry"] = error_reports.HANDLER
    logging["root"]["handlers"].append("sentry")


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # of the package around it
        return False
