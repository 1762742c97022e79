"""What every command shares: refusals become one line on stderr, times and boards are read once.

Standard output carries only what the command is for, so that it can be piped.
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
from leaderboards.core.input.entries import read_time


class Command(BaseCommand):
    """A command whose refusals are sentences, not stack traces."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run, and say in one line what was refused. ``--traceback`` shows the rest."""
        try:
            with acting(command=type(self).__module__.rpartition(".")[2]):
                return super().execute(*args, **options)
        except BrokenPipeError:  # the reader has seen enough, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(1) from None
        except SunwiError as error:
            raise CommandError(error.detail) from error
        except DatabaseError as error:
            first = str(error).partition("\n")[0]
            raise CommandError(f"The database did not do it ({first}). Is it up and migrated?") from error

    def print_json(self, document: object) -> None:
        """One JSON document on standard output."""
        self.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, cls=DjangoJSONEncoder))


def parse_time_or_now(text: str | None) -> datetime:
    """The time that was named, or now. Raises ``BadTime``."""
    return clock.now() if text is None else read_time(text)


def format_time(at: datetime | None) -> str | None:
    """RFC 3339 in UTC, as the API writes it."""
    return None if at is None else at.isoformat().replace("+00:00", "Z")
