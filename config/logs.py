"""How a log line looks. Times are UTC, as everywhere inside."""

import logging
import time


class UtcFormatter(logging.Formatter):
    """One record, one line: what a caller sends in can not start a line of its own."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging names it so)
        line = super().formatMessage(record)
        return line.replace("\r", "\\r").replace("\n", "\\n")
