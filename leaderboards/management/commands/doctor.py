"""Check everything that scores depend on, and print a line for each check."""

import sys
from typing import Any

from foundation import clock
from leaderboards.management.command import Command as BaseCommand
from leaderboards.management.doctor_checks import run_checks


class Command(BaseCommand):
    """``doctor``: exit status 1 if any line is red."""

    help = "Check SQL, Redis, clocks, the worker, lag and the next boundary of each board; exit 1 if any is red."
    requires_system_checks = ()  # they may be what is broken

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Print every finding, also good ones, so that a missing check is noticed."""
        reds = 0
        for finding in run_checks(clock.now()):
            reds += finding.is_red
            word = self.style.ERROR("RED") if finding.is_red else self.style.SUCCESS("ok ")
            self.stdout.write(f"{word}  {finding.name}: {finding.detail}")
        if reds:
            sys.exit(1)
