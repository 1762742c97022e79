"""How a log line looks, and which are written. Times are UTC, as everywhere inside."""

import logging
import re
import threading
import time
from typing import Any

PAUSES = (10.0, 60.0, 300.0)  # seconds between one warning and the next of the same words
FORGOTTEN_AFTER = 30.0  # seconds behind a pause in which it did not come: then it is news
MOST_KNOWN = 1000
UNDER = "  "  # before each line of a traceback

# Links from mails: who has the end of one has the account (config/proxy/http.conf says the same of the proxy's log).
_LINKS = re.compile(r"(/accounts/(?:reset|sign-up|email|invitations)/)[^\s\"'?]+")


# Of a service key the part that is no secret (foundation/security/service_keys.py).
_KEY = re.compile(r"bearer\s+sunwi_([0-9a-f]{8})_", re.IGNORECASE)


class UtcFormatter(logging.Formatter):
    """One record, one line, and what is under it indented: what a caller sends in can not start a line of its own, also
    not as the words of an error. No secret of a link is in it."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        """The line, and a traceback under it."""
        text = super().format(record).replace("\r", "\\r").replace("\n", f"\n{UNDER}")
        return _LINKS.sub(r"\1***", text)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging names it so)
        line = super().formatMessage(record)
        return line.replace("\r", "\\r").replace("\n", "\\n")


class CallerFilter(logging.Filter):
    """Adds to the line of a refused request (4xx) who was refused: status, method, address, and the key or the account.

    So words of one caller are never held back for those of another, and no traceback is written for a permission that
    somebody lacks. A key is named as it was sent, known or not: 401 says that it is not, 403 that it is. The account is
    named where somebody asked for it anyhow: a line of the log costs no question to SQL.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """True; the record says who."""
        from django.http import HttpRequest

        request, status = getattr(record, "request", None), getattr(record, "status_code", 0)
        if isinstance(request, HttpRequest) and 400 <= status < 500 and record.levelno >= logging.WARNING:
            # Of a host that is not ours Django makes an error: anybody may ask for any.
            record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
            record.msg, record.args = f"{record.getMessage()}; {status} {_who(request)}", ()
            record.exc_info = record.exc_text = None
        return True


def _who(request: Any) -> str:
    from foundation.http.client_address import client_network  # Django is not ready yet as the settings are read

    method, key = (
        str(request.META.get("REQUEST_METHOD", ""))[:10],
        _KEY.match(request.META.get("HTTP_AUTHORIZATION", "")),
    )
    user = request.__dict__.get("user")
    account = getattr(getattr(user, "_wrapped", user), "pk", None)
    named = f", key {key[1]}" if key else f", account {account}" if account else ""
    return f"{method} from {client_network(request)}{named}"


class RepeatedWarningFilter(logging.Filter):
    """Lets a warning of the same words through at once, then ever less often, with how often it came.

    A server that is away is found away each second, by everything that needs it: the log says so, and stays readable.
    Errors are never held back.
    """

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[tuple[str, str], _Said] = {}
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write it; a warning that was held back meanwhile says so in its words."""
        if record.levelno != logging.WARNING or record.exc_info:
            return True
        with self._lock:
            return self._is_due(record)

    def _is_due(self, record: logging.LogRecord) -> bool:
        words, now = record.getMessage(), record.created
        said = self._said.get((record.name, words))
        if said is None or now - said.last > said.pause + FORGOTTEN_AFTER:
            if len(self._said) >= MOST_KNOWN:
                self._said.clear()
            self._said[record.name, words] = _Said(now)
            return True
        said.came += 1
        if now - said.last < said.pause:
            return False
        record.msg, record.args = f"{words} ({said.came} times more since {said.since})", ()
        said.last, said.written = now, said.written + 1
        return True


class _Said:
    """A warning: when it was written last, how often, and how often it came since the first."""

    def __init__(self, at: float) -> None:
        self.since = time.strftime("%H:%M:%S", time.gmtime(at))
        self.last, self.written, self.came = at, 1, 0

    @property
    def pause(self) -> float:
        """Seconds until it is written again."""
        return PAUSES[min(self.written, len(PAUSES)) - 1]


def logging_config(level: str) -> dict[str, Any]:
    """Django's LOGGING: one line each, from ``level`` on."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": "config.components.logs.UtcFormatter",
                "format": "{asctime} {levelname} {name} {message}",
                "style": "{",
            },
        },
        "filters": {
            "who_asked": {"()": "config.components.logs.CallerFilter"},
            "said_before": {"()": "config.components.logs.RepeatedWarningFilter"},
        },
        "handlers": {
            "console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["who_asked", "said_before"]},
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "django.server": {"handlers": ["console"], "propagate": False},
            # One line per tick, every second, is noise; failures still show.
            "celery.beat": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.worker.request": {"level": "WARNING"},  # "revoked", of each that expired while a worker was away
            "celery.app.trace": {"level": "WARNING"},
        },
    }
