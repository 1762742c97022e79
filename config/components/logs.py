"""The setting LOGGING: formats, filters and levels. Times are in UTC.

Lines are plain text, or JSON with ``LOG_FORMAT=json``. Both have the id of the request or task that they belong to.
"""

import json
import logging
import re
import threading
import time
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from foundation.monitoring import request_ids

FORMATS = ("plain", "json")
PAUSES = (10.0, 60.0, 300.0)  # seconds between equal warnings; the last one repeats
FORGOTTEN_AFTER = 30.0  # seconds after a pause without the warning, until it counts as new
MOST_KNOWN = 1000
UNDER = "  "  # the indentation of a traceback

# The secret part of mailed links gives access to the account (config/proxy/http.conf does the same for the proxy).
_LINKS = re.compile(r"(/accounts/(?:reset|sign-up|email|invitations)/)[^\s\"'?]+")


# The prefix of a service key, which is not secret (foundation/security/service_keys.py).
_KEY = re.compile(r"bearer\s+sunwi_([0-9a-f]{8})_", re.IGNORECASE)


class UtcFormatter(logging.Formatter):
    """Format a record as one line with an indented traceback, so that user input cannot start a line of its own.

    Secrets of links are masked.
    """

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        """The line, and the traceback below it."""
        text = super().format(record).replace("\r", "\\r").replace("\n", f"\n{UNDER}")
        return _LINKS.sub(r"\1***", text)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging names it so
        line = super().formatMessage(record)
        return line.replace("\r", "\\r").replace("\n", "\\n")


class JsonFormatter(UtcFormatter):
    """Format a record as one JSON object on one line, with the same masks.

    ``time``, ``level``, ``logger`` and ``message`` are always there; ``request_id``, ``task``, ``task_id``, ``status``
    (of a refused request), ``exception`` and ``stack`` if they are known.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The object."""
        told: dict[str, Any] = {
            "time": self.formatTime(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        told |= {name: value for name, value in request_ids.current()._asdict().items() if value}
        if isinstance(status := getattr(record, "status_code", None), int):
            told["status"] = int(status)
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            told["stack"] = self.formatStack(record.stack_info)
        return json.dumps({name: _masked(value) for name, value in told.items()})


def _masked(value: Any) -> Any:
    return _LINKS.sub(r"\1***", value) if isinstance(value, str) else value


class RequestFilter(logging.Filter):
    """Give the record ``request_mark``: the request's id in brackets and a space, or nothing outside of requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record; always True."""
        request_id = request_ids.current().request_id
        record.request_mark = f"[{request_id}] " if request_id else ""
        return True


class CallerFilter(logging.Filter):
    """Add the caller to the line of a refused request (4xx): status, method, address, and the key or the account.

    So ``RepeatedWarningFilter`` distinguishes callers; the traceback is removed. The key's prefix is logged as it was
    sent, known or not. The account is logged only if the request has loaded it: logging must not cause a query.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record; always True."""
        from django.http import HttpRequest

        request, status = getattr(record, "request", None), getattr(record, "status_code", 0)
        if isinstance(request, HttpRequest) and 400 <= status < 500 and record.levelno >= logging.WARNING:
            # Django logs an unknown Host header as an error, but anybody can send one.
            record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
            record.msg, record.args = f"{record.getMessage()}; {status} {_caller_of(request)}", ()
            record.exc_info = record.exc_text = None
        return True


def _caller_of(request: Any) -> str:
    from foundation.http.client_address import client_network  # imported late: the settings are not ready yet

    method = str(request.META.get("REQUEST_METHOD", ""))[:10]
    key = _KEY.match(request.META.get("HTTP_AUTHORIZATION", ""))
    user = request.__dict__.get("user")
    account = getattr(getattr(user, "_wrapped", user), "pk", None)
    name = f", key {key[1]}" if key else f", account {account}" if account else ""
    return f"{method} from {client_network(request)}{name}"


class RepeatedWarningFilter(logging.Filter):
    """Write repeated warnings less and less often, with a count; the first one at once.

    Otherwise an unavailable server would fill the log: everything that needs it warns each second. Errors are always
    written.
    """

    def __init__(self) -> None:
        super().__init__()
        self._warnings: dict[tuple[str, str], _Warning] = {}
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write the record; how often it was suppressed is added to its message."""
        if record.levelno != logging.WARNING or record.exc_info:
            return True
        with self._lock:
            return self._is_due(record)

    def _is_due(self, record: logging.LogRecord) -> bool:
        message, now = record.getMessage(), record.created
        warning = self._warnings.get((record.name, message))
        if warning is None or now - warning.written_at > warning.pause + FORGOTTEN_AFTER:
            if len(self._warnings) >= MOST_KNOWN:
                self._warnings.clear()
            self._warnings[record.name, message] = _Warning(now)
            return True
        warning.repeats += 1
        if now - warning.written_at < warning.pause:
            return False
        record.msg, record.args = f"{message} ({warning.repeats} times more since {warning.since})", ()
        warning.written_at, warning.written = now, warning.written + 1
        return True


class _Warning:
    """When a warning was last written, how often it was written, and how often it was repeated since the first."""

    def __init__(self, at: float) -> None:
        self.since = time.strftime("%H:%M:%S", time.gmtime(at))
        self.written_at, self.written, self.repeats = at, 1, 0

    @property
    def pause(self) -> float:
        """Seconds until the warning may be written again."""
        return PAUSES[min(self.written, len(PAUSES)) - 1]


def log_format(env: environ.Env) -> str:
    """Read LOG_FORMAT: ``plain`` or ``json``. Raises ``ImproperlyConfigured``."""
    chosen = env.str("LOG_FORMAT", default="").strip().lower() or FORMATS[0]
    if chosen not in FORMATS:
        raise ImproperlyConfigured(f"LOG_FORMAT is {chosen}: set it to {' or '.join(FORMATS)}.")
    return str(chosen)


def logging_config(level: str, form: str = FORMATS[0]) -> dict[str, Any]:
    """Build LOGGING, with ``level`` for the root logger, and lines of the format ``form``."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "plain": {
                "()": "config.components.logs.UtcFormatter",
                "format": "{asctime} {levelname} {name} {request_mark}{message}",
                "style": "{",
            },
            "json": {"()": "config.components.logs.JsonFormatter"},
        },
        "filters": {
            "request": {"()": "config.components.logs.RequestFilter"},
            "who_asked": {"()": "config.components.logs.CallerFilter"},
            "said_before": {"()": "config.components.logs.RepeatedWarningFilter"},
        },
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": form,
                "filters": ["who_asked", "said_before", "request"],
            },
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "django.server": {"handlers": ["console"], "propagate": False},
            # Without their lines for each task; failures are still written.
            "celery.beat": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.worker.request": {"level": "WARNING"},  # "revoked", for each expired task
            "celery.app.trace": {"level": "WARNING"},
            "botocore": {"level": "WARNING"},  # a line for each place where credentials were found
        },
    }
