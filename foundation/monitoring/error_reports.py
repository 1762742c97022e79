"""Sentry: an event for each error in the log (extra ``sentry``), without what it says about people.

sentry-sdk's own integrations are off: they patch Django and Celery, and send addresses, headers, bodies and variables.
Instead a handler of the log sends what is logged as an error, and ``scrub`` keeps of each event only what is listed
here: where in the code, the class of the error, the unformatted message of our own lines, the route, the request's id.
The trap: messages of exceptions are dropped, since those of SQL quote rows.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from foundation.monitoring import request_ids

HANDLER = {"class": "sentry_sdk.integrations.logging.EventHandler", "level": "ERROR"}
KEPT = ("event_id", "timestamp", "level", "logger", "platform", "release", "environment", "server_name", "sdk")
KEPT_OF_FRAMES = (
    "filename", "abs_path", "module", "function", "lineno", "context_line", "pre_context", "post_context", "in_app",
)  # fmt: skip  # as a list
# Loggers whose messages are templates: what they are filled with is not in them. Others might format beforehand.
TEMPLATES = ("accounts", "celery", "competitions", "config", "django", "foundation", "leaderboards", "likes")
FLUSH_SECONDS = 2


def start(dsn: str, environment: str, release: str) -> None:
    """Send events to ``dsn`` from now on. Raises ``ImproperlyConfigured`` without sentry-sdk or for a wrong address."""
    if find_spec("sentry_sdk") is None:
        raise ImproperlyConfigured("SENTRY_DSN is set, and sentry-sdk is not installed: install sunwi[sentry].")
    import sentry_sdk
    from sentry_sdk.integrations.atexit import AtexitIntegration
    from sentry_sdk.integrations.dedupe import DedupeIntegration
    from sentry_sdk.utils import BadDsn

    try:
        sentry_sdk.init(
            dsn=dsn, environment=environment, release=release or None, before_send=scrub,
            default_integrations=False, auto_enabling_integrations=False,
            integrations=[AtexitIntegration(lambda _waiting, _timeout: None), DedupeIntegration()],
            send_default_pii=False, include_local_variables=False, max_breadcrumbs=0, auto_session_tracking=False,
            send_client_reports=False, shutdown_timeout=FLUSH_SECONDS, max_request_body_size="never",
        )  # fmt: skip  # as a list
    except BadDsn as error:
        raise ImproperlyConfigured(f"SENTRY_DSN is no address of a Sentry project ({error}).") from None


def scrub(event: Any, hint: Mapping[str, Any]) -> Any:
    """The event that is sent: only what is known to say nothing about people."""
    kept = {name: event[name] for name in KEPT if name in event}
    logger = str(event.get("logger", ""))
    if logger.partition(".")[0] in TEMPLATES:
        kept["logentry"] = {"message": str((event.get("logentry") or {}).get("message", ""))}
    errors = (event.get("exception") or {}).get("values") or []
    if errors:
        kept["exception"] = {"values": [_error(each) for each in errors]}
    context = request_ids.current()
    kept["tags"] = {name: value for name, value in context._asdict().items() if value}
    if transaction := context.task or _route(hint.get("log_record")):
        kept["transaction"] = transaction
    return kept


def _error(error: Mapping[str, Any]) -> dict[str, Any]:
    frames = (error.get("stacktrace") or {}).get("frames") or []
    told = {name: error[name] for name in ("type", "module") if name in error}
    return told | {"stacktrace": {"frames": [_frame(each) for each in frames]}}


def _frame(frame: Mapping[str, Any]) -> dict[str, Any]:
    return {name: frame[name] for name in KEPT_OF_FRAMES if name in frame}


def _route(record: Any) -> str:
    match = getattr(getattr(record, "request", None), "resolver_match", None)
    return str(match.route) if match else ""
