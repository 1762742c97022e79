"""Look at everything that must be right for scores to be kept, and say so, a line each."""

import sys
from typing import Any

from foundation import clock
from leaderboards.management.command import Command as BaseCommand
from leaderboards.management.doctor_checks import run_checks


class Command(BaseCommand):
    """``doctor``: exit status 1 if any line is red."""

    help = "Check SQL, Redis, clocks, the worker, lag and the next boundary of each board; exit 1 if any is red."
    requires_system_checks = ()  # they are among what may be wrong

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Say what is right too: a line that is missing would otherwise pass for one that is well."""
        reds = 0
        for finding in run_checks(clock.now()):
            reds += finding.is_red
            word = self.style.ERROR("RED") if finding.is_red else self.style.SUCCESS("ok ")
            self.stdout.write(f"{word}  {finding.name}: {finding.detail}")
        if reds:
            sys.exit(1)
