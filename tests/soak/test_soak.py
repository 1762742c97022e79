"""Mixed load on all of Sunwi while something goes wrong every twenty seconds: nothing is lost, doubled or refused that
need not be, and memory is flat. A minute and a quarter in `make long`; `make soak MINUTES=20` is the whole of it.
"""

import os
import sys
import time

import pytest

from tests.soak.deployment import Deployment
from tests.soak.run import Run

pytestmark = [pytest.mark.long, pytest.mark.alone]

SECONDS = 60 * float(os.environ.get("SOAK_MINUTES", "1.25"))


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def test_under_mixed_load_and_a_fault_every_twenty_seconds_everything_that_was_acknowledged_counts_once(
    seed: int,
) -> None:
    with Deployment() as site:
        run = Run(site, seed, lambda line: say(f"{time.monotonic() - run.began:7.1f} s  {line}"))
        run.begin()
        run.soak(SECONDS)
        run.end()

        for line in run.record.figures(run.began):
            say(line)
        for life in run.sampler.lives():
            say(life.told())
        run.judge()
        assert not run.sampler.too_large(), run.sampler.too_large()
