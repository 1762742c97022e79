"""Check everything that scores depend on: what is wrong first, and the rest as a number."""

import sys
from typing import Any

from django.core.management.base import CommandParser

from foundation import clock
from leaderboards.management.command import Command as BaseCommand
from leaderboards.management.doctor_checks import run_checks
from leaderboards.management.findings import State

WORDS = {State.RED: "RED ", State.WAITING: "wait", State.SKIPPED: "skip", State.OK: "ok  "}


class Command(BaseCommand):
    """``doctor``: exit status 1 if any line is red."""

    help = (
        "Check SQL, Redis, clocks, the worker and lag; exit 1 if anything is red. What is wrong comes first, then what "
        "waits or was skipped; checks that are ok are counted, and listed with --all."
    )
    requires_system_checks = ()  # they may be what is broken

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the option that lists everything."""
        parser.add_argument("--all", action="store_true", help="Also list what is ok, and each board's next boundary.")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the findings, the worst first, and the sums."""
        found = sorted(run_checks(clock.now()), key=lambda finding: finding.state)
        styles = {State.RED: self.style.ERROR, State.OK: self.style.SUCCESS}
        for finding in found:
            if finding.state is not State.OK or options["all"]:
                word = styles.get(finding.state, self.style.WARNING)(WORDS[finding.state])
                self.stdout.write(f"{word} {finding.name}: {finding.detail}")
        counts = {state: sum(finding.state is state for finding in found) for state in State}
        self.stdout.write(_sums(counts, has_listed=options["all"]))
        if counts[State.RED]:
            sys.exit(1)


def _sums(counts: dict[State, int], *, has_listed: bool) -> str:
    """``2 wrong, 1 waits, 4 skipped, 674 checks ok``, without what there is none of."""
    named = ((State.RED, "wrong"), (State.WAITING, "waiting"), (State.SKIPPED, "skipped"))
    parts = [f"{counts[state]:,} {word}" for state, word in named if counts[state]]
    checks = "check" if counts[State.OK] == 1 else "checks"
    hint = "" if has_listed else " (doctor --all lists them)"
    return ", ".join([*parts, f"{counts[State.OK]:,} {checks} ok"]) + hint
