"""The base class of all commands: an expected error becomes one line on stderr.

Standard output holds only the result, so that it can be piped.
"""

import json
import os
import sys
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError

from foundation import clock
from foundation.audit import acting
from foundation.errors import SunwiError
from foundation.http.encoding import when_or_none
from leaderboards.core.input.entries import read_time


class Command(BaseCommand):
    """A command whose expected errors are sentences, not stack traces."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command as an actor of the audit log, and turn expected errors into a ``CommandError``.

        ``--traceback`` shows the original error.
        """
        try:
            with acting(command=type(self).__module__.rpartition(".")[2]):
                return super().execute(*args, **options)
        except BrokenPipeError:  # the reader stopped, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(1) from None
        except SunwiError as error:
            raise CommandError(error.detail) from error
        except DatabaseError as error:
            first_line = str(error).partition("\n")[0]
            raise CommandError(f"The database did not do it ({first_line}). Is it up and migrated?") from error

    def print_json(self, document: object) -> None:
        """Print one JSON document on standard output."""
        self.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, cls=DjangoJSONEncoder))


def parse_time_or_now(text: str | None) -> datetime:
    """Parse an RFC 3339 time; now for None. Raises ``BadTime``."""
    return clock.now() if text is None else read_time(text)


def format_time(at: datetime | None) -> str | None:
    """Format a time as RFC 3339 in UTC, as the API does."""
    return when_or_none(at)
