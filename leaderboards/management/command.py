"""The base class of all commands: an expected error becomes one line on stderr, and so does a signal or a full disk.

Standard output holds only the result, so that it can be piped; if it cannot be written to its end, the command fails.
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
from leaderboards.management import stopping


class Command(BaseCommand):
    """A command whose expected errors are sentences, not stack traces."""

    def run_from_argv(self, argv: list[str]) -> None:
        """Run as a shell's command: signals end it with a sentence (``stopping.py``)."""
        with stopping.raised():
            super().run_from_argv(argv)

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command as an actor of the audit log, and turn expected errors into a ``CommandError``.

        ``--traceback`` shows the original error.
        """
        try:
            with acting(command=type(self).__module__.rpartition(".")[2]):
                printed = super().execute(*args, **options)
            self.stdout.flush()
        except BrokenPipeError:  # the reader stopped, as `head` does
            raise SystemExit(1) from None
        except SunwiError as error:
            raise CommandError(error.detail) from error
        except DatabaseError as error:
            first_line = str(error).partition("\n")[0]
            raise CommandError(f"The database did not do it ({first_line}). Is it up and migrated?") from error
        except OSError as error:
            raise CommandError(_of_files(error)) from error
        except KeyboardInterrupt as error:
            stop = error if isinstance(error, stopping.Stopped) else stopping.Stopped()
            told = f"It was stopped by {stop.signal.name} before its end: what it printed or wrote is not whole."
            raise CommandError(told, returncode=stop.status) from error
        finally:
            _leave_stdout()
        return printed

    def print_json(self, document: object) -> None:
        """Print one JSON document on standard output."""
        self.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, cls=DjangoJSONEncoder))


def parse_time_or_now(text: str | None) -> datetime:
    """Parse an RFC 3339 time; now for None. Raises ``BadTime``."""
    return clock.now() if text is None else read_time(text)


def format_time(at: datetime | None) -> str | None:
    """Format a time as RFC 3339 in UTC, as the API does."""
    return when_or_none(at)


def _leave_stdout() -> None:
    """If standard output takes no more, let what is left go nowhere: at exit Python would fail once more."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _of_files(error: OSError) -> str:
    what = error.filename or "A file, standard output or a connection"
    return f"{what} failed: {error.strerror or error}. What the command printed or wrote is not whole."
