"""How a log line looks, and which are written. Times are UTC, as everywhere inside."""

import logging
import time
from typing import Any


class UtcFormatter(logging.Formatter):
    """One record, one line: what a caller sends in can not start a line of its own."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging names it so)
        line = super().formatMessage(record)
        return line.replace("\r", "\\r").replace("\n", "\\n")


def to_standard_error(level: str) -> dict[str, Any]:
    """Django's LOGGING: one line each, from ``level`` on."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": "config.logs.UtcFormatter",
                "format": "{asctime} {levelname} {name} {message}",
                "style": "{",
            },
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "django.server": {"handlers": ["console"], "propagate": False},
            # One line per tick, every second, is noise; failures still show.
            "celery.beat": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.app.trace": {"level": "WARNING"},
        },
    }
