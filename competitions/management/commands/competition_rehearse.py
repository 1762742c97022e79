"""Rehearse a competition: simulated participants, a fast clock, and every figure checked independently."""

import json
import random
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from competitions.management.chaos import Chaos
from competitions.management.rehearsal import ENDS, STARTS, Rehearsal
from competitions.management.verdict import judge
from foundation.sunwi_settings import sunwi_settings
from leaderboards.management.command import Command as BaseCommand

FEWEST, MOST = 4, 5000


class Command(BaseCommand):
    """``competition_rehearse [--participants N] [--seconds S] [--chaos] [--seed N]``."""

    help = (
        "Take a competition of simulated participants from joining to an appeal on a private board of its own, beside "
        "whatever runs; prints a timeline and, as the last line, what it came to as JSON. Its rows stay, to be looked "
        "at. Webhook endpoints hear of it as of any competition."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the number of participants, the duration, and whether processes are killed meanwhile."""
        parser.add_argument("--participants", type=_participants, default=50, metavar="N")
        parser.add_argument("--seconds", type=float, default=20.0, metavar="S", help="how long it takes at least")
        parser.add_argument("--chaos", action="store_true", help="kill the demo's own Redis and worker in between")
        parser.add_argument("--seed", type=int, metavar="N", help="repeat the chances of an earlier run")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the rehearsal; anything wrong, duplicated or missing is an error."""
        seed = options["seed"] if options["seed"] is not None else random.SystemRandom().randrange(10**9)
        dice = random.Random(seed)  # noqa: S311 - simulated people
        self._say(f"--seed {seed} repeats these chances.")
        rehearsal = Rehearsal(options["participants"], self._say, dice)
        chaos = Chaos(Path(sunwi_settings.DATA_DIR), range(STARTS, ENDS), dice, self._say) if options["chaos"] else None
        if chaos and chaos.finds_nobody():
            self._say("No demo of its own runs here: nothing is killed.")
        rehearsal.run(options["seconds"], chaos.meanwhile if chaos else lambda _: None)
        verdict = judge(rehearsal.competition, rehearsal.record)
        self._say(json.dumps(verdict.to_json()))
        if not verdict.is_good:
            raise CommandError("The competition did not come to what it must come to: the last line says what differs.")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _participants(text: str) -> int:
    count = int(text)
    if not FEWEST <= count <= MOST:
        raise ArgumentTypeError(f"{count} participants; {FEWEST} to {MOST} are possible")
    return count
